import Foundation
import Networking
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingRecordings
@testable import MockingStubs

/// Spellings of path templates that other tools use are understood, or are errors that name the
/// spelling to use.
@Suite(.gated)
struct PathTemplateTests {
  @Test(arguments: [
    ("/users/:id", "/users/7", ["id": "7"]),
    ("/users/:user_id/posts/:post", "/users/7/posts/8", ["user_id": "7", "post": "8"]),
    ("/files/**", "/files/a/b", ["**": "a/b"]),
    ("/files/**", "/files", ["**": ""]),
    ("/files/:path*", "/files/a/b", ["path": "a/b"]),
    ("/files/{*path}", "/files/a/b", ["path": "a/b"]),
    ("/files/{**path}", "/files/a", ["path": "a"]),
    ("/files/{path...}", "/files/a/b", ["path": "a/b"]),
    ("/files/{path*}", "/files/a/b", ["path": "a/b"]),
    ("/users/{id:[0-9]+}", "/users/17", ["id": "17"]),
    ("/users/{id:[0-9]{2}}/x", "/users/17/x", ["id": "17"]),
    ("/users/{id:a|b}", "/users/b", ["id": "b"]),
    (#"/users/:id(\d+)"#, "/users/17", ["id": "17"]),
    ("/time/{path:[^/]+}", "/time/x", ["path": "x"]),
    ("/v1/items:batchGet", "/v1/items:batchGet", [:]),
    ("/v1/%3Aid/%2A", "/v1/:id/*", [:]),
    ("/v1/:8080", "/v1/:8080", [:]),
  ])
  func unambiguousSpellingsAreUnderstood(
    template: String, path: String, variables: [String: String]
  ) throws {
    let table = try RouteTable([Route(.get, template, .status(200))])
    guard case .routes(let candidates, _) = table.find(.get, path) else {
      Issue.record("\(template) does not match \(path)")
      return
    }
    #expect(candidates.map(\.variables) == [variables])
    #expect(RequestPattern.get(template).matches(.of("GET", path)))
  }

  @Test(arguments: [
    ("/users/{id:[0-9]+}", "/users/a7"), ("/users/{id:[0-9]+}", "/users/7a"),
    ("/users/{id:[0-9]+}", "/users/7/x"), ("/users/{id:a|b}", "/users/ab"),
    (#"/users/:id(\d+)"#, "/users/x"), ("/users/:id", "/users/"), ("/a/**", "/ab"),
  ])
  func otherPathsDoNotMatch(template: String, path: String) throws {
    let table = try RouteTable([Route(.get, template, .status(200))])
    guard case .unmatched = table.find(.get, path) else {
      Issue.record("\(template) matches \(path)")
      return
    }
    #expect(!RequestPattern.get(template).matches(.of("GET", path)))
  }

  @Test func aConstraintSelectsAmongRoutesOfOnePath() async {
    let transport = MockTransport(routes: [
      Route(.get, "/users/{id:[0-9]+}", .text("number")),
      Route(.get, "/users/{name}", .text("name")),
      Route(.put, "/users/{id:[0-9]+}", .text("put")),
    ])
    #expect(await transport.response("/users/7") == "200 number")
    #expect(await transport.response("/users/x") == "200 name")
    #expect(await transport.response(.put, "/users/7") == "200 put")
    #expect(await transport.response(.put, "/users/x").hasPrefix("405 "))
  }

  @Test(arguments: [
    ("/a/*", "* is ambiguous: write {name} for one segment, {name*} for all remaining ones, and"),
    ("/a/*/b", "* is ambiguous"), ("/a/*.json", "*.json is ambiguous"),
    ("/a/**/b", "a segment follows {name*}, which must be the last one"),
    ("/a/{p:.*}", "{p:.*} is ambiguous: write {p} for one segment, or {p*} for all remaining ones"),
    (
      "/a/{id:int}",
      "{id:int} has a type that is not supported; write {id}, or a regular expression"
    ),
    ("/a/{id:[}", "the regular expression /[/ is malformed"),
    ("/a/{id?}", "{id?} is optional; write two routes"),
    ("/a/:id?", ":id? is optional; write two routes"),
    ("/a/:id.json", ":id.json is not a variable; a variable is a whole segment, such as {id}"),
    ("/a/<int:id>", "<int:id> is not a variable; write {id}"),
    ("/a/[id]", "[id] is not a variable; write {id}"),
    ("/a/{x}?q=1", "it contains a query or a fragment; use conditions for the query"),
    ("http://localhost:80/a/b", "it is a URL; write only its path, /a/b"),
    ("HTTP://localhost", "it is a URL; write only its path, /"),
    ("/a/:id/{id}", "the variable {id} occurs twice"),
  ])
  func ambiguousSpellingsNameTheOneToUse(template: String, reason: String) {
    #expect {
      try PathTemplate(template)
    } throws: { error in
      guard case .invalidTemplate(template, let found)? = error as? MockServerError else {
        return false
      }
      return found.hasPrefix(reason)
    }
  }

  @Test func aPatternIsAPathNotAURL() {
    let error = RequestPattern.get("HTTP://localhost/boards").validationError
    #expect(
      error.map { "\($0)" }
        == #"the route "HTTP://localhost/boards" is malformed: it is a URL; "#
        + "write only its path, /boards")
  }

  @Test func anErrorInAStubFileHasItsLineAndColumn() throws {
    let folder = TemporaryFolder()
    let file = folder.url("stubs.json")
    try Data("{\"routes\": [\n  {\"path\": \"/a/:id\"},\n  {\"path\": \"/b/*\"}\n]}".utf8)
      .write(to: file)
    #expect {
      try StubFile(contentsOf: file)
    } throws: { error in
      "\(error)".contains(
        "stubs.json:3:12: routes[1].path: expected a path, such as \"/boards/{id}\", found \"/b/*\": "
          + "* is ambiguous: write {name}")
    }
  }

  @Test func anIdentifierOccursOnceInAllStubFiles() throws {
    let folder = TemporaryFolder()
    let file = folder.url("stubs.json")
    try Data(
      "{\"routes\": [{\"path\": \"/a\", \"id\": \"x\"},\n{\"path\": \"/b\", \"id\": \"x\"}]}".utf8
    ).write(to: file)
    #expect {
      try StubFile(contentsOf: file)
    } throws: { error in
      "\(error)".contains("stubs.json:2:22: routes[1].id: another route has the id \"x\"")
    }
  }

  /// A mark after a slash is a part of the same `Character`.
  @Test(arguments: ["/\u{301}", "/\u{1F3FB}x", "/a/\u{301}b"])
  func aSegmentMayBeginWithACombiningMark(_ path: String) throws {
    let table = try RouteTable([Route(.get, path, .status(200))])
    let target = path.unicodeScalars.split(separator: "/")
      .map { "/" + (String($0).addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "") }
      .joined()
    guard case .routes = table.find(.get, target) else {
      Issue.record("\(path) does not match \(target)")
      return
    }
  }

  @Test func aRecordedPathMatchesOnlyItself() throws {
    for path in ["/a/:id", "/a/*", "/a/[id]", "/**", "/a:b", "/<x>"] {
      let table = try RouteTable([Route(.get, PathTemplate.escaping(path), .status(200))])
      guard case .routes = table.find(.get, path) else {
        Issue.record("\(path) does not match itself")
        continue
      }
      guard case .unmatched = table.find(.get, "/a/other") else {
        Issue.record("\(path) matches another path")
        continue
      }
    }
  }
}
