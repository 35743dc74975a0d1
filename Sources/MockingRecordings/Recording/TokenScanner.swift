import CatenaSystem
import Foundation
import Mocking
import Networking

/// A scanner of recorded exchanges for values that look like tokens and do not have a secret name.
struct TokenScanner {
  let isAllowed: @Sendable (SuspectedToken) -> Bool
  /// The locations of the tokens that are not allowed.
  private(set) var paths: [String] = []

  init(isAllowed: @escaping @Sendable (SuspectedToken) -> Bool) {
    self.isAllowed = isAllowed
  }

  /// Scans an exchange.
  ///
  /// - Parameters:
  ///   - entry: The exchange.
  ///   - index: Its index in the recording.
  mutating func scan(through entry: HAR.Entry, at index: Int) {
    let root = "log.entries[\(index)]"
    let (request, response) = (entry.request, entry.response)
    scan(at: FormURLCoding.decode(request.url, false), "\(root).request.url", name: "")
    scan(through: request.headers, "\(root).request.headers")
    if let body = request.postData {
      let data =
        body.encoding == nil
        ? nil : HARBodyCoding.decode(body.content, encoding: body.encoding, mimeType: body.mimeType)
      scan(at: body.content, data, body.mimeType, "\(root).request.postData.text")
    }
    scan(through: response.headers, "\(root).response.headers")
    let content = response.content
    scan(
      at: content.text ?? "", content.encoding == nil ? nil : content.data, content.mimeType,
      "\(root).response.content.text")
    scan(at: response.errorDetail ?? "", "\(root).response._errorDetail", name: "")
  }

  private mutating func scan(through headers: [HAR.Field], _ place: String) {
    for field in headers where !Self.identifierFieldNames.contains(field.name.lowercased()) {
      scan(
        at: FormURLCoding.decode(field.value, false), "\(place)[\(field.name)]", name: field.name)
    }
  }

  /// Fields whose values may be random but are not secret.
  private static let identifierFieldNames: Set<String> = [
    "etag", "if-match", "if-none-match", "if-range", "content-md5", "digest", "content-digest",
    "repr-digest", "want-digest", "traceparent", "tracestate", "x-request-id", "x-correlation-id",
    "x-trace-id", "x-amz-request-id", "x-amz-id-2", "x-amzn-requestid", "x-amzn-trace-id", "cf-ray",
    "x-b3-traceid", "x-b3-spanid", "sec-websocket-key", "sec-websocket-accept",
    "content-security-policy", "content-security-policy-report-only", "www-authenticate",
    "proxy-authenticate", "authentication-info", "content-type", "user-agent", "idempotency-key",
  ]

  private mutating func scan(at text: String, _ bytes: Data?, _ mimeType: String, _ place: String) {
    if let bytes {
      // The body is binary, but may contain text.
      let tokens = bytes.withUnsafeBytes { TokenDetector.tokens(in: $0.bindMemory(to: UInt8.self)) }
      return note(tokens, place, name: "")
    }
    if let json = try? JSON(parsing: Data(text.utf8)) {
      switch json {
      case .array, .dictionary:
        var place = Place(root: place)
        return scan(at: json, &place, name: "")
      default: break
      }
    }
    let type = MediaType(mimeType)
    var text = text
    if let boundary = type?.parameters["boundary"], !boundary.isEmpty {
      text = TextOccurrences(of: boundary, in: text).pieces.joined()
    }
    if type?.description == "application/x-www-form-urlencoded" {
      text = FormURLCoding.decode(text)
    }
    scan(at: text, place, name: "")
  }

  /// The place of a value in a JSON text, whose description is made only if it is reported.
  private struct Place {
    let root: String
    /// The steps to the value, such as `boards`, `.*` and `[0]`.
    var steps: [String] = []

    var description: String { steps.isEmpty ? root : "\(root): \(path)" }

    var path: String {
      steps.reduce(into: "") { path, step in
        let isMember = !step.hasPrefix("[") && !step.hasPrefix(".")
        path += isMember && !path.isEmpty ? ".\(step)" : step
      }
    }
  }

