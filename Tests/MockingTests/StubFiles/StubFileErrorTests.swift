import Foundation
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingRecordings
@testable import MockingStubs

/// An error in a stub file is one message with its location and the expected content.
@Suite(.gated)
struct StubFileErrorTests {
  private static let mistakes: [(text: String, message: String)] = [
    ("", "1:1: expected JSON: the file ends before the JSON is complete"),
    ("{\n  \"routes\": [\n    x\n  ]\n}", "3:5: expected JSON: invalid value"),
    ("{\n  \u{0}\"routes\": []}", "2:3: expected JSON: a NUL byte"),
    ("[]", "1:1: expected an object with a member \"routes\", found an empty array"),
    ("{}", "1:1: expected a member \"routes\", an array"),
    ("{\"routes\": 5}", "1:12: routes: expected an array of routes, found 5"),
    (
      "{\"name\": \"a\", \"version\": \"1\"}",
      "1:1: the file is neither a stub file, an object with a member \"routes\", nor an OpenAPI "
        + "document, an object with a member \"openapi\""
    ),
    (
      "{\"roots\": []}",
      "1:2: roots: unknown key \"roots\"; did you mean \"routes\"?"
    ),
    (
      "{\"routes\": [\n  {\"path\": \"/a\", \"stauts\": 200}\n]}",
      "2:18: routes[0].stauts: unknown key \"stauts\"; did you mean \"status\"?"
    ),
    (
      "{\"routes\": [\n  {\"path\": \"/ä\", \"status\": 99}\n]}",
      "2:28: routes[0].status: expected a status from 200 to 599, found 99"
    ),
    ("{\"routes\": [{}]}", "1:13: routes[0]: expected a member \"path\", such as \"/boards/{id}\""),
    (
      "{\"routes\": [{\"path\": \"http://a/b\"}]}",
      "1:22: routes[0].path: expected a path, such as \"/boards/{id}\", found \"http://a/b\": it is a "
        + "URL; write only its path, /b"
    ),
    (
      "{\"routes\": [{\"path\": \"/\", \"method\": \"get\"}]}",
      "1:37: routes[0].method: expected a method in capitals, such as \"GET\", found \"get\""
    ),
    (
      "{\"routes\": [{\"path\": \"/\", \"delay\": 80}]}",
      "1:36: routes[0].delay: expected a time such as \"80 ms\", {\"from\": ..., \"to\": ...} or "
        + "{\"median\": ..., \"sigma\": ..., \"cap\": ...}, found 80"
    ),
    (
      "{\"routes\": [{\"path\": \"/\", \"delay\": \"80\"}]}",
      "1:36: routes[0].delay: expected a time such as \"80 ms\", \"1.5 s\" or \"2 min\", at most "
        + "one day, found \"80\""
    ),
    (
      "{\"routes\": [{\"path\": \"/\", \"fault\": \"rest\"}]}",
      "1:36: routes[0].fault: expected one of \"close\", \"reset\", \"stall\", \"garbage\", "
        + "\"malformedChunk\", found \"rest\"; did you mean \"reset\"?"
    ),
    (
      "{\"routes\": [{\"path\": \"/\", \"json\": 1, \"text\": \"\"}]}",
      "1:38: routes[0].text: \"text\" cannot be combined with \"json\""
    ),
    (
      "{\"routes\": [{\"path\": \"/\", \"sequence\": [{\"satus\": 1}]}]}",
      "1:41: routes[0].sequence[0].satus: unknown key \"satus\"; did you mean \"status\"?"
    ),
    (
      "{\"routes\": [{\"path\": \"/\", \"sequence\": [{\"zzzzzz\": 1}]}]}",
      "1:41: routes[0].sequence[0].zzzzzz: unknown key \"zzzzzz\"; the nearest of 23 keys: "
        + "base64, delay, events, every, fault; all of them are in the article \"Stub file "
        + "reference\" and in Examples/MockServer/stubs.schema.json"
    ),
    (
      "{\"routes\": [{\"path\": \"/\", \"base64\": \"?\"}]}",
      "1:37: routes[0].base64: expected bytes in base64, found \"?\""
    ),
    (
      "{\"routes\": [{\"path\": \"/\", \"headers\": {\"a b\": \"c\"}}]}",
      "1:39: routes[0].headers[\"a b\"]: expected the name of a header field, found \"a b\""
    ),
    (
      "{\"routes\": [{\"path\": \"/\", \"when\": {\"query\": {\"a\": {\"matches\": \"(\"}}}}]}",
      "1:63: routes[0].when.query.a.matches: expected a regular expression, found \"(\": a ( without "
        + "a ) at character 1"
    ),
    (
      "{\"routes\": [{\"path\": \"/\", \"when\": {\"jsonPath\": {\"user.id\": 1}}}]}",
      "1:49: routes[0].when.jsonPath[\"user.id\"]: expected a JSON path, such as \"$.user.name\", "
        + "found \"user.id\": expected $, as in $.user.name, at character 1"
    ),
    (
      "{\"routes\": [{\"path\": \"/\", \"when\": {\"jsonPath\": {\"$.a\": {\"equal\": 1}}}}]}",
      "1:57: routes[0].when.jsonPath[\"$.a\"].equal: unknown key \"equal\"; did you mean \"equals\"?"
    ),
    (
      "{\"routes\": [{\"path\": \"/\", \"when\": {\"any\": []}}]}",
      "1:43: routes[0].when.any: expected an array of conditions, such as "
        + "[{\"query\": {\"page\": \"2\"}}], found an empty array"
    ),
    (
      "{\"routes\": [{\"path\": \"/\",\n \"when\": {\"not\": {\"any\": [{}, {\"cookies\": "
        + "{\"a\": 1}}]}}}]}",
      "2:49: routes[0].when.not.any[1].cookies.a: expected a string, true, false, "
        + "{\"contains\": a string} or {\"matches\": a regular expression}, found 1"
    ),
    (
      "{\"routes\": [{\"path\": \"/\", \"when\": {\"jsonPath\": {\"$.a[?@.b = 1]\": 1}}}]}",
      "1:49: routes[0].when.jsonPath[\"$.a[?@.b = 1]\"]: expected a JSON path, such as "
        + "\"$.user.name\", found \"$.a[?@.b = 1]\": the operator is unknown; use == at character 10"
    ),
    (
      "{\"routes\": [{\"path\": \"/\", \"when\": {\"variables\": {\"n\": {\"atLeast\": "
        + "\"1\"}}}}]}",
      "1:67: routes[0].when.variables.n.atLeast: expected a number, found \"1\""
    ),
    (
      "{\"routes\": [{\"path\": \"/\", \"when\": {\"variables\": {\"n\": {}}}}]}",
      "1:55: routes[0].when.variables.n: expected a value that is not an object, or an "
        + "object with one of equals, contains, matches, exists, atLeast and atMost, or with both "
        + "of the last two, found an object"
    ),
    (
      "{\"routes\": [{\"path\": \"/\", \"when\": {\"variables\": {\"n\": {\"atLeast\": 2, "
        + "\"atMost\": 1}}}}]}",
      "1:80: routes[0].when.variables.n.atMost: expected a number of at least \"atLeast\", found 1"
    ),
    (
      "{\"routes\": [{\"path\": \"/\", \"when\": {\"parts\": {\"a\": {\"filename\": "
        + "\"b\"}}}}]}",
      "1:52: routes[0].when.parts.a.filename: unknown key \"filename\"; did you mean "
        + "\"fileName\"?"
    ),
    (
      "{\"routes\": [{\"path\": \"/\", \"when\": {\"parts\": {\"a\": {\"fileName\": "
        + "{\"matches\": \"a{2,1}\"}}}}}]}",
      "1:76: routes[0].when.parts.a.fileName.matches: expected a regular expression, found "
        + "\"a{2,1}\": the maximum of the repetition is less than its minimum at character 2"
    ),
    (
      "{\"routes\": [{\"path\": \"/\", \"increment\": {\"n\": 0.5}}]}",
      "1:46: routes[0].increment.n: expected a whole number, found 0.5"
    ),
    (
      "{\"routes\": [{\"path\": \"/\", \"set\": {\"\": 1}}]}",
      "1:35: routes[0].set[\"\"]: expected the name of a variable, found \"\""
    ),
    (
      "{\"routes\": [{\"path\": \"/\", \"set\": {\"a-{{ uuid }}\": 1}}]}",
      "1:35: routes[0].set[\"a-{{ uuid }}\"]: the name of a variable cannot be a template, found "
        + "\"a-{{ uuid }}\""
    ),
    (
      "{\"routes\": [], \"seed\": -1}",
      "1:24: seed: expected a whole number, 0 or more, found -1"
    ),
    (
      "{\"routes\": [], \"defaults\": {\"status\": 500}}",
      "1:29: defaults.status: unknown key \"status\"; known keys: headers, delay, "
        + "bodyDelay, bytesPerSecond, dribble, fault, interim, trailers, rateLimit"
    ),
    (
      "{\"routes\": [{\"path\": \"/\", \"oneOf\": [{\"weight\": -1}]}]}",
      "1:48: routes[0].oneOf[0].weight: expected a number from 0 to 1000000000, found -1"
    ),
    (
      "{\"routes\": [{\"path\": \"/\", \"oneOf\": [{\"weight\": 0}]}]}",
      "1:36: routes[0].oneOf: expected an array with at least one response with a weight above 0, "
        + "found an array"
    ),
    (
      "{\"routes\": [{\"path\": \"/\", \"oneOf\": [{}], \"status\": 200}]}",
      "1:42: routes[0].status: \"status\" cannot be combined with \"oneOf\""
    ),
    (
      "{\"routes\": [], \"defaults\": {\"fault\": {\"type\": \"reset\", \"chance\": 2}}}",
      "1:66: defaults.fault.chance: expected a number from 0 to 1, found 2"
    ),
    (
      "{\"routes\": [{\"path\": \"/\", \"scenario\": {\"name\": \"s\", \"then\": \"done\"}},\n"
        + "{\"path\": \"/\", \"scenario\": {\"name\": \"s\", \"when\": \"dnoe\"}}]}",
      "2:49: routes[1].scenario.when: no route sets the scenario \"s\" to the state \"dnoe\"; "
        + "did you mean \"done\"?"
    ),
  ]

