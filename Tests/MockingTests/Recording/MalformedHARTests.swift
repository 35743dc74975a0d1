import Foundation
import Networking
import TestSupport
import Testing

@testable import Mocking

@Suite struct MalformedHARTests {
  static let archive = """
    {
      "log": {
        "version": "1.2", "creator": {"name": "x", "version": "1"},
        "entries": [
          {
            "startedDateTime": "2026-01-01T00:00:00.000Z", "time": 1, "cache": {},
            "request": {
              "method": "GET", "url": "https://a.test/", "httpVersion": "HTTP/1.1",
              "cookies": [], "headers": [], "queryString": [], "headersSize": -1, "bodySize": 0
            },
            "response": {
              "status": 200, "statusText": "OK", "httpVersion": "HTTP/1.1", "cookies": [],
              "headers": [], "content": {"size": 0, "mimeType": "text/plain"},
              "redirectURL": "", "headersSize": -1, "bodySize": 0
            },
            "timings": {"send": 0, "wait": 1, "receive": 0}
          }
        ]
      }
    }
    """

  struct Wrong: Sendable, CustomTestStringConvertible {
    let name: String
    let text: String
    let line: Int
    let column: Int
    let path: String
    let problem: String
    var testDescription: String { name }

    init(
      _ name: String, _ text: String, _ line: Int, _ column: Int, _ path: String, _ problem: String
    ) {
      (self.name, self.text) = (name, text)
      (self.line, self.column, self.path, self.problem) = (line, column, path, problem)
    }

    /// The archive with something else in it.
    init(
      _ name: String, _ old: String, to new: String, _ line: Int, _ column: Int, _ path: String,
      _ problem: String
    ) {
      self.init(name, archive.replacing(old, with: new), line, column, path, problem)
    }
  }

  static let wrong = [
    Wrong("empty", "", 1, 1, "", "expected JSON: the file ends too soon"),
    Wrong("cut off", "{\"log\":\n {\"ver", 2, 7, "", "expected JSON: the file ends too soon"),
    Wrong("a stray comma", "{\"log\":\n  [1,,2]}", 2, 6, "", "expected JSON: invalid value"),
    Wrong(
      "a stray comma behind other letters", "{\"é\":\n  [\"é\",,2]}", 2, 8, "",
      "expected JSON: invalid value"),
    Wrong("no log", "{}", 1, 1, "", "expected a member \"log\", found none"),
    Wrong("an array", "\n[1]", 2, 1, "", "expected an object, found an array"),
    Wrong(
      "another version", "\"1.2\"", to: "\"3.0\"", 3, 16, "log.version",
      "expected 1.2, found \"3.0\""),
    Wrong(
      "no method", #""method": "GET", "#, to: "", 7, 20, "log.entries[0].request",
      "expected a member \"method\", found none"),
    Wrong(
      "no date", #""startedDateTime": "2026-01-01T00:00:00.000Z", "#, to: "", 5, 7,
      "log.entries[0]", "expected a member \"startedDateTime\", found none"),
    Wrong(
      "a status that is text", "200", to: "\"200\"", 12, 21, "log.entries[0].response.status",
      "expected a whole number, found a string"),
    Wrong(
      "a status out of range", "200", to: "42", 12, 21, "log.entries[0].response.status",
      "expected a status of three digits, or 0"),
    Wrong(
      "headers that are null", #""headers": [], "queryString""#,
      to: #""headers": null, "queryString""#, 9, 37, "log.entries[0].request.headers",
      "expected an array, found null"),
    Wrong(
      "a URL that is a number", "\"https://a.test/\"", to: "7", 8, 35,
      "log.entries[0].request.url", "expected a string, found a number"),
    Wrong(
      "a wrong date", "2026-01-01T00:00:00.000Z", to: "yesterday", 6, 28,
      "log.entries[0].startedDateTime", "expected a date and time in ISO 8601"),
    Wrong(
      "a wrong method", "GET", to: "GET /", 8, 21, "log.entries[0].request.method",
      "expected a method, such as GET"),
    Wrong(
      "an empty method", "GET", to: "", 8, 21, "log.entries[0].request.method",
      "expected a method, such as GET"),
    Wrong(
      "a wait without end", "\"wait\": 1", to: "\"wait\": 1e300", 16, 20,
      "log.entries[0].timings", "expected times of at most a day"),
    Wrong(
      "a wait of more than a day", "\"wait\": 1", to: "\"wait\": 86400001", 16, 20,
      "log.entries[0].timings", "expected times of at most a day"),
    Wrong(
      "a relative URL", "https://a.test/", to: "/boards", 8, 35, "log.entries[0].request.url",
      "expected an absolute URL"),
    Wrong(
      "a body that is no base64", #""mimeType": "text/plain""#,
      to: #""mimeType": "text/plain", "encoding": "base64", "text": "%%%""#, 13, 105,
      "log.entries[0].response.content.text", "expected base64, because encoding is base64"),
  ]

  @Test(arguments: wrong)
  func aMalformedFileIsOneErrorThatNamesTheLine(_ wrong: Wrong) throws {
    let folder = try TapeFolder()
    let file = try folder.file("wrong.har", holding: wrong.text)
    let expected = RecordingError.malformed(
      file: file, line: wrong.line, column: wrong.column, path: wrong.path, problem: wrong.problem)
    #expect(throws: expected) { try HAR(contentsOf: file) }
    #expect(throws: expected) { try Tape(replaying: file) }
    #expect(throws: expected) { try StubFile(contentsOf: file) }
  }

  @Test func theMessageIsAsCompilersSayIt() throws {
    let file = URL(fileURLWithPath: "/a/b.har")
    let place = RecordingError.malformed(
      file: file, line: 8, column: 33, path: "log.entries[0].request.url", problem: "expected x")
    #expect(
      "\(place)"
        == "/a/b.har:8:33: not an HTTP archive: log.entries[0].request.url: expected x")
    let syntax = RecordingError.malformed(
      file: file, line: 1, column: 2, path: "", problem: "expected JSON: y")
    #expect("\(syntax)" == "/a/b.har:1:2: not an HTTP archive: expected JSON: y")
  }
}
