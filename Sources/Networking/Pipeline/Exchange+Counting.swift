import Promises

extension Exchange {
  /// An answer that tells of all attempts of the call, where there were several.
  ///
  /// - Parameter answer: the promise of the last attempt.
  /// - Returns: a promise of the same outcome, with the attempts on it.
  func counting(_ answer: NetworkPromise) -> NetworkPromise {
    answer
      .map { response in counted(response) }
      .recover(on: .inline, policy: .allErrors) { error -> Response in throw counted(error) }
  }

  /// A response that ends the attempt under way, with all attempts where there were several.
  func counted(_ response: Response) -> Response {
    call.trace.end(.success(response))
    return call.trace.attemptCount > 1 ? response.after(call.trace.attempts) : response
  }

  /// An error that ends the attempt under way, with all attempts where there were several.
  func counted(_ error: any Error) -> any Error {
    call.trace.end(.failure(error))
    return (error as? NetworkError)?.after(call.trace.attempts) ?? error
  }
}
