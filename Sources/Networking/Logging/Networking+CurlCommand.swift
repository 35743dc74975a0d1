import Foundation

extension Networking {
  /// A command for a POSIX shell by which the `curl` tool sends what this client would send for an endpoint.
  ///
  /// ```swift
  /// print(try networking.curlCommand(for: .boards))
  /// ```
  ///
  /// The request is built as for `request(_:progress:file:line:)`, on this thread, with ``beforeEach``,
  /// ``preProcessRequest``, the credentials in force and the cookies kept for its URL. What ``middleware`` and
  /// interceptors do is not in it, and nothing is sent.
  ///
  /// - Parameters:
  ///   - endpoint: what to ask for.
  ///   - redacted: whether secrets are masked; see ``HTTPRequest/curlCommand(redacted:)``.
  /// - Returns: the command, without a line break behind it.
  /// - Throws: what the endpoint throws, what ``preProcessRequest`` throws, and ``NetworkError`` when the request
  ///   cannot be built.
  public func curlCommand(for endpoint: Endpoint, redacted: Bool = true) throws -> String {
    try firstHop(of: endpoint).curlCommand(redacted: redacted)
  }

  /// A command by which the `curl` tool sends what this client would send for an endpoint that was changed on the
  /// spot.
  ///
  /// - Parameters:
  ///   - endpoint: what to ask for.
  ///   - redacted: whether secrets are masked.
  /// - Returns: the same as for the plain endpoint.
  /// - Throws: the same as for the plain endpoint.
  public func curlCommand(
    for endpoint: ModifiedEndpoint<Endpoint>, redacted: Bool = true
  ) throws -> String {
    try firstHop(of: endpoint).curlCommand(redacted: redacted)
  }

  private func firstHop<Asked: RequestConvertible>(of endpoint: Asked) throws -> HTTPRequest {
    let settings = settings.withLock { $0.settings }
    let asked = try endpoint.request
    var request = try plan.wireRequest(
      of: settings.beforeEach?(asked) ?? asked, headers: Asked.headers,
      baseURL: settings.baseURL() ?? Asked.baseURL, preProcess: settings.preProcessRequest)
    if let credentials = settings.credentials {
      request = AuthorizationStage.adding(credentials, to: request)
    }
    return plan.cookies.map { CookieStage(storage: $0).addingCookies(to: request) } ?? request
  }
}