  private mutating func scan(at json: JSON, _ place: inout Place, name: String) {
    switch json {
    case .string(let text): scan(at: text, place.description, name: name)
    case .array(let values):
      for (index, value) in values.enumerated() {
        place.steps.append("[\(index)]")
        scan(at: value, &place, name: name)
        place.steps.removeLast()
      }
    case .dictionary(let members):
      for (member, value) in members.sorted(by: { $0.key < $1.key }) {
        let isToken = !TokenDetector.tokens(in: member).isEmpty
        // The name of the member looks like a token, so the location must not contain it.
        if isToken { note([member], "\(place.root): \(place.path)", name: name) }
        place.steps.append(isToken ? ".*" : member)
        scan(at: value, &place, name: isToken ? "" : member)
        place.steps.removeLast()
      }
    case .null, .bool, .int, .double, .decimal: break
    }
  }

  private mutating func scan(
    at text: String, _ place: @autoclosure () -> String, name: String
  ) {
    // A token or a key has at least so many characters.
    guard text.utf8.count >= 16 else { return }
    if text.contains("PRIVATE KEY-----") { note(["PRIVATE KEY"], place(), name: name) }
    guard text.utf8.count >= 20 else { return }
    note(TokenDetector.tokens(in: Self.withoutContent(text)), place(), name: name)
  }

  private mutating func note(
    _ tokens: [String], _ place: @autoclosure () -> String, name: String
  ) {
    guard !tokens.isEmpty else { return }
    let place = place()
    for token in tokens
    where !(Self.isHashName(name) && token.utf8.allSatisfy { $0.hexDigitValue != nil }) {
      guard paths.last != place else { continue }
      if !isAllowed(SuspectedToken(place: place, name: name, value: token)) { paths.append(place) }
    }
  }

  /// Returns whether hexadecimal values of a name are probably hashes or identifiers.
  private static func isHashName(_ name: String) -> Bool {
    let name = name.lowercased()
    return name.hasSuffix("id")
      || ["hash", "sha", "md5", "digest", "checksum", "etag", "fingerprint", "commit", "revision"]
        .contains { name.contains($0) }
  }

  /// Returns a text without the content of `data:` URLs and without subresource integrity hashes.
  private static func withoutContent(_ text: String) -> String {
    var text = text
    let kept = text.withUTF8 { bytes -> [UInt8]? in
      var (kept, keptEnd, position) = ([UInt8](), 0, 0)
      while position < bytes.count {
        if let end = endOfContent(at: position, of: bytes) {
          kept += bytes[keptEnd..<position]
          (keptEnd, position) = (end, end)
        } else {
          position += 1
        }
      }
      return keptEnd == 0 ? nil : kept + bytes[keptEnd...]
    }
    return kept.map { String(decoding: $0, as: UTF8.self) } ?? text
  }

  /// Returns the end of a `data:` URL or a hash that starts at a position.
  ///
  /// `nil` if there is none.
  ///
  /// The time is linear over a whole text: a media type ends before the next `:`.
  private static func endOfContent(
    at start: Int, of bytes: UnsafeBufferPointer<UInt8>
  ) -> Int? {
    func end(of text: StaticString, at position: Int) -> Int? {
      text.withUTF8Buffer { bytes[position...].starts(with: $0) ? position + $0.count : nil }
    }
    func end(from position: Int, while isPart: (UInt8) -> Bool) -> Int? {
      let end = bytes[position...].firstIndex { !isPart($0) } ?? bytes.count
      return end > position ? end : nil
    }
    func base64End(from position: Int) -> Int? {
      end(from: position) { $0.isASCIIAlphanumeric || "+/=".utf8.contains($0) }
    }
    switch bytes[start] {
    case UInt8(ascii: "d"):
      return end(of: "data:", at: start)
        .flatMap { end(from: $0) { $0.isASCIIAlphanumeric || "_/.+-".utf8.contains($0) } }
        .flatMap { end(of: ";base64,", at: $0) }.flatMap(base64End)
    case UInt8(ascii: "s"):
      return ["sha256-", "sha384-", "sha512-"].lazy.compactMap { end(of: $0, at: start) }.first
        .flatMap(base64End)
    default: return nil
    }
  }
}
