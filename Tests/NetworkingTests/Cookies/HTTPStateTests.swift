import Foundation
import TestGate
import Testing

@testable import Networking

private let httpStateFolder = ProcessInfo.processInfo.environment["CATENA_HTTP_STATE"]
  .map { URL(fileURLWithPath: $0) }

/// The test data of the IETF working group "http-state", which is not a part of this package.
///
/// The tests run if `CATENA_HTTP_STATE` is the path of the folder `tests/data` of
/// https://github.com/abarth/http-state. The data expects RFC 6265, which differs from RFC 6265bis
/// in one case.
@Suite(.gated, .enabled(if: httpStateFolder != nil))
struct HTTPStateTests {
  private struct ParserCase: Decodable {
    struct Pair: Decodable, Equatable {
      let name: String
      let value: String
    }
    let test: String
    let received: [String]
    let sent: [Pair]
    let target: String?

    enum CodingKeys: String, CodingKey {
      case test, received, sent
      case target = "sent-to"
    }
  }

  private struct DateCase: Decodable {
    let test: String
    let expected: String?
  }

  private static func read<Value: Decodable>(_ name: String) throws -> Value {
    let folder = try #require(httpStateFolder)
    let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    let lines = text.split(separator: "\n").filter { !$0.hasPrefix("//") }
    return try JSONDecoder().decode(Value.self, from: Data(lines.joined(separator: "\n").utf8))
  }

  @Test func theParserCasesPass() throws {
    let all: [ParserCase] = try Self.read("parser.json")
    let cases = all.filter { !$0.test.hasPrefix("DISABLED") }
    let home = try #require(URL(string: "http://home.example.org:8888/"))
    var failed: [String] = []
    for example in cases {
      // Some cookies of the data expire in 2019.
      let jar = CookieJar { Date(timeIntervalSince1970: 1_293_840_000) }
      let url = try #require(URL(string: "cookie-parser?\(example.test)", relativeTo: home))
      for field in example.received { jar.set(parsing: field, from: url.absoluteURL) }
      let path = example.target ?? "cookie-parser-result?\(example.test)"
      let target = try #require(URL(string: path, relativeTo: home))
      let sent = jar.cookies(for: target.absoluteURL)
      if sent.map({ ParserCase.Pair(name: $0.name, value: $0.value) }) != example.sent {
        failed.append(example.test)
      }
    }
    #expect(cases.count == 218)
    // An empty Domain that follows another one makes the cookie host-only (RFC 6265bis 5.6.3).
    #expect(failed == ["OPTIONAL_DOMAIN0042"])
  }

  @Test(arguments: [("dates/examples.json", 15), ("dates/bsd-examples.json", 55)])
  func theDateCasesPass(_ name: String, _ count: Int) throws {
    let cases: [DateCase] = try Self.read(name)
    #expect(cases.count == count)
    for example in cases {
      let found = CookieDate.parse(example.test.utf8).map(HTTPDate.text)
      #expect(found == example.expected, "\(example.test)")
    }
  }
}
