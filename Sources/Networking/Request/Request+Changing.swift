/// The same request with one thing different.
extension Request {
  private func with(_ change: (inout Request) -> Void) -> Request {
    var request = self
    change(&request)
    return request
  }

  /// With another store policy.
  ///
  /// - Parameters:
  ///   - policy: what becomes of it when there is no network.
  ///   - key: whose order it joins when it is kept; see ``storeKey``.
  /// - Returns: the changed request.
  public func storing(_ policy: StorePolicy, key: String = "") -> Request {
    with {
      $0.storePolicy = policy
      $0.storeKey = key
    }
  }

  /// With another cache policy, which clients do not act on yet.
  ///
  /// - Parameter policy: how it uses the cache.
  /// - Returns: the changed request.
  public func caching(_ policy: CachePolicy) -> Request { with { $0.cachePolicy = policy } }

  /// With another priority.
  ///
  /// - Parameter priority: which requests go first.
  /// - Returns: the changed request.
  public func prioritized(_ priority: Priority) -> Request { with { $0.priority = priority } }

  /// With another time limit.
  ///
  /// - Parameter timeout: how long the call may take as a whole; nil is as the client has it.
  /// - Returns: the changed request.
  public func timingOut(after timeout: Duration?) -> Request { with { $0.timeout = timeout } }

  /// With further headers, in the place of those of the same names.
  ///
  /// - Parameter headers: the header fields.
  /// - Returns: the changed request.
  public func adding(headers: HTTPHeaders) -> Request {
    with { $0.headers = $0.headers.merging(headers) }
  }

  /// Sharing the exchange of an identical request that is under way, or not.
  ///
  /// - Parameter isShared: whether it does; nil is as the client has it. Which requests are identical says
  ///   ``NetworkingConfiguration/sharesRequests``.
  /// - Returns: the changed request.
  public func sharing(_ isShared: Bool? = true) -> Request { with { $0.isShared = isShared } }

  /// Out of sight of the interceptors that answer for others, so that a token's refresh cannot wait
  /// for itself.
  ///
  /// - Returns: the changed request.
  public func notIntercepted() -> Request { with { $0.isIntercepted = false } }
}
