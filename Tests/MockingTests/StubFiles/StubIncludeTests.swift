import Foundation
import Networking
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingStubs

@Suite(.gated)
struct StubIncludeTests {
  private func folder(_ files: [String: String]) throws -> TemporaryFolder {
    let folder = TemporaryFolder()
    for (name, text) in files {
      let file = folder.url(name)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    return folder
  }

  @Test func includedFilesAreReadRelativeToTheirFile() async throws {
    let folder = try folder([
      "main.json": """
      {"basePath": "/api", "include": ["users.json", "orders/*.json"],
       "routes": [{"path": "/", "text": "root"}, {"path": "/users", "text": "first"}]}
      """,
      "users.json":
        #"{"routes": [{"path": "/users", "text": "second"}, {"path": "/me", "text": "me"}]}"#,
      "orders/a.json":
        #"{"basePath": "/orders/{order}", "routes": [{"path": "/a", "file": "a.txt"}]}"#,
      "orders/b.json":
        #"{"routes": [{"path": "/b", "text": "{{ path.order }}"}], "basePath": "/{order}"}"#,
      "orders/a.txt": "of a", "orders/ignored.txt": "",
    ])
    let file = try StubFile(contentsOf: folder.url("main.json"))
    #expect(
      file.files.map { $0.resolvingSymlinksInPath().path }
        == ["main.json", "users.json", "orders/a.json", "orders/b.json"].map {
          folder.url($0).resolvingSymlinksInPath().path
        })
    #expect(
      file.summaries.map(\.path) == [
        "/api", "/api/users", "/api/users", "/api/me", "/api/orders/{order}/a", "/api/{order}/b",
      ])
    let transport = MockTransport(routes: file.routes)
    #expect(await transport.response("/api") == "200 root")
    #expect(await transport.response("/api/users") == "200 first")
    #expect(await transport.response("/api/orders/7/a") == "200 of a")
    #expect(await transport.response("/api/8/b") == "200 8")
  }

  @Test func severalFilesAreOneBackend() async throws {
    let folder = try folder([
      "a.json": """
      {"routes": [{"path": "/x", "text": "a"},
                  {"path": "/s", "text": "done", "scenario": {"name": "s", "when": "done"}}],
       "connectionFaults": [{"connection": 1, "type": "reset"}]}
      """,
      "b.json": """
      {"routes": [{"path": "/x", "text": "b"},
                  {"path": "/t", "text": "t", "scenario": {"name": "s", "then": "done"}}],
       "connectionFaults": [{"connection": 1, "type": "close"}, {"connection": 2, "type": "close"}]}
      """,
    ])
    let file = try StubFile(contentsOf: [folder.url("a.json"), folder.url("b.json")])
    #expect(file.connectionFault(1) == .reset && file.connectionFault(2) == .close)
    let transport = MockTransport(routes: file.routes)
    #expect(await transport.response("/x") == "200 a")
    #expect(await transport.response("/t") == "200 t")
    #expect(await transport.response("/s") == "200 done")
    #expect(throws: StubFileError.self) { try StubFile(contentsOf: folder.url("a.json")) }
  }

  @Test func aFileCanBeIncludedUnderTwoBasePaths() throws {
    let folder = try folder([
      "main.json": #"{"include": ["v1.json", "v2.json"]}"#,
      "v1.json": #"{"basePath": "/v1", "include": "both.json"}"#,
      "v2.json": #"{"basePath": "/v2", "include": ["both.json"]}"#,
      "both.json": #"{"routes": [{"path": "/a"}]}"#,
    ])
    let file = try StubFile(contentsOf: folder.url("main.json"))
    #expect(file.summaries.map(\.path) == ["/v1/a", "/v2/a"])
    #expect(file.files.count == 4)
  }

  @Test func theNameOfAResourceHasNoBasePath() async throws {
    let folder = try folder([
      "main.json": #"{"basePath": "/api", "include": ["works.json"]}"#,
      "works.json": #"""
      {"routes": [
        {"resource": "/artists", "data": [{"id": 1, "name": "Zoe"}]},
        {"resource": "/works", "references": {"artistId": "/artists"}, "data": [{"id": 1, "artistId": 1}]},
        {"path": "/first", "text": "{{ resources['/artists'].1.name }}"},
        {"method": "POST", "path": "/add",
         "changes": [{"resource": "/artists", "create": {"name": "Ada"}}], "status": 204}
      ]}
      """#,
    ])
    for (start, base) in [("main.json", "/api"), ("works.json", "")] {
      let transport = MockTransport(routes: try StubFile(contentsOf: folder.url(start)).routes)
      #expect(await transport.response(base + "/first") == "200 Zoe")
      #expect(await transport.response(.post, base + "/add") == "204 ")
      #expect(await transport.send(.get, base + "/artists").ids == [1, 2])
      #expect(await transport.send(.post, base + "/works", #"{"artistId": 2}"#).status == 201)
      #expect(await transport.send(.post, base + "/works", #"{"artistId": 9}"#).status == 422)
    }
  }

  @Test func theFilesThatMatchAPatternAreFoundAgain() throws {
    let folder = try folder([
      "main.json": #"{"include": ["parts/*.json"]}"#, "parts/a.json": #"{"routes": []}"#,
    ])
    let file = try StubFile(contentsOf: folder.url("main.json"))
    #expect(file.matchingFiles.map(\.lastPathComponent) == ["a.json"])
    try Data(#"{"routes": []}"#.utf8).write(to: folder.url("parts/b.json"))
    try FileManager.default.removeItem(at: folder.url("parts/a.json"))
    #expect(file.matchingFiles.map(\.lastPathComponent) == ["b.json"])
  }

  private static let mistakes: [(files: [String: String], message: String)] = [
    (
      ["main.json": #"{"include": ["a.json"]}"#, "a.json": #"{"include": ["main.json"]}"#],
      "a.json:1:14: include[0]: the files include each other: main.json -> a.json -> main.json"
    ),
    (
      ["main.json": #"{"include": ["main.json"]}"#],
      "main.json:1:14: include[0]: the files include each other: main.json -> main.json"
    ),
    (
      [
        "main.json": #"{"include": ["a.json"]}"#,
        "a.json": "{\"routes\": [\n{\"path\": \"/\", \"x\": 1}]}",
      ],
      "a.json:2:15: routes[0].x: unknown key \"x\"; the nearest of 3"
    ),
    (
      ["main.json": #"{"include": ["a.json", "b.json"]}"#, "a.json": #"{"routes": []}"#],
      "main.json:1:24: include[1]: there is no file \"b.json\" in "
    ),
    (
      [
        "main.json":
          #"{"basePath": "/v1", "routes": [{"resource": "/q"}, {"path": "/a", "text": "{{ resources['/v1/q'] }}"}]}"#
      ],
      #"main.json:1:89: routes[1].text: unknown resource "/v1/v1/q": the base path is added; write "/q""#
    ),
    (
      [
        "main.json":
          #"{"basePath": "/v1", "routes": [{"resource": "/q"}, {"path": "/a", "changes": [{"resource": "/v1/q", "delete": "1"}]}]}"#
      ],
      #"main.json:1:92: routes[1].changes[0].resource: unknown resource "/v1/v1/q": the base path is added; write "/q""#
    ),
    (
      ["main.json": #"{"include": ["*.jsn"]}"#],
      "main.json:1:14: include[0]: no file in "
    ),
    (
      ["main.json": #"{"include": ["a.har"]}"#, "a.har": "{}"],
      "main.json:1:14: include[0]: a recording cannot be included"
    ),
    (
      ["main.json": #"{"basePath": "api/", "routes": []}"#],
      "main.json:1:14: basePath: expected a path without a slash at its end, such as \"/api/v1\", "
        + "found \"api/\""
    ),
    (
      ["main.json": #"{"basePath": "/v1", "routes": [{"path": "http://a/b"}]}"#],
      "main.json:1:41: routes[0].path: expected a path, such as \"/boards/{id}\", found \"http://a/b\""
    ),
    (
      [
        "main.json": #"{"include": ["a.json"]}"#,
        "a.json": #"{"routes": [{"path": "/", "scenario": {"name": "s", "when": "x"}}]}"#,
      ],
      "a.json:1:61: routes[0].scenario.when: no route sets the scenario \"s\" to the state \"x\""
    ),
  ]

  @Test(arguments: mistakes)
  func anErrorNamesTheFileThatContainsIt(files: [String: String], message: String) throws {
    let folder = try folder(files)
    let error = #expect(throws: StubFileError.self) {
      try StubFile(contentsOf: folder.url("main.json"))
    }
    let description = try #require(error).description
    #expect(description.hasPrefix("\(folder.url.path)/\(message)"), "\(description)")
  }
}
