import Foundation
import Networking
import Promises
import TestGate
import TestSupport
import Testing

/// The number and the times of the attempts for each failure, policy, and method.
@Suite(.gated)
struct RetryMatrixTests {
  enum Failure: Sendable, CustomTestStringConvertible {
    case status(Int)
    case code(NetworkError.Code)

    var events: [TransportEvent] {
      switch self {
      case .status(let status): .response(status, [:], "body of \(status)")
      case .code(let code): [.failure(TransportFailure(code: code))]
      }
    }

    var testDescription: String { "\(self)" }
  }

  static let repeated: [Failure] =
    [408, 429, 500, 502, 503, 504].map(Failure.status)
    + [
      .dnsFailed, .cannotConnect, .connectionLost, .notConnectedToInternet, .timedOut(.connect),
      .timedOut(.idle), .timedOut(.attempt),
    ].map(Failure.code)

  static let final: [Failure] =
    [200, 204, 304, 400, 401, 403, 404, 409, 422, 501, 505].map(Failure.status)
    + [
      .invalidURL, .invalidHeader, .encodingFailed, .unsupported, .timedOut(.call),
      .tlsHandshakeFailed, .tlsCertificateExpired, .tlsHostMismatch, .tlsUntrusted, .pinMismatch,
      .malformedResponse, .circuitOpen, .cancelled, .redirectRefused, .tooManyRedirects,
      .digestMismatch, .transferInProgress,
    ].map(Failure.code)

  static let policies: [(policy: RetryPolicy, times: [Double])] = [
    (.never, [0]),
    (.immediate(limit: 2), [0, 0, 0]),
    (.delayed(.seconds(5), limit: 3), [0, 5, 10, 15]),
    (.exponential(initial: .seconds(1), jitter: .none, limit: 3), [0, 1, 3, 7]),
    (
      RetryPolicy(
        RetrySchedule.exponential(initial: .seconds(2), jitter: .full, limit: 2)
          .randomized { ($0.lowerBound + $0.upperBound) / 4 }), [0, 0.5, 1.5]
    ),
    (
      .custom(limit: 9) { $0.number < 3 ? .after(.seconds($0.number * 10)) : .stop }, [0, 10, 30]
    ),
  ]

  static let methods: [(method: HTTPMethod, headers: HTTPHeaders, isRepeatable: Bool)] = [
    (.get, [:], true), (.head, [:], true), (.options, [:], true), (.put, [:], true),
    (.delete, [:], true), (.trace, [:], true), (.post, [:], false), (.patch, [:], false),
    (HTTPMethod(rawValue: "PURGE"), [:], false), (.post, ["idempotency-key": "1"], true),
  ]

  @Test(arguments: repeated)
  func transientFailuresAreRetriedOnSchedule(_ failure: Failure) async throws {
    for (policy, times) in Self.policies {
      for (method, headers, isRepeatable) in Self.methods {
        let fixture = RetryFixture(policy) { _, _ in failure.events }
        let result = await fixture.outcome(method, headers)
        #expect(fixture.seconds == (isRepeatable ? times : [0]), "\(method)")
        try check(result, failure, attempts: fixture.seconds.count)
      }
    }
  }

  @Test(arguments: final)
  func permanentFailuresAreNotRetried(_ failure: Failure) async throws {
    for (policy, _) in Self.policies.dropLast() {
      for (method, headers, _) in Self.methods {
        let fixture = RetryFixture(policy) { _, _ in failure.events }
        let result = await fixture.outcome(method, headers)
        #expect(fixture.seconds == [0], "\(method)")
        try check(result, failure, attempts: 1)
      }
    }
  }

  /// Checks that the last response or the code of the last error is delivered, with all attempts.
  private func check(
    _ result: Result<Response, any Error>, _ failure: Failure, attempts: Int
  ) throws {
    switch failure {
    case .status(let status):
      let response = try result.get()
      #expect(response.status == status && response.data == Data("body of \(status)".utf8))
      #expect(response.attempts.count == (attempts > 1 ? attempts : 0))
    case .code(let code):
      let error = try #require(result.failure(as: NetworkError.self))
      #expect(error.code == code && error.attempts == attempts)
      #expect(
        error.history.map(\.code) == (attempts > 1 ? .init(repeating: code, count: attempts) : []))
    }
  }
}
