import Foundation
import Networking

/// Looks through an exchange for what looks like a secret and goes by no telling name.
struct TokenScanner {
  let isAllowed: @Sendable (SuspectedToken) -> Bool
  private(set) var places: [String] = []

  init(isAllowed: @escaping @Sendable (SuspectedToken) -> Bool) {
    self.isAllowed = isAllowed
  }

  /// Looks through the exchange at a position in the recording.
  mutating func look(through entry: HAR.Entry, at index: Int) {
    let root = "log.entries[\(index)]"
    let (request, response) = (entry.request, entry.response)
    look(at: FormURLCoding.decode(request.url, false), "\(root).request.url", name: "")
    look(through: request.headers, "\(root).request.headers")
    if let body = request.postData {
      let data =
        body.encoding == nil
        ? nil : HARBodyCoding.data(body.content, encoding: body.encoding, mimeType: body.mimeType)
      look(at: body.content, data, body.mimeType, "\(root).request.postData.text")
    }
    look(through: response.headers, "\(root).response.headers")
    let content = response.content
    look(
      at: content.text ?? "", content.encoding == nil ? nil : content.data, content.mimeType,
      "\(root).response.content.text")
    look(at: response.errorDetail ?? "", "\(root).response._errorDetail", name: "")
  }

  private mutating func look(through headers: [HAR.Field], _ place: String) {
    for field in headers where !Self.identifiers.contains(field.name.lowercased()) {
      look(at: FormURLCoding.decode(field.value, false), "\(place)[\(field.name)]", name: field.name)
    }
  }

  /// Fields whose values are random by their meaning, and no secrets.
  private static let identifiers: Set<String> = [
    "etag", "if-match", "if-none-match", "if-range", "content-md5", "digest", "content-digest",
    "repr-digest", "want-digest", "traceparent", "tracestate", "x-request-id", "x-correlation-id",
    "x-trace-id", "x-amz-request-id", "x-amz-id-2", "x-amzn-requestid", "x-amzn-trace-id", "cf-ray",
    "x-b3-traceid", "x-b3-spanid", "sec-websocket-key", "sec-websocket-accept",
    "content-security-policy", "content-security-policy-report-only", "www-authenticate",
    "proxy-authenticate", "authentication-info", "content-type", "user-agent", "idempotency-key",
  ]

  private mutating func look(at text: String, _ bytes: Data?, _ mimeType: String, _ place: String) {
    if let bytes {
      // Text within what is none as a whole.
      let tokens = bytes.withUnsafeBytes { TokenDetector.tokens(in: $0.bindMemory(to: UInt8.self)) }
      return note(tokens, place, name: "")
    }
    if let json = try? JSON(parsing: Data(text.utf8)) {
      switch json {
      case .array, .dictionary: return look(at: json, place, "", name: "")
      default: break
      }
    }
    let type = MediaType(mimeType)
    var text = text
    if let boundary = type?.parameters["boundary"], !boundary.isEmpty {
      text = text.replacing(boundary, with: "")
    }
    if type?.description == "application/x-www-form-urlencoded" { text = FormURLCoding.decode(text) }
    look(at: text, place, name: "")
  }

  private mutating func look(at json: JSON, _ place: String, _ path: String, name: String) {
    switch json {
    case .string(let text): look(at: text, path.isEmpty ? place : "\(place): \(path)", name: name)
    case .array(let values):
      for (index, value) in values.enumerated() {
        look(at: value, place, "\(path)[\(index)]", name: name)
      }
    case .dictionary(let members):
      for (member, value) in members.sorted(by: { $0.key < $1.key }) {
        if !TokenDetector.tokens(in: member).isEmpty {
          // The name is the suspect, so it is not named.
          note([member], "\(place): \(path)", name: name)
          look(at: value, place, "\(path).*", name: "")
        } else {
          look(at: value, place, path.isEmpty ? member : "\(path).\(member)", name: member)
        }
      }
    case .null, .bool, .int, .double, .decimal: break
    }
  }

  private mutating func look(at text: String, _ place: String, name: String) {
    if text.contains("PRIVATE KEY-----") { note(["PRIVATE KEY"], place, name: name) }
    guard text.utf8.count >= 20 else { return }
    note(TokenDetector.tokens(in: Self.withoutContent(text)), place, name: name)
  }

  private mutating func note(_ tokens: [String], _ place: String, name: String) {
    for token in tokens
    where !(Self.isHashName(name) && token.utf8.allSatisfy { $0.hexDigitValue != nil }) {
      guard places.last != place else { continue }
      if !isAllowed(SuspectedToken(place: place, name: name, value: token)) { places.append(place) }
    }
  }

  /// Whether a name goes with hashes and identifiers in hexadecimal digits.
  private static func isHashName(_ name: String) -> Bool {
    let name = name.lowercased()
    return name.hasSuffix("id")
      || ["hash", "sha", "md5", "digest", "checksum", "etag", "fingerprint", "commit", "revision"]
        .contains { name.contains($0) }
  }

  /// Without images and the like in `data:` URLs, and hashes that browsers check scripts by.
  private static func withoutContent(_ text: String) -> String {
    guard text.contains("base64,") || text.contains("sha") else { return text }
    return text.replacing(/data:[\w\/.+\-]+;base64,[A-Za-z0-9+\/=]+/, with: "")
      .replacing(/sha(?:256|384|512)-[A-Za-z0-9+\/=]+/, with: "")
  }
}

