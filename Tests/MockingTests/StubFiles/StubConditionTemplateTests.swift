import Foundation
import Networking
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingStubs
@testable import MockingTemplates

/// Templates in the conditions of stub files.
@Suite(.gated)
struct StubConditionTemplateTests {
  private static let login = #"""
    {"routes": [
      {"method": "POST", "path": "/login", "text": "ok",
       "set": {"token": "t-{{ body.user }}"}},
      {"method": "POST", "path": "/logout", "set": {"token": null}},
      {"path": "/me", "text": "header",
       "when": {"headers": {"Authorization": {"equals": "Bearer {{ variables.token }}"}}}},
      {"path": "/me", "text": "cookie", "when": {"cookies": {"session": "{{ variables.token }}"}}},
      {"path": "/me", "text": "variable", "when": {"variables": {"token": "{{ query.token }}"}}},
      {"path": "/me", "text": "query",
       "when": {"query": {"list": {"contains": "{{ variables.token }}"}}}},
      {"path": "/me", "text": "else"}
    ]}
    """#

  @Test func aConditionIsComparedWithTheValueOfItsTemplate() async throws {
    let transport = try StubFixture(Self.login).transport()
    func me(_ target: String = "/me", _ headers: HTTPHeaders = [:]) async -> String {
      await transport.response(target, headers)
    }
    func all() async -> [String] {
      [
        await me("/me", ["Authorization": "Bearer t-ada"]),
        await me("/me", ["Cookie": "session=t-ada"]),
        await me("/me?token=t-ada"), await me("/me?list=1,t-ada,2"),
      ]
    }
    let elses = Array(repeating: "200 else", count: 4)
    #expect(await all() == elses)
    #expect(await transport.response(.post, "/login", body: #"{"user": "ada"}"#) == "200 ok")
    #expect(await all() == ["200 header", "200 cookie", "200 variable", "200 query"])
    #expect(await me("/me", ["Authorization": "Bearer t-bob"]) == "200 else")
    #expect(
      await me("/me", ["Authorization": "Bearer {{ variables.token }}"]) == "200 else",
      "the template itself is no value")
    #expect(await transport.response(.post, "/logout") == "200 ")
    #expect(await all() == elses)
  }

  @Test func aTemplateWithoutAValueMatchesNothing() async throws {
    let transport = try StubFixture(
      #"""
      {"routes": [
        {"path": "/a", "text": "text", "when": {"headers": {"X-A": "{{ variables.none }}"}}},
        {"path": "/a", "text": "part", "when": {"headers": {"X-A": {"contains": "{{ query.none }}"}}}},
        {"path": "/a", "text": "json", "when": {"jsonPath": {"$.a": "{{ variables.none }}"}}},
        {"path": "/a", "text": "body", "when": {"jsonEquals": "{{ variables.none }}"}},
        {"path": "/a", "text": "else"}
      ]}
      """#
    ).transport()
    #expect(await transport.response("/a", ["X-A": ""]) == "200 else")
    #expect(await transport.response(.post, "/a", body: #"{"a": null}"#) == "200 else")
    #expect(await transport.response(.post, "/a", body: "null") == "200 else")
  }

  @Test func theMembersOfABodyAreComparedWithPathAndQuery() async throws {
    let transport = try StubFixture(
      #"""
      {"routes": [
        {"path": "/a/{id}", "text": "json", "when": {"json": {"item": {"id": "{{ path.id | int }}"}}}},
        {"path": "/a/{id}", "text": "path", "when": {"jsonPath": {"$.id": "{{ path.id }}"}}},
        {"path": "/a/{id}", "text": "list",
         "when": {"jsonPath": {"$.ids": {"contains": "{{ path.id | int }}"}}}},
        {"path": "/a/{id}", "text": "exact",
         "when": {"jsonEquals": {"ids": [], "by": "{{ query.by }}"}}},
        {"path": "/a/{id}", "text": "part",
         "when": {"parts": {"by": {"value": "{{ query.by }}", "fileName": "{{ path.id }}.png"}}}},
        {"path": "/a/{id}", "text": "not", "when": {"not": {"query": {"by": "{{ path.id }}"}}}},
        {"path": "/a/{id}", "text": "else"}
      ]}
      """#
    ).transport()
    func text(_ body: String, _ target: String = "/a/7?by=7") async -> String {
      await transport.response(.post, target, body: body)
    }
    #expect(await text(#"{"item": {"id": 7, "n": 1}}"#) == "200 json")
    #expect(await text(#"{"item": {"id": 8}}"#) == "200 else")
    #expect(await text(#"{"id": "7"}"#) == "200 path")
    #expect(await text(#"{"id": 7}"#) == "200 else")
    #expect(await text(#"{"ids": [1, 7]}"#) == "200 list")
    #expect(await text(#"{"ids": [], "by": "7"}"#) == "200 exact")
    #expect(await text(#"{"ids": [], "by": "7", "n": 1}"#) == "200 else")
    #expect(await text("", "/a/7?by=8") == "200 not")
    let part =
      "--b\r\nContent-Disposition: form-data; name=\"by\"; filename=\"7.png\"\r\n\r\n7\r\n--b--\r\n"
    let form: HTTPHeaders = ["Content-Type": "multipart/form-data; boundary=b"]
    #expect(await transport.response(.post, "/a/7?by=7", form, body: part) == "200 part")
    #expect(await transport.response(.post, "/a/8?by=8", form, body: part) == "200 else")
  }

  @Test func bracesThatAreNoTemplateAreLiteral() async throws {
    let transport = try StubFixture(
      #"""
      {"routes": [
        {"path": "/a", "text": "unknown", "when": {"query": {"q": "Hello {{ name }}"}}},
        {"path": "/a", "text": "open", "when": {"query": {"q": "{{"}}},
        {"path": "/a", "text": "escaped", "when": {"query": {"q": {"equals": "\\{{ method }}"}}}},
        {"path": "/a", "text": "off", "template": false, "when": {"query": {"q": "{{ query.q }}"}}},
        {"path": "/a", "text": "on", "when": {"query": {"q": "{{ headers.X-Q }}"}}},
        {"path": "/a", "text": "else"}
      ]}
      """#
    ).transport()
    for (query, text) in [
      ("Hello%20%7B%7B%20name%20%7D%7D", "unknown"), ("%7B%7B", "open"),
      ("%7B%7B%20method%20%7D%7D", "escaped"), ("%7B%7B%20query.q%20%7D%7D", "off"), ("x", "on"),
      ("y", "else"),
    ] {
      #expect(await transport.response("/a?q=\(query)", ["X-Q": "x"]) == "200 \(text)")
    }
  }

  @Test func aReportShowsTheTemplateAndMasksSecrets() async throws {
    let stubs = try StubFixture(
      #"""
      {"routes": [{"path": "/a/{id}", "set": {"plan": "gold-7"}, "when": {
        "headers": {"Authorization": "Bearer 4711 {{ variables.plan }}", "X-Plan": "{{ variables.plan }}"},
        "cookies": {"id": "{{ path.id }}"}, "json": {"password": "{{ query.p }}", "id": "{{ path.id }}"},
        "jsonPath": {"$.n": {"contains": "{{ path.id }}"}}}}]}
      """#)
    #expect(
      try StubFile(contentsOf: stubs.file).summaries[0].conditions == [
        #"header "Authorization": ***"#, #"header "X-Plan": "{{ variables.plan }}""#,
        #"cookie "id": ***"#, #"JSON: containing {"id":"{{ path.id }}","password":"***"}"#,
        #"JSON $.n: a value containing "{{ path.id }}""#, "sets plan",
      ])
    let server = try MockServer(stubs: stubs.file)
    defer { server.stop() }
    server.variables["plan"] = "gold-7"
    let record = await PlatformTransport.make().get(server.url.appending(path: "a/1"))
    let report = String(decoding: record.body, as: UTF8.self)
    #expect(record.head?.status == 404)
    #expect(report.contains(#"header "X-Plan": expected "{{ variables.plan }}", actual none"#))
    #expect(!report.contains("gold-7") && !report.contains("4711"))
  }

  private static let mistakes: [(condition: String, message: String)] = [
    (
      #"{"headers": {"X": {"equals": "{{ variabels.a }}"}}}"#,
      "1:69: routes[0].when.headers.X.equals: unknown name \"variabels\"; did you mean \"variables\"?"
    ),
    (
      #"{"variables": {"x": {"contains": "{{ uuid }}"}}}"#,
      "1:73: routes[0].when.variables.x.contains: a condition cannot use uuid, which generates a value"
    ),
    (
      #"{"cookies": {"x": {"matches": "^{{ query.a }}$"}}}"#,
      "1:66: routes[0].when.cookies.x.matches: a regular expression cannot have templates; use "
        + "\"equals\" or \"contains\""
    ),
  ]

  @Test(arguments: mistakes)
  func aMistakeIsReportedWithItsPosition(condition: String, message: String) throws {
    let stubs = try StubFixture(#"{"routes": [{"path": "/a", "when": \#(condition)}]}"#)
    let error = #expect(throws: StubFileError.self) { try StubFile(contentsOf: stubs.file) }
    #expect(try #require(error).description == "\(stubs.file.path):\(message)")
  }
}