  @Test(arguments: mistakes)
  func anErrorIsReportedWithItsLocation(text: String, message: String) throws {
    let stubs = try StubFixture(text)
    let error = #expect(throws: StubFileError.self) { try StubFile(contentsOf: stubs.file) }
    let description = try #require(error).description
    #expect(description == "\(stubs.file.path):\(message)")
  }

  @Test func aMissingFixtureIsReported() throws {
    let stubs = try StubFixture("{\"routes\": [{\"path\": \"/\", \"file\": \"x.json\"}]}")
    let error = #expect(throws: StubFileError.self) { try StubFile(contentsOf: stubs.file) }
    #expect(
      "\(try #require(error))"
        == "\(stubs.file.path):1:35: routes[0].file: there is no file \"x.json\" in "
        + stubs.folder.url.path)
  }

  @Test func aMissingOrBinaryFileIsReported() throws {
    let folder = TemporaryFolder()
    let missing = folder.url("stubs.json")
    #expect(throws: StubFileError.missing(file: missing)) { try StubFile(contentsOf: missing) }
    try Data([0x7B, 0xFF]).write(to: missing)
    #expect(
      throws: StubFileError.malformed(
        file: missing, line: 1, column: 1, path: "", problem: "expected a text in UTF-8")
    ) { try StubFile(contentsOf: missing) }
    #expect(throws: RecordingError.missing(file: folder.url("a.har"))) {
      try StubFile(contentsOf: folder.url("a.har"))
    }
  }
}
