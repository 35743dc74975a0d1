package import Foundation

/// A failed attempt, which a ``RetryPolicy`` evaluates.
public struct FailedAttempt: Sendable {
  /// The number of the attempt in the call, starting at 1.
  public let number: Int
  /// The request.
  public let request: HTTPRequest
  /// The result: a response with an error status, or an error.
  public let result: Result<Response, any Error>
  /// The `Retry-After` of the response.
  ///
  /// `nil` if there is none.
  public let retryAfter: Duration?

  /// Creates an attempt, for tests of policies.
  ///
  /// - Parameters:
  ///   - number: The number of the attempt in the call, starting at 1.
  ///   - request: The request.
  ///   - result: The result.
  ///   - retryAfter: The `Retry-After` of the response. `nil` if there is none.
  public init(
    number: Int, request: HTTPRequest, result: Result<Response, any Error>,
    retryAfter: Duration? = nil
  ) {
    self.number = number
    self.request = request
    self.result = result
    self.retryAfter = retryAfter
  }

  /// Creates an attempt with the `Retry-After` of its response.
  ///
  /// - Parameters:
  ///   - number: The number of the attempt, starting at 1.
  ///   - request: The request.
  ///   - result: The result.
  ///   - now: The wall clock time, which a date is compared with.
  package init(
    number: Int, request: HTTPRequest, result: Result<Response, any Error>, at now: Date
  ) {
    self.init(
      number: number, request: request, result: result,
      retryAfter: result.failedHeaders.flatMap { RetryAfter.delay(in: $0, now: now) })
  }

  /// The response.
  ///
  /// `nil` if the attempt ended with an error.
  public var response: Response? { try? result.get() }

  /// The error.
  ///
  /// For a response it has the code ``NetworkError/Code-swift.enum/unacceptableStatus(_:)``.
  public var error: any Error {
    switch result {
    case .success(let response): NetworkError(.unacceptableStatus(response.status), response)
    case .failure(let error): error
    }
  }
}

extension Result<Response, any Error> {
  /// The header fields of the response, or of the response that an error is about.
  fileprivate var failedHeaders: HTTPHeaders? {
    switch self {
    case .success(let response): response.headers
    case .failure(let error): (error as? NetworkError)?.response?.headers
    }
  }
}

/// A parser of the `Retry-After` header field.
///
/// Source: RFC 9110 section 10.2.3.
package enum RetryAfter {
  /// Returns the delay of the first `Retry-After` field, which is a number of seconds or a date.
  ///
  /// Some servers send a fraction of a second, which the standard does not have.
  ///
  /// - Parameters:
  ///   - headers: The header fields of the response.
  ///   - now: The current time, from which the delay until a date is computed.
  /// - Returns: The delay, which is 0 for a date in the past. `nil` if there is no field or its
  ///   value is invalid.
  package static func delay(in headers: HTTPHeaders, now: Date) -> Duration? {
    guard
      let value = headers.values(for: "Retry-After").first?.trimmingCharacters(in: .whitespaces),
      !value.isEmpty
    else { return nil }
    let isNumber = value.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E }
    let seconds =
      isNumber ? Double(value) : HTTPDate.parse(value, now: now)?.timeIntervalSince(now)
    // Larger numbers are clamped, because they exceed every useful limit.
    return seconds.map { .seconds(min(max(0, $0), Double(Int32.max))) }
  }
}
