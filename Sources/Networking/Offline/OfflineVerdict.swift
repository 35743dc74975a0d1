import Promises

/// What the outcome of sending an entry means for it.
///
///     an answer of 408, 425, 429 or 5xx            kept: the server asks for another try
///     any other 4xx                                failed
///     any other answer                             delivered
///     failed on the way, timed out, cancelled      kept
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
        self = error.code.isOfConnection || error.isCancellation ? .kept(error) : .failed(error)
      }
    case .failure(let error):
      let isTimeout = if case PromiseError.timedOut = error { true } else { false }
      self = isTimeout || error.isCancellation ? .kept(error) : .failed(error)
    }
  }

  private static func of(_ status: Int, _ error: NetworkError) -> OfflineVerdict? {
    switch status {
    case 408, 425, 429, 500...599: .kept(error)
    case 400...499: .failed(error)
    default: nil
    }
  }
}
