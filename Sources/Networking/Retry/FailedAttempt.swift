import Promises

/// An attempt that a ``RetryPolicy`` is asked about.
public struct FailedAttempt: Sendable {
  /// Its number in the call, from 1.
  public let number: Int
  /// What was sent.
  public let request: HTTPRequest
  /// What came of it: a response whose status is an error's, or an error.
  public let result: Result<Response, any Error>
  /// How long the response asks to be left alone; nil when it does not say, or there is none.
  public let retryAfter: Duration?

  /// Makes one, for tests of policies.
  ///
  /// - Parameters:
  ///   - number: its number in the call, from 1.
  ///   - request: what was sent.
  ///   - result: what came of it.
  ///   - retryAfter: how long the response asks to be left alone.
  public init(
    number: Int, request: HTTPRequest, result: Result<Response, any Error>,
    retryAfter: Duration? = nil
  ) {
    self.number = number
    self.request = request
    self.result = result
    self.retryAfter = retryAfter
  }

  /// The response; nil when there was none.
  public var response: Response? { try? result.get() }

  /// What went wrong; for a response ``NetworkError/Code-swift.enum/unacceptableStatus(_:)``.
  public var error: any Error {
    switch result {
    case .success(let response): NetworkError(.unacceptableStatus(response.status), response)
    case .failure(let error): error
    }
  }
}
