import Foundation
import Networking
import Testing

/// Ten thousand of each, always the same ones: nothing traps, and what comes out reads back.
@Suite(.timeLimit(.minutes(5)))
struct RandomRequests {
  private let pieces = [
    "a", "Z9", "/", "?", "#", "%", "%2F", "..", ".", " ", "+", "&", "=", "ü", "😀", "\u{0}", "\r\n",
    "\"", "\\", "[", "]", "{", "@", ":", "://", "//", ";", "~", "e\u{301}", "\u{FFFD}", "https",
  ]

  @Test func pathsReadBackAsTheirSegments() throws {
    var random = SeededGenerator(seed: 1)
    let builder = RequestBuilder(baseURL: try BaseURL(host: "h", path: "v1"), headers: [:])
    for _ in 0..<10_000 {
      let (first, second) = (text(&random), text(&random))
      let value = text(&random)
      let request = Request.get("a/\(first)/b/\(second)?q=\(value)")
      let refused = [first, second].contains { ["", ".", ".."].contains($0) }
      guard let url = try? builder.build(request).url else {
        #expect(refused)
        continue
      }
      #expect(!refused)
      let parts = try #require(URLComponents(url: url, resolvingAgainstBaseURL: false))
      let segments = parts.percentEncodedPath.split(separator: "/").map {
        $0.removingPercentEncoding
      }
      #expect(segments.map { $0.map(scalars) } == ["v1", "a", first, "b", second].map(scalars))
      #expect(parts.queryItems?.map { $0.value.map(scalars) } == [scalars(value)])
      #expect(parts.host == "h")
    }
  }

  @Test func rawPathsAreRefusedOrReadBack() throws {
    var random = SeededGenerator(seed: 2)
    let builder = RequestBuilder(baseURL: try BaseURL(host: "h", path: "v1"), headers: [:])
    var built = 0
    for _ in 0..<10_000 {
      let raw = text(&random)
      do {
        let url = try builder.build(.get("\(raw: raw)")).url
        #expect(URLComponents(url: url, resolvingAgainstBaseURL: false)?.host?.isEmpty == false)
        built += 1
      } catch let error as NetworkError {
        #expect(error.code == .invalidURL)
      }
    }
    #expect(built > 100)
  }

  @Test func headersAreRefusedOrSentAsTheyAre() throws {
    var random = SeededGenerator(seed: 3)
    let builder = RequestBuilder(baseURL: try BaseURL(host: "h"), headers: [:])
    for _ in 0..<10_000 {
      let (name, value) = ("X" + text(&random), text(&random))
      do {
        let headers = try builder.build(.get("a", headers: [name: value])).headers
        #expect(headers.fields == [HTTPHeaders.Field(name: name, value: value)])
        #expect(!value.unicodeScalars.contains { "\r\n\0".unicodeScalars.contains($0) })
      } catch let error as NetworkError {
        #expect(error.code == .invalidHeader)
      }
    }
  }

  @Test func treesReadBackByJSONSerializationAndFromStorage() throws {
    var random = SeededGenerator(seed: 4)
    let builder = RequestBuilder(baseURL: try BaseURL(host: "h"), headers: [:])
    for number in 0..<10_000 {
      let tree: Parameters = ["root": self.tree(&random, depth: 4)]
      let request = Request.post("a", parameters: tree)
      guard case .data(let body) = try builder.build(request).body else { throw Wrong() }
      _ = try JSONSerialization.jsonObject(with: body)
      #expect(try JSON(parsing: body) == json(tree), "\(String(decoding: body, as: UTF8.self))")
      for type in [ContentType.query, .formURLEncoded, .multipartFormData] {
        _ = try builder.build(.post("a", parameters: tree, contentType: type))
      }
      if number % 10 == 0 {
        let data = try JSONEncoder().encode(request)
        #expect(try JSONDecoder().decode(Request.self, from: data) == request)
      }
    }
  }

  private struct Wrong: Error {}

  private func text(_ random: inout SeededGenerator) -> String {
    (0..<Int.random(in: 0..<5, using: &random)).map { _ in
      pieces.randomElement(using: &random) ?? ""
    }.joined()
  }

  /// Strings are equal in Swift when they are canonically; here their scalars count.
  private func scalars(_ text: String) -> [UInt32] { text.unicodeScalars.map(\.value) }

  private func tree(_ random: inout SeededGenerator, depth: Int) -> Parameters {
    switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &random) {
    case 0: return nil
    case 1: return .bool(.random(using: &random))
    case 2: return .int(.random(in: .min ... .max, using: &random))
    case 3: return .double(.random(in: -1e9...1e9, using: &random) + 0.123)
    case 4: return .double(Double(bitPattern: random.next() & 0x7FEF_FFFF_FFFF_FFFF))
    case 5: return .string(text(&random))
    case 6:
      return .array(
        (0..<Int.random(in: 0..<5, using: &random)).map { _ in tree(&random, depth: depth - 1) })
    default:
      var parameters: Parameters = [:]
      for _ in 0..<Int.random(in: 0..<5, using: &random) {
        parameters[text(&random)] = tree(&random, depth: depth - 1)
      }
      return parameters
    }
  }

  /// The tree as it comes back.
  private func json(_ tree: Parameters) -> JSON {
    switch tree {
    case .null: .null
    case .bool(let value): .bool(value)
    case .int(let value): .int(value)
    case .double(let value): .double(value)
    case .decimal(let value): .decimal(value)
    case .string(let value): .string(value)
    case .data(let value): .string(value.base64EncodedString())
    case .array(let values): .array(values.map(json))
    case .dictionary(let members):
      .dictionary(Dictionary(members.map { ($0.name, json($0.value)) }) { _, last in last })
    }
  }
}

/// A generator that gives the same numbers for the same seed.
///
/// Source: Steele, Lea, Flood: Fast splittable pseudorandom number generators (SplitMix64).
private struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