/// Tells what was made at random, as a key or token is, from what people and programs write.
///
/// A run of letters, digits and `-` `_` `+` `/` `=` looks like a token when all of this holds:
///
/// - it has 20 to 512 letters and digits, and 12 of them at least without a separator between (a slug or
///   a path has shorter words; what is longer is content, such as an image in base64);
/// - letters and digits alternate in 3 places and one in ten, or, with a digit somewhere, capitals stand
///   where no word begins in three of ten (words and camel case change far more seldom than what is
///   random);
/// - it has 3 bits of Shannon's entropy a character or more.
///
/// A run that begins as well-known keys do (`AKIA`, `ghp_`, `sk_live_`, `xoxb-`, ...) needs 16 letters and
/// digits behind that and no more. A UUID and an object identifier of 24 hexadecimal digits are taken for
/// identifiers, and are no tokens.
enum TokenDetector {
  /// The runs in some bytes that look like tokens.
  static func tokens(in bytes: UnsafeBufferPointer<UInt8>) -> [String] {
    var tokens: [String] = []
    var start = 0
    for position in 0...bytes.count where position == bytes.count || !isPart(bytes[position]) {
      // Twenty characters at least have to be there.
      if position - start >= 20 {
        let run = Array(bytes[start..<position])
        if isToken(run) { tokens.append(String(decoding: run, as: UTF8.self)) }
      }
      start = position + 1
    }
    return tokens
  }

  /// The runs in a text that look like tokens.
  static func tokens(in text: String) -> [String] {
    var text = text
    return text.withUTF8 { tokens(in: $0) }
  }

  private static let prefixes = [
    "AKIA", "ASIA", "AIza", "ghp_", "gho_", "ghs_", "ghu_", "github_pat_", "glpat-", "xoxb-",
    "xoxp-",
    "sk_live_", "sk_test_", "rk_live_", "sk-", "npm_", "pypi-", "eyJ",
  ].map { Array($0.utf8) }

  /// What is between quotes, brackets, dots and the like.
  private static func isToken(_ run: [UInt8]) -> Bool {
    let run = trimmed(run)
    if let prefix = prefixes.first(where: { run.starts(with: $0) }) {
      let rest = Shape(run[prefix.count...])
      if rest.alphanumerics >= 16, rest.longestPiece >= 16, rest.hasDigit { return true }
    }
    let shape = Shape(run[...])
    guard (20...512).contains(shape.alphanumerics), shape.longestPiece >= 12 else { return false }
    guard !isUUID(run), !(run.count == 24 && run.allSatisfy { $0.hexDigitValue != nil }) else {
      return false
    }
    let count = shape.alphanumerics
    let alternates = shape.alternations >= 3 && shape.alternations * 10 >= count
    let isMixed = shape.hasDigit && shape.switches * 10 >= 3 * count
    return (alternates || isMixed) && shape.entropy >= 3
  }

  /// What one look over a run finds.
  private struct Shape {
    var alphanumerics = 0
    var longestPiece = 0
    var hasDigit = false
    /// Places where a letter stands beside a digit.
    var alternations = 0
    /// Places where the kind of character changes and no word begins.
    var switches = 0
    var entropy = 0.0

    init(_ run: ArraySlice<UInt8>) {
      var counts = [Int](repeating: 0, count: 128)
      var previous = Kind.separator
      var piece = 0
      for byte in run {
        let kind = Kind(byte)
        if kind == .separator {
          piece = 0
        } else {
          piece += 1
          alphanumerics += 1
          counts[Int(byte & 0x7F)] += 1
          hasDigit = hasDigit || kind == .digit
          longestPiece = max(longestPiece, piece)
          if previous != .separator, previous != kind {
            if previous == .digit || kind == .digit { alternations += 1 }
            if !(previous == .capital && kind == .small) { switches += 1 }
          }
        }
        previous = kind
      }
      let total = Double(max(alphanumerics, 1))
      entropy = counts.reduce(0) { sum, count in
        guard count > 0 else { return sum }
        let share = Double(count) / total
        return sum - share * share.log2
      }
    }
  }

  private enum Kind {
    case small
    case capital
    case digit
    case separator

    init(_ byte: UInt8) {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"): self = .small
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): self = .capital
      case UInt8(ascii: "0")...UInt8(ascii: "9"): self = .digit
      default: self = .separator
      }
    }
  }

  private static func isPart(_ byte: UInt8) -> Bool {
    Kind(byte) != .separator || "-_+/=".utf8.contains(byte)
  }

  private static func trimmed(_ run: [UInt8]) -> [UInt8] {
    // `name=token` is a name and a token; padding at the end belongs to neither.
    let parts = run.split(separator: UInt8(ascii: "="))
    return parts.max { $0.count < $1.count }.map(Array.init) ?? run
  }

  /// Source: RFC 9562 section 4.
  private static func isUUID(_ run: [UInt8]) -> Bool {
    let groups = run.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    return groups.map(\.count) == [8, 4, 4, 4, 12]
      && groups.allSatisfy { $0.allSatisfy { $0.hexDigitValue != nil } }
  }
}

/// A value in a recording that looks like a secret, for the user to judge.
///
/// Descriptions of it do not show the value.
public struct SuspectedToken: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  /// Where it is: `log.entries[3].response.content.text: boards[0].link`.
  public let place: String
  /// The name that goes with the value: of a header field, a parameter or a member; empty where there is
  /// none.
  public let name: String
  /// The value itself.
  public let value: String

  /// Where it is.
  public var description: String { place }

  /// Where it is, and nothing of the value.
  public var customMirror: Mirror { Mirror(self, children: ["place": place, "name": name]) }
}

extension Double {
  /// The logarithm to the base of 2.
  var log2: Double { Foundation.log2(self) }
}
