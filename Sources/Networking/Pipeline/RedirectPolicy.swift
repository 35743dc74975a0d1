/// The policy for redirects.
public struct RedirectPolicy: Sendable {
  /// A closure that decides about one redirect.
  ///
  /// It receives the response and the next request by the rules of RFC 9110. It returns that
  /// request, a changed one, or `nil` to return the redirect response to the caller.
  public typealias Decision =
    @Sendable (_ response: Response, _ proposed: HTTPRequest) -> HTTPRequest?

  /// The maximum number of redirects of a request.
  ///
  /// One more fails with ``NetworkError/Code-swift.enum/tooManyRedirects``.
  public var limit: Int
  /// Whether a redirect from `https` to `http` is followed.
  ///
  /// Otherwise it fails with ``NetworkError/Code-swift.enum/redirectRefused``.
  public var allowsDowngrade: Bool
  /// The decision.
  ///
  /// `nil` follows no redirect.
  let decide: Decision?
  /// Whether all redirects are followed, so that the decision does not read the response.
  private(set) var followsAll = false

  /// Follows redirects by the rules of RFC 9110.
  ///
  /// A `Location` is read as in browsers. Characters that a URL cannot contain are percent-encoded,
  /// and the escapes of the server are unchanged.
  ///
  /// A request to another origin has none of the fields that logs mask: `Authorization`, `Cookie`,
  /// `X-Api-Key`, ``NetworkingConfiguration/secretNames``, and fields with secrets in their values.
  /// The transport presents the client certificate of ``TLSOptions`` only to the origin of the first
  /// request.
  /// A redirect to a URL that the request has visited before is followed too, up to the limit, because
  /// the server may respond otherwise the next time.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of redirects.
  ///   - allowsDowngrade: Whether a redirect from `https` to `http` is followed.
  /// - Returns: The policy.
  public static func follow(limit: Int = 20, allowsDowngrade: Bool = false) -> RedirectPolicy {
    RedirectPolicy(
      limit: limit, allowsDowngrade: allowsDowngrade, decide: { $1 }, followsAll: true)
  }

  /// Follows no redirect.
  ///
  /// The redirect response is returned to the caller.
  public static let refuse = RedirectPolicy(limit: 20, allowsDowngrade: false, decide: nil)

  /// Follows the redirects that a closure allows.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of redirects.
  ///   - allowsDowngrade: Whether the closure is called for a redirect from `https` to `http`.
  ///     Otherwise it fails.
  ///   - decide: The closure. It runs on the thread of the exchange and must not block. Fields that
  ///     it adds to a request for another origin are sent there.
  /// - Returns: The policy.
  public static func deciding(
    limit: Int = 20, allowsDowngrade: Bool = false, _ decide: @escaping Decision
  ) -> RedirectPolicy {
    RedirectPolicy(limit: limit, allowsDowngrade: allowsDowngrade, decide: decide)
  }
}
