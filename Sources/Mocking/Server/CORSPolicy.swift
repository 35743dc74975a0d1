import Foundation
import Networking

/// The web pages that may read the responses of a ``MockServer``, by cross-origin resource sharing
/// (CORS).
///
/// ```swift
/// let server = try MockServer(cors: .loopback) {
///   Route(.get, "/boards", .json([]))
/// }
/// ```
///
/// - **Responses** to a page of an allowed origin have `Access-Control-Allow-Origin` with this origin,
///   `Access-Control-Allow-Credentials`, and `Access-Control-Expose-Headers` with the names of all
///   fields of the response. This includes the responses that no route makes, such as a 404, 405 or
///   413. All responses have `Vary: Origin`.
/// - **Preflight requests** receive a 204 that allows the requested method, the requested header fields,
///   credentials, and requests from a public page to this machine. No route has to exist for them.
///   They are not in the journal, use no enqueued mock, and are reported to `onExchange`.
/// - **Precedence.** A response that sets `Access-Control-Allow-Origin` itself is not changed, except for
///   `Vary`. A route for the method `OPTIONS` responds to preflight requests for its path. The fields
///   of forwarded and recorded responses are replaced, because they refer to the pages of another
///   server. Recorded preflight requests are not replayed.
/// - **Other origins.** The request is served without these fields, so that the browser does not show
///   the response to the page. A client that is not a browser is not affected.
///
/// Source: Fetch Standard, section 3.2; Private Network Access.
public struct CORSPolicy: Sendable, Hashable {
  private enum Kind: Hashable {
    case off
    case loopback
    case origins(Set<String>)
    case all
  }

  private let kind: Kind

  /// No page of another origin may read the responses.
  ///
  /// The server adds no field and has no special response to preflight requests.
  public static let off = CORSPolicy(kind: .off)

  /// Pages of this machine may read the responses: `http` and `https` on `localhost`, its subdomains,
  /// `127.0.0.0/8` and `[::1]`, on any port.
  public static let loopback = CORSPolicy(kind: .loopback)

  /// Returns a policy with a list of origins.
  ///
  /// - Parameter origins: The origins, such as `https://app.example.com`, without a path. `*` is every
  ///   origin, with credentials. `null` is the origin of local files and sandboxed frames.
  /// - Returns: The policy.
  public static func origins(_ origins: [String]) -> CORSPolicy {
    origins.contains("*")
      ? CORSPolicy(kind: .all) : CORSPolicy(kind: .origins(Set(origins.map(normalized))))
  }

  /// Returns whether pages of an origin may read the responses.
  ///
  /// - Parameter origin: The value of an `Origin` field.
  /// - Returns: `true` if they may.
  public func allows(_ origin: String) -> Bool {
    switch kind {
    case .off: false
    case .loopback: Self.isLoopback(origin)
    case .origins(let origins): origins.contains(Self.normalized(origin))
    case .all: !origin.isEmpty && origin.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
  }

  // MARK: Origins

  /// Returns an origin in lowercase, without a slash at the end and without the default port.
  private static func normalized(_ origin: String) -> String {
    var origin = origin.lowercased()
    if origin.hasSuffix("/") { origin.removeLast() }
    for (scheme, port) in [("https://", ":443"), ("http://", ":80")]
    where origin.hasPrefix(scheme) && origin.hasSuffix(port) {
      origin.removeLast(port.count)
    }
    return origin
  }

  private static func isLoopback(_ origin: String) -> Bool {
    let origin = origin.lowercased()
    guard let scheme = ["http://", "https://"].first(where: { origin.hasPrefix($0) }) else {
      return false
    }
    let authority = origin.dropFirst(scheme.count)
    let host: Substring
    let rest: Substring
    if authority.hasPrefix("[") {
      guard let end = authority.firstIndex(of: "]") else { return false }
      (host, rest) = (authority[...end], authority[authority.index(after: end)...])
    } else {
      let end = authority.firstIndex(of: ":") ?? authority.endIndex
      (host, rest) = (authority[..<end], authority[end...])
    }
    let isPort =
      rest.isEmpty
      || rest.first == ":" && (1...5).contains(rest.count - 1)
        && rest.dropFirst().utf8.allSatisfy { (0x30...0x39).contains($0) }
    return isPort && (host == "[::1]" || isLocalName(host) || isLoopbackAddress(host))
  }

  /// Source: RFC 6761 section 6.3.
  private static func isLocalName(_ host: Substring) -> Bool {
    host == "localhost"
      || host.hasSuffix(".localhost") && host.first != "."
        && host.utf8.allSatisfy {
          $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
        }
  }

  private static func isLoopbackAddress(_ host: Substring) -> Bool {
    let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
    return numbers.count == 4 && numbers[0] == "127"
      && numbers.allSatisfy { number in
        (1...3).contains(number.count) && number.utf8.allSatisfy { (0x30...0x39).contains($0) }
          && UInt8(number) != nil
      }
  }
}

// MARK: - Responses

extension CORSPolicy {
  /// Returns the response to a preflight request of an allowed origin, or `nil` for another request.
  ///
  /// - Parameter head: The head of the request.
  /// - Returns: The response. ``apply(to:for:)`` adds the fields that all responses have.
  func preflightResponse(to head: RequestHead) -> Mock? {
    guard kind != .off, head.method == .options, allowedOrigin(of: head) != nil,
      let method = head.headers["Access-Control-Request-Method"], method.isToken
    else { return nil }
    let methods = Self.methods.contains(method) ? Self.methods : Self.methods + [method]
    var headers: HTTPHeaders = ["Access-Control-Allow-Methods": methods.joined(separator: ", ")]
    let names = head.headers.values(for: "Access-Control-Request-Headers")
      .flatMap { $0.split(separator: ",") }.map { $0.trimmingCharacters(in: .whitespaces) }
      .filter(\.isToken)
    if !names.isEmpty {
      headers["Access-Control-Allow-Headers"] = names.joined(separator: ", ")
    }
    if head.headers["Access-Control-Request-Private-Network"] == "true" {
      headers["Access-Control-Allow-Private-Network"] = "true"
    }
    headers["Access-Control-Max-Age"] = "600"
    headers["Vary"] = "Access-Control-Request-Method, Access-Control-Request-Headers"
    return Mock(status: 204, headers: headers)
  }

