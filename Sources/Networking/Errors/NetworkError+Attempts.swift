extension NetworkError {
  /// The same error at the end of a call of several attempts.
  ///
  /// - Parameter history: the attempts, in order; those of an error that knows of more are kept.
  /// - Returns: the error with both ``attempts`` and ``history``.
  func after(_ history: [Attempt]) -> NetworkError {
    guard history.count > max(attempts, 1) else { return self }
    var error = self
    error.attempts = history.count
    error.history = history
    return error
  }

  /// How often it was tried and what came of each, for people; empty for a single attempt.
  var attemptsText: String {
    guard attempts > 1 else { return "" }
    let text = ", after \(attempts) attempts"
    guard !history.isEmpty else { return text }
    // The last ones tell most.
    let shown = history.suffix(5).map(\.sentence).joined(separator: ", ")
    return text + " (\(history.count > 5 ? "..., " : "")\(shown))"
  }
}

extension Attempt {
  /// What kind of failure it was; nil when there was a response, no end, or an error of another type.
  public var code: NetworkError.Code? {
    if case .failure(let error) = outcome { (error as? NetworkError)?.code } else { nil }
  }

  fileprivate var sentence: String {
    let wait = delay > .zero ? "after \(delay) " : ""
    return switch outcome {
    case .status(let status): wait + "\(status)"
    case .failure(let error as NetworkError): wait + error.code.sentence
    case .failure(let error): wait + "\(type(of: error))"
    case .unfinished: wait + "no end"
    }
  }
}
