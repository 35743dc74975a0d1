/// The level of an interceptor: once for a call, an attempt, or a hop.
///
/// A call with two attempts, each of which follows one redirect, passes an interceptor of the level
/// ``call`` once, one of the level ``attempt`` twice, and one of the levels ``origin`` and ``hop``
/// four times.
public struct InterceptorLevel: Sendable, Hashable {
  let index: Int

  /// Once for each call, outside the retries.
  ///
  /// The interceptor receives the request without credentials and cookies, and the final result. If
  /// it sends the request again, the retries start anew.
  public static let call = InterceptorLevel(index: 0)

  /// Once for each attempt, inside the retries and outside the redirects.
  ///
  /// The interceptor receives the request to the original URL, with a compressed body and without
  /// credentials and cookies, and the result of the attempt, which may be retried. A redirect keeps
  /// the fields that it adds, except secrets when it leads to another origin.
  public static let attempt = InterceptorLevel(index: 1)

  /// Once for each hop, before the credentials and the cookies are added.
  ///
  /// The interceptor receives the hops that need the network: a response that the cache provides, or a
  /// request that ``NetworkingConfiguration/whenUnreachable`` rejects, does not pass it. It receives the
  /// result of the hop, which may be a redirect, or the timeout of the hop. A repetition with new
  /// credentials is inside. Suitable for limits by origin, such as a circuit breaker.
  public static let origin = InterceptorLevel(index: 2)

  /// Once for each hop: each attempt and each redirect that it follows, next to the transport.
  ///
  /// The interceptor receives the request with its credentials and cookies, and each response as it
  /// arrives, including redirects. Fields that it adds apply to that hop only. For the target of a
  /// redirect, which may be on any origin, it runs again: check the host of the request before adding
  /// secrets. A response that the cache provides without the network is not a hop.
  ///
  /// Its time counts towards ``NetworkingConfiguration/attemptTimeout``.
  public static let hop = InterceptorLevel(index: 3)
}
