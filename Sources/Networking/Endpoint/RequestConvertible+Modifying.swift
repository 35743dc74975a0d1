/// The same endpoint with one thing of its request different.
extension RequestConvertible {
  /// With a request that is changed before it is used.
  ///
  /// - Parameter change: gives the request to use, whenever one is made of the endpoint.
  /// - Returns: an endpoint that asks the same of the same server otherwise.
  public func modified(
    _ change: @escaping @Sendable (Request) -> Request
  ) -> ModifiedEndpoint<Self> {
    ModifiedEndpoint(self, change)
  }

  /// With another store policy.
  ///
  /// - Parameters:
  ///   - policy: what becomes of it when there is no network.
  ///   - key: whose order it joins when it is kept; see ``Request/storeKey``.
  /// - Returns: the changed endpoint.
  public func storing(
    _ policy: Request.StorePolicy, key: String = ""
  ) -> ModifiedEndpoint<Self> {
    modified { $0.storing(policy, key: key) }
  }

  /// With another cache policy, which clients do not act on yet.
  ///
  /// - Parameter policy: how it uses the cache.
  /// - Returns: the changed endpoint.
  public func caching(_ policy: Request.CachePolicy) -> ModifiedEndpoint<Self> {
    modified { $0.caching(policy) }
  }

  /// With another priority.
  ///
  /// - Parameter priority: which requests go first.
  /// - Returns: the changed endpoint.
  public func prioritized(_ priority: Request.Priority) -> ModifiedEndpoint<Self> {
    modified { $0.prioritized(priority) }
  }

  /// With another time limit.
  ///
  /// - Parameter timeout: how long the call may take as a whole; nil is as the client has it.
  /// - Returns: the changed endpoint.
  public func timingOut(after timeout: Duration?) -> ModifiedEndpoint<Self> {
    modified { $0.timingOut(after: timeout) }
  }

  /// With further headers, in the place of those of the same names.
  ///
  /// - Parameter headers: the header fields.
  /// - Returns: the changed endpoint.
  public func adding(headers: HTTPHeaders) -> ModifiedEndpoint<Self> {
    modified { $0.adding(headers: headers) }
  }

  /// Sharing the exchange of an identical request that is under way, or not.
  ///
  /// - Parameter isShared: whether it does; nil is as the client has it. Which requests are identical says
  ///   ``NetworkingConfiguration/sharesRequests``.
  /// - Returns: the changed endpoint.
  public func sharing(_ isShared: Bool? = true) -> ModifiedEndpoint<Self> {
    modified { $0.sharing(isShared) }
  }

  /// Out of sight of the interceptors that answer for others, so that a token's refresh cannot wait
  /// for itself.
  ///
  /// - Returns: the changed endpoint.
  public func notIntercepted() -> ModifiedEndpoint<Self> {
    modified { $0.notIntercepted() }
  }
}
