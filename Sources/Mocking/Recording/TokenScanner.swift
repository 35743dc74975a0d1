import Foundation
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
      case .array, .dictionary: return scan(at: json, place, "", name: "")
      default: break
      }
    }
    let type = MediaType(mimeType)
    var text = text
    if let boundary = type?.parameters["boundary"], !boundary.isEmpty {
      text = text.replacing(boundary, with: "")
    }
    if type?.description == "application/x-www-form-urlencoded" {
      text = FormURLCoding.decode(text)
    }
    scan(at: text, place, name: "")
  }

  private mutating func scan(at json: JSON, _ place: String, _ path: String, name: String) {
    switch json {
    case .string(let text): scan(at: text, path.isEmpty ? place : "\(place): \(path)", name: name)
    case .array(let values):
      for (index, value) in values.enumerated() {
        scan(at: value, place, "\(path)[\(index)]", name: name)
      }
    case .dictionary(let members):
      for (member, value) in members.sorted(by: { $0.key < $1.key }) {
        if !TokenDetector.tokens(in: member).isEmpty {
          // The name of the member looks like a token, so the location must not contain it.
          note([member], "\(place): \(path)", name: name)
          scan(at: value, place, "\(path).*", name: "")
        } else {
          scan(at: value, place, path.isEmpty ? member : "\(path).\(member)", name: member)
        }
      }
    case .null, .bool, .int, .double, .decimal: break
    }
  }

  private mutating func scan(at text: String, _ place: String, name: String) {
    if text.contains("PRIVATE KEY-----") { note(["PRIVATE KEY"], place, name: name) }
    guard text.utf8.count >= 20 else { return }
    note(TokenDetector.tokens(in: Self.withoutContent(text)), place, name: name)
  }

  private mutating func note(_ tokens: [String], _ place: String, name: String) {
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
    guard text.contains("base64,") || text.contains("sha") else { return text }
    return text.replacing(/data:[\w\/.+\-]+;base64,[A-Za-z0-9+\/=]+/, with: "")
      .replacing(/sha(?:256|384|512)-[A-Za-z0-9+\/=]+/, with: "")
  }
}

/// A value in a recording that looks like a secret.
///
/// Its descriptions do not contain the value.
public struct SuspectedToken: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  /// The location of the value, such as `log.entries[3].response.content.text: boards[0].link`.
  public let place: String
  /// The name of the header field or JSON member that contains the value.
  ///
  /// Empty if there is none.
  public let name: String
  /// The value.
  public let value: String

  /// The location of the value.
  public var description: String { place }

  /// A mirror of the location and the name, without the value.
  public var customMirror: Mirror { Mirror(self, children: ["place": place, "name": name]) }
}
