import Foundation
import Networking

/// Looks through an exchange for what looks like a secret and goes by no telling name.
struct TokenSearch {
  let isAllowed: @Sendable (SuspectedToken) -> Bool
  private(set) var places: [String] = []

  init(isAllowed: @escaping @Sendable (SuspectedToken) -> Bool) {
    self.isAllowed = isAllowed
  }

  /// Looks through the exchange at a position in the recording.
  mutating func look(through entry: HAR.Entry, at index: Int) {
    let root = "log.entries[\(index)]"
    let (request, response) = (entry.request, entry.response)
    look(at: FormText.decode(request.url, false), "\(root).request.url", name: "")
    look(through: request.headers, "\(root).request.headers")
    if let body = request.postData {
      let data =
        body.encoding == nil
        ? nil : BodyText.data(body.content, encoding: body.encoding, mimeType: body.mimeType)
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
      look(at: FormText.decode(field.value, false), "\(place)[\(field.name)]", name: field.name)
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
      let tokens = bytes.withUnsafeBytes { TokenMeasure.tokens(in: $0.bindMemory(to: UInt8.self)) }
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
    if type?.description == "application/x-www-form-urlencoded" { text = FormText.decode(text) }
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
        if !TokenMeasure.tokens(in: member).isEmpty {
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
    note(TokenMeasure.tokens(in: Self.withoutContent(text)), place, name: name)
  }

  private mutating func note(_ tokens: [String], _ place: String, name: String) {
    for token in tokens
    where !(Self.namesHash(name) && token.utf8.allSatisfy { $0.hexDigitValue != nil }) {
      guard places.last != place else { continue }
      if !isAllowed(SuspectedToken(place: place, name: name, value: token)) { places.append(place) }
    }
  }

  /// Whether a name goes with hashes and identifiers in hexadecimal digits.
  private static func namesHash(_ name: String) -> Bool {
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
