import Foundation
import Networking
import TestGate
import Testing

@testable import NetworkingTracing

/// The template of a path, from the values that are interpolated into it.
@Suite(.gated)
struct URLTemplateTests {
  private static let id = "7"

  @Test(
    arguments: [
      ("boards", "boards"), ("/boards/", "/boards/"), ("boards/\(id)", "boards/{}"),
      ("/boards/\(id)/cards/\(id)", "/boards/{}/cards/{}"), ("\(id)", "{}"),
      ("boards/\(id).json", "boards/{}"), ("\(id)-\(id)/a", "{}/a"), ("a/\("x/y?z")/b", "a/{}/b"),
      ("boards?owner=\(id)", "boards"), ("boards/\(id)?a=/b/\(id)/\(id)", "boards/{}"),
      ("http://api.test/boards/\(id)", "/boards/{}"), ("http://api.test", "/"),
      ("boards/\(raw: "7")", nil), ("\(raw: "a/b")/\(id)", nil),
      (RequestPath(raw: "boards/7"), nil),
      (.url(URL(string: "http://api.test/boards/7")!), nil), ("", ""),
    ] as [(RequestPath, String?)])
  func aTemplateHasNoValues(path: RequestPath, template: String?) {
    #expect(path.template == template)
  }

  @Test func aPathWithManySegmentsHasNoWrongTemplate() {
    let long = String(repeating: "a/", count: 60)
    var interpolation = RequestPath.StringInterpolation(literalCapacity: 0, interpolationCount: 0)
    interpolation.appendLiteral(long)
    interpolation.appendInterpolation("secret")
    #expect(RequestPath(stringInterpolation: interpolation).template == long + "{}")
    interpolation.appendLiteral("/a/a/")
    interpolation.appendInterpolation("secret")
    #expect(RequestPath(stringInterpolation: interpolation).template == nil)
  }

  @Test func theValuesAreNoPartOfThePath() throws {
    let (path, raw) = ("boards/\(Self.id)" as RequestPath, RequestPath(raw: "boards/7"))
    #expect(path == raw && path.hashValue == raw.hashValue)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    #expect(try encoder.encode(path) == encoder.encode(raw))
    #expect(String(decoding: try encoder.encode(path), as: UTF8.self) == #"{"text":"boards\/7"}"#)
    let decoded = try JSONDecoder().decode(RequestPath.self, from: encoder.encode(path))
    #expect(decoded == path && decoded.template == nil)
  }
}
