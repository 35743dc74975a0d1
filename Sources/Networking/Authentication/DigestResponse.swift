import CatenaSystem
import Foundation

/// The response to a Digest challenge: the value of an `Authorization` field.
///
/// Source: RFC 7616 section 3.4, RFC 2617 section 3.2.2.
struct DigestResponse {
  /// The limit for a body that is hashed, in bytes.
  ///
  /// Hashing takes the time of the thread that sends the request.
  private static let maximumHashedBodySize = 1 << 20

  let username: String
  let password: String
  let challenge: DigestChallenge
  /// The nonce of the client.
  let clientNonce: String
  /// The number of requests with the server's nonce, including this one.
  let count: UInt32

  /// Returns the value of the field for a request.
  ///
  /// - Parameter request: The request.
  /// - Returns: The value, or `nil` if the server requires the hash of a body that is not in memory
  ///   or larger than 1 MiB, or if the value cannot be sent.
  func fieldValue(for request: HTTPRequest) -> String? {
    guard let protection = protection(of: request), let target = Self.target(of: request.url),
      let result = hash(of: request, target, protection)
    else { return nil }
    var fields: [(name: String, value: String)] = []
    func add(_ name: String, _ value: String) { fields.append((name, value)) }
    func quote(_ name: String, _ value: String) { add(name, value.quotedString) }
    if challenge.hashesUsername {
      guard let hash = challenge.algorithm.hash("\(normalized(username)):\(challenge.realm)")
      else { return nil }
      quote("username", hash)
    } else if needsExtendedName {
      add("username*", "UTF-8''\(PercentEncoding.fieldValue.encoded(normalized(username)))")
    } else {
      quote("username", username)
    }
    quote("realm", challenge.realm)
    quote("uri", target)
    if let algorithm = challenge.algorithmName { add("algorithm", algorithm) }
    quote("nonce", challenge.nonce)
    if let name = protection?.rawValue {
      add("nc", nonceCount)
      quote("cnonce", clientNonce)
      add("qop", name)
    }
    quote("response", result)
    if let opaque = challenge.opaque { quote("opaque", opaque) }
    if challenge.hashesUsername { add("userhash", "true") }
    let value = "Digest " + fields.map { "\($0.name)=\($0.value)" }.joined(separator: ", ")
    return HTTPHeaders.isValid(value: value) ? value : nil
  }

  /// The outer value is `nil` if there is no valid response, the inner one for RFC 2069.
  private func protection(of request: HTTPRequest) -> DigestChallenge.Protection?? {
    if challenge.protections.isEmpty { return .some(nil) }
    if challenge.protections.contains(.request) { return .some(.request) }
    switch request.body {
    case .none: return .some(.requestAndBody)
    case .data(let data) where data.count <= Self.maximumHashedBodySize:
      return .some(.requestAndBody)
    case .data, .file, .pieces, .stream: return nil
    }
  }

  private func hash(
    of request: HTTPRequest, _ target: String, _ protection: DigestChallenge.Protection?
  ) -> String? {
    let algorithm = challenge.algorithm
    var secret = algorithm.hash(
      "\(normalized(username)):\(challenge.realm):\(normalized(password))")
    if challenge.isSession, let hash = secret {
      secret = algorithm.hash("\(hash):\(challenge.nonce):\(clientNonce)")
    }
    var action = "\(request.method.rawValue):\(target)"
    if protection == .requestAndBody {
      var body = Data()
      if case .data(let data) = request.body { body = data }
      guard let hash = algorithm.hash(body) else { return nil }
      action += ":\(hash)"
    }
    guard let secret, let actionHash = algorithm.hash(action) else { return nil }
    guard let protection else {
      return algorithm.hash("\(secret):\(challenge.nonce):\(actionHash)")
    }
    return algorithm.hash(
      [secret, challenge.nonce, nonceCount, clientNonce, protection.rawValue, actionHash]
        .joined(separator: ":"))
  }

  private var nonceCount: String { count.hexadecimal(digits: 8) }

  /// Returns a name or a password in the form that the server expects.
  ///
  /// Source: RFC 7616 section 4.
  private func normalized(_ text: String) -> String {
    challenge.isUTF8 ? text.precomposedStringWithCanonicalMapping : text
  }

  /// Whether the name cannot be sent as a quoted string.
  private var needsExtendedName: Bool {
    username.utf8.contains { $0 < 0x20 || $0 == 0x7F || $0 >= 0x80 && challenge.isUTF8 }
  }

  /// Returns the request target of a URL: its path and query.
  ///
  /// Source: RFC 9112 section 3.2.1.
  private static func target(of url: URL) -> String? {
    guard let rest = AbsoluteURLParts(url.absoluteString)?.rest else { return nil }
    let target = rest.utf8.prefix { $0 != UInt8(ascii: "#") }
    return target.first == UInt8(ascii: "/") ? String(target) : "/\(Substring(target))"
  }
}
