import Promises

/// What the outcome of sending an entry means for it.
///
///     an answer of 408, 425, 429 or 5xx            kept: the server asks for another try
///     an answer of 401 or 407                      kept: the credentials may be stale, the request is not
///     any other 4xx                                failed
///     any other answer                             delivered
///     failed on the way, timed out, cancelled      kept
///     without a mocked answer                      kept: no server has seen it
///     failed in any other way                      failed
///
/// Source: RFC 9110 section 15, RFC 8470 section 5.2 (425), RFC 6585 section 4 (429).
enum OfflineVerdict {
  case delivered(Response)
  case failed(any Error)
  case kept(any Error)

  init(_ result: Result<Response, any Error>) {
    switch result {
    case .success(let response):
      let error = NetworkError(.unacceptableStatus(response.status), response)
      self = Self.of(response.status, error) ?? .delivered(response)
    case .failure(let error as NetworkError):
      if case .unacceptableStatus(let status) = error.code {
        self = Self.of(status, error) ?? .failed(error)
      } else {
        let isUndecided =
          error.code.isOfConnection || error.code == .mockFailed || error.isCancellation
        self = isUndecided ? .kept(error) : .failed(error)
      }
    case .failure(let error):
      let isTimeout = if case PromiseError.timedOut = error { true } else { false }
      self = isTimeout || error.isCancellation ? .kept(error) : .failed(error)
    }
  }

  private static func of(_ status: Int, _ error: NetworkError) -> OfflineVerdict? {
    switch status {
    case 401, 407, 408, 425, 429, 500...599: .kept(error)
    case 400...499: .failed(error)
    default: nil
    }
  }
}

extension OfflineVerdict {
  /// What the outcome of sending an entry through a client means for it.
  ///
  /// A client's request is fulfilled by any answer of its own. So what it is rejected with may be the
  /// failure of something that it depends on, such as a token's refresh or a hook of the user's, which
  /// is no verdict on the request itself: then it is kept.
  ///
  /// - Parameters:
  ///   - result: what the client's promise has come to.
  ///   - entry: what was sent.
  /// - Returns: the verdict.
  static func ofClient(
    _ result: Result<Response, any Error>, _ entry: OfflineStore.Entry
  ) -> OfflineVerdict {
    let verdict = OfflineVerdict(result)
    guard case .failed(let error) = verdict, case .failure = result else { return verdict }
    guard let error = error as? NetworkError else { return .kept(error) }
    if case .unacceptableStatus = error.code, !isAbout(entry, error) { return .kept(error) }
    return verdict
  }

  private static func isAbout(_ entry: OfflineStore.Entry, _ error: NetworkError) -> Bool {
    guard let request = error.request, request.method == entry.request.method,
      let resource = try? OfflineStore.resource(entry.request, entry.baseURL)
    else { return false }
    return Redaction.url(resource) == String(request.url.prefix { $0 != "?" })
  }
}
