/// The three ways in which a promise under test may end.
package enum Outcome: CaseIterable, Sendable {
  case success
  case failure
  case cancellation

  /// 7, `TestError("upstream")` or a `CancellationError`.
  package var result: Result<Int, any Error> {
    switch self {
    case .success: .success(7)
    case .failure: .failure(TestError("upstream"))
    case .cancellation: .failure(CancellationError())
    }
  }

  /// Whether a result is this very outcome.
  package func matches(_ result: Result<Int, any Error>) -> Bool {
    switch (self, result) {
    case (.success, .success(7)): true
    case (.failure, .failure(let error)): error as? TestError == TestError("upstream")
    case (.cancellation, .failure(let error)): error is CancellationError
    default: false
    }
  }

  /// The two that are rejections.
  package static let rejections: [Outcome] = [.failure, .cancellation]
}