  /// Adds the fields that let a page read a response.
  ///
  /// - Parameters:
  ///   - mock: The response. A failure is replaced by the response that a server sends for it.
  ///   - head: The head of the request.
  func apply(to mock: inout Mock, for head: RequestHead) {
    guard kind != .off else { return }
    mock = mock.serverMock
    if mock.relay != nil || mock.isRecorded {
      for name in Self.responseFields { mock.headers.remove(name) }
    }
    let hasOwnPolicy = mock.headers.contains("Access-Control-Allow-Origin")
    if !hasOwnPolicy, let origin = allowedOrigin(of: head) {
      mock.headers["Access-Control-Allow-Origin"] = origin
      addIfMissing("true", for: "Access-Control-Allow-Credentials", to: &mock.headers)
      if head.method != .options || !head.headers.contains("Access-Control-Request-Method") {
        let names = Self.exposedNames(of: mock.headers).joined(separator: ", ")
        addIfMissing(names, for: "Access-Control-Expose-Headers", to: &mock.headers)
      }
    }
    let varying = mock.headers.values(for: "Vary").flatMap { $0.split(separator: ",") }
      .map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
    if !varying.contains("origin"), !varying.contains("*") {
      mock.headers.add("Origin", for: "Vary")
    }
  }

  private func addIfMissing(_ value: String, for name: String, to headers: inout HTTPHeaders) {
    if !headers.contains(name) { headers[name] = value }
  }

  /// Returns the origin of a request if it is allowed.
  private func allowedOrigin(of head: RequestHead) -> String? {
    let origins = head.headers.values(for: "Origin")
    guard origins.count == 1, let origin = origins.first, allows(origin) else { return nil }
    return origin
  }

  /// Returns the names of the fields that a page cannot read unless they are exposed.
  ///
  /// Some names are always included: a browser applies the fields of a 304 to the response in its
  /// cache, which may have further fields.
  private static func exposedNames(of headers: HTTPHeaders) -> [String] {
    var names = ["ETag", "Link", "Location", "X-Total-Count", "X-Next-Cursor", "Date"]
    var known = Set(names.map { $0.lowercased() }).union(safelistedNames)
    for field in headers.fields {
      let name = field.name.lowercased()
      guard !name.hasPrefix("access-control-"), known.insert(name).inserted else { continue }
      names.append(field.name)
    }
    return names
  }

  /// The names that a page can always or never read, in lowercase.
  private static let safelistedNames: Set<String> = [
    "cache-control", "content-language", "content-length", "content-type", "expires",
    "last-modified", "pragma", "set-cookie", "set-cookie2", "vary", "connection",
    "transfer-encoding",
  ]

  private static let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

  private static let responseFields = [
    "Access-Control-Allow-Origin", "Access-Control-Allow-Credentials",
    "Access-Control-Expose-Headers", "Access-Control-Allow-Methods",
    "Access-Control-Allow-Headers", "Access-Control-Allow-Private-Network",
    "Access-Control-Max-Age",
  ]
}
