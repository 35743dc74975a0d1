import Foundation
import Mocking
import Networking

/// The rules that decide which requests the admin API accepts.
///
/// Three kinds of attacks are refused:
///
/// - A page of another site that sends requests to this server: its `Origin` differs. Without the field,
///   `Sec-Fetch-Site` of a request that is not a GET or HEAD tells that the page is another one.
/// - A page whose host name leads to this machine (DNS rebinding): its `Host` is no loopback address.
///   With a token, all names are accepted, because such a page has no token.
/// - A client on another machine: it has no token.
struct AdminAccess: Sendable {
  /// The root URL of the server.
  let url: URL
  let token: String?

  /// The name of the cookie, which contains the port, because cookies do not depend on ports.
  var cookieName: String { "mock_admin_\(url.port ?? (scheme == "https" ? 443 : 80))" }

  /// Returns a token of 192 random bits from the random source of the system.
  static func randomToken() -> String {
    var random = SystemRandomNumberGenerator()
    let bytes = Data((0..<24).map { _ in UInt8.random(in: .min ... .max, using: &random) })
    return bytes.base64EncodedString()
      .replacing("+", with: "-").replacing("/", with: "_")
  }

  // MARK: Origin

  /// Checks the fields `Host`, `Origin` and `Sec-Fetch-Site`.
  ///
  /// - Throws: ``AdminProblem`` with the status 403.
  func checkOrigin(of request: ReceivedRequest) throws(AdminProblem) {
    let hosts = request.headers.values(for: "Host")
    guard hosts.count == 1, let host = hosts.first?.lowercased(), accepts(host: host) else {
      throw AdminProblem(
        403, "the field Host must be \(authority), localhost or a loopback address")
    }
    let origins = request.headers.values(for: "Origin")
    let isOwn =
      origins.isEmpty
      ? Self.isFromOwnPage(request)
      : origins.map(Self.normalized) == [Self.normalized("\(scheme)://\(host)")]
    guard isOwn else {
      throw AdminProblem(403, "pages of other origins cannot use the admin API")
    }
  }

  /// Returns whether a request without `Origin` can be one of an own page, of the user or of a program.
  ///
  /// A link of another page to the inspector is a GET. Another port of this machine is the same site.
  ///
  /// Source: W3C Fetch Metadata Request Headers, section 2.3.
  private static func isFromOwnPage(_ request: ReceivedRequest) -> Bool {
    if request.method == .get || request.method == .head { return true }
    return request.headers.values(for: "Sec-Fetch-Site").allSatisfy {
      ["same-origin", "none"].contains($0.trimmingOptionalWhitespace.lowercased())
    }
  }

  private func accepts(host: String) -> Bool {
    token != nil || host == authority || CORSPolicy.loopback.allows("http://\(host)")
  }

  private var scheme: String { url.scheme ?? "http" }

  /// The host and the port of the server.
  private var authority: String {
    url.absoluteString.lowercased().replacing("\(scheme)://", with: "", maxReplacements: 1)
  }

  private static func normalized(_ origin: String) -> String {
    let origin = origin.lowercased()
    let port = origin.hasPrefix("https:") ? ":443" : ":80"
    return origin.hasSuffix(port) ? String(origin.dropLast(port.count)) : origin
  }

  // MARK: Token

  /// Checks the token in the field `Authorization` or in the cookie.
  ///
  /// - Throws: ``AdminProblem`` with the status 401.
  func checkToken(of request: ReceivedRequest) throws(AdminProblem) {
    guard let token else { return }
    let fields = request.headers.values(for: "Authorization")
    if fields.count == 1, let field = fields.first {
      let parts = field.split(separator: " ", maxSplits: 1)
      if parts.count == 2, parts[0].lowercased() == "bearer",
        Self.isEqual(String(parts[1]).trimmingOptionalWhitespace, token)
      {
        return
      }
    }
    let cookies = request.cookies.values(for: cookieName)
    guard !cookies.contains(where: { Self.isEqual($0, token) }) else { return }
    throw Self.unauthorized
  }

  /// Returns the response to a request for the page whose query has the parameter `token`: a redirect
  /// to the address without it, which sets a cookie.
  ///
  /// - Returns: The response, or `nil` if the query has no token.
  /// - Throws: ``AdminProblem`` with the status 401 for a wrong token.
  func signIn(_ request: ReceivedRequest) throws(AdminProblem) -> ReservedPathResponse? {
    let given = request.query.values(for: "token")
    guard !given.isEmpty else { return nil }
    let query = RequestTarget(request.target)?.query ?? ""
    let rest = query.split(separator: "&").filter { item in
      RequestQuery(item).items.first?.name != "token"
    }
    let suffix = rest.isEmpty ? "" : "?" + rest.joined(separator: "&")
    var response = ReservedPathResponse.redirect(to: AdminAPI.path + suffix, status: 303)
    guard let token else { return response }
    guard given.count == 1, Self.isEqual(given[0], token) else { throw Self.unauthorized }
    response.mock.headers["Set-Cookie"] =
      "\(cookieName)=\(token); Path=\(AdminAPI.path); HttpOnly; SameSite=Strict"
      + (scheme == "https" ? "; Secure" : "")
    return response
  }

  private static var unauthorized: AdminProblem {
    var problem = AdminProblem(
      401, "the admin API needs the token that the server printed: Authorization: Bearer TOKEN")
    problem.headers = ["WWW-Authenticate": "Bearer realm=\"mock-server\""]
    return problem
  }

  /// Returns whether two texts are equal, in a time that depends only on their lengths.
  static func isEqual(_ given: String, _ secret: String) -> Bool {
    let (given, secret) = (Array(given.utf8), Array(secret.utf8))
    var difference = given.count ^ secret.count
    for index in secret.indices {
      let byte = index < given.count ? given[index] : 0
      difference |= Int(byte ^ secret[index])
    }
    return difference == 0
  }
}
