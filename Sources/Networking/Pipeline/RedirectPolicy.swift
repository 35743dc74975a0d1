import Foundation

/// What becomes of an answer that points elsewhere.
public struct RedirectPolicy: Sendable {
  /// Decides about one redirect.
  ///
  /// It gets the answer and the request that the rules would send next, and returns that, a changed one,
  /// or nil to take the answer as it is.
  public typealias Decision =
    @Sendable (_ response: Response, _ proposed: HTTPRequest) -> HTTPRequest?

  /// How many redirects in a row are followed; one more fails with
  /// ``NetworkError/Code-swift.enum/tooManyRedirects``.
  public var limit: Int
  /// Whether one from `https` to `http` is followed; otherwise it fails with
  /// ``NetworkError/Code-swift.enum/redirectRefused``.
  public var allowsDowngrade: Bool
  /// Nil takes every answer as it is, whatever it points to.
  let decide: Decision?

  /// Follows redirects by the rules of RFC 9110.
  ///
  /// - Parameters:
  ///   - limit: how many in a row.
  ///   - allowsDowngrade: whether one from `https` to `http` is followed.
  /// - Returns: the policy.
  public static func follow(limit: Int = 20, allowsDowngrade: Bool = false) -> RedirectPolicy {
    RedirectPolicy(limit: limit, allowsDowngrade: allowsDowngrade) { _, proposed in proposed }
  }

  /// Takes an answer that points elsewhere as the answer, wherever it points.
  public static let refuse = RedirectPolicy(limit: 20, allowsDowngrade: false, decide: nil)

  /// Follows what a closure lets pass.
  ///
  /// - Parameters:
  ///   - limit: how many in a row.
  ///   - allowsDowngrade: whether one from `https` to `http` gets as far as the closure.
  ///   - decide: decides about each; runs inline on the thread of the exchange and must not block. What it
  ///     puts into a request for another origin is sent there.
  /// - Returns: the policy.
  public static func deciding(
    limit: Int = 20, allowsDowngrade: Bool = false, _ decide: @escaping Decision
  ) -> RedirectPolicy {
    RedirectPolicy(limit: limit, allowsDowngrade: allowsDowngrade, decide: decide)
  }
}
