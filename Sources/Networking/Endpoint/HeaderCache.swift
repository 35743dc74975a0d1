import Synchronization

/// The client's and the endpoint's header fields, merged and checked once as long as neither changes.
final class HeaderCache: Sendable {
  private let own: HTTPHeaders
  private let last: Mutex<(endpoint: HTTPHeaders, merged: HTTPHeaders)?>

  /// Makes a cache.
  ///
  /// - Parameter own: the client's fields, over which an endpoint's come.
  init(_ own: HTTPHeaders) {
    self.own = own
    last = Mutex(nil)
  }

  /// What a request to an endpoint starts from.
  ///
  /// - Parameter endpoint: the endpoint's own fields.
  /// - Returns: both, fit to be sent.
  /// - Throws: ``NetworkError/Code-swift.enum/invalidHeader``.
  func headers(with endpoint: HTTPHeaders) throws -> HTTPHeaders {
    // Mostly a constant, so that the comparison is one of two addresses.
    let known = last.withLock { $0?.endpoint.fields == endpoint.fields ? $0?.merged : nil }
    if let known { return known }
    let merged = endpoint.isEmpty ? own : own.merging(endpoint)
    try merged.check()
    last.withLock { $0 = (endpoint, merged) }
    return merged
  }
}
