extension Request {
  /// Returns a request with another store policy.
  ///
  /// - Parameters:
  ///   - policy: The store policy.
  ///   - key: The key of the replay order. See ``storeKey``.
  /// - Returns: The changed request.
  public func storing(_ policy: StorePolicy, key: String = "") -> Request {
    updated {
      $0.storePolicy = policy
      $0.storeKey = key
    }
  }

  /// Returns a request with another use of the client's cache.
  ///
  /// - Parameters:
  ///   - policy: The cache policy.
  ///   - lifetime: The lifetime of the response if its server declares none. `nil` uses the client's
  ///     setting.
  /// - Returns: The changed request.
  public func caching(_ policy: CachePolicy = .default, lifetime: Duration? = nil) -> Request {
    updated {
      $0.cachePolicy = policy
      $0.cacheLifetime = lifetime
    }
  }

  /// Returns a request with another priority.
  ///
  /// - Parameter priority: The priority in the client's queue.
  /// - Returns: The changed request.
  public func prioritized(_ priority: Priority) -> Request { updated { $0.priority = priority } }

  /// Returns a request with another time limit.
  ///
  /// - Parameter timeout: The time limit for the whole call. `nil` uses the client's setting.
  /// - Returns: The changed request.
  public func timingOut(after timeout: Duration?) -> Request { updated { $0.timeout = timeout } }

  /// Returns a request with additional header fields, which replace fields of the same name.
  ///
  /// - Parameter headers: The header fields.
  /// - Returns: The changed request.
  public func adding(headers: HTTPHeaders) -> Request {
    updated { $0.headers = $0.headers.merging(headers) }
  }

  /// Returns a request with additional parameters and header fields, which replace those of the same
  /// name.
  ///
  /// ```swift
  /// networking.beforeEach = { request in request.adding(parameters: ["locale": "de"]) }
  /// ```
  ///
  /// Parameters can only be added to a dictionary or to a request without parameters. Otherwise the
  /// request fails with ``NetworkError/Code-swift.enum/encodingFailed`` when it is built, unless
  /// ``parameters`` is assigned afterwards.
  ///
  /// - Parameters:
  ///   - parameters: A dictionary of parameters.
  ///   - headers: The header fields.
  /// - Returns: The changed request.
  public func adding(parameters: Parameters, headers: HTTPHeaders = [:]) -> Request {
    updated { request in
      let merged = (request.parameters ?? .null).merging(parameters)
      let isUnmerged = merged == nil || request.hasUnmergedParameters
      if let merged { request.parameters = merged }
      request.hasUnmergedParameters = isUnmerged
      if !headers.isEmpty { request.headers = request.headers.merging(headers) }
    }
  }

  /// Returns a request with another format of the parameters in a query or a form.
  ///
  /// ```swift
  /// .get("boards", parameters: ["tags": ["a", "b"]]).formatting(.rails)
  /// ```
  ///
  /// - Parameter format: The format. `nil` uses that of the endpoint or the client.
  /// - Returns: The changed request.
  public func formatting(_ format: QueryFormat?) -> Request { updated { $0.queryFormat = format } }

  /// Returns a request whose body is compressed while it is sent.
  ///
  /// ``BodyCompression`` describes the effect.
  ///
  /// - Parameters:
  ///   - coding: The content coding. `nil` sends the body as it is.
  ///   - fallsBack: Whether the request is sent once more without compression if the status of the
  ///     response is 415.
  /// - Returns: The changed request.
  public func compressed(
    _ coding: BodyCompression.Coding?, fallsBack: Bool = false
  ) -> Request {
    updated { $0.compression = coding.map { BodyCompression($0, fallsBack: fallsBack) } }
  }

  /// Returns a request with another setting for sharing the exchange of an identical request in
  /// flight.
  ///
  /// ``NetworkingConfiguration/sharesRequests`` defines which requests are identical.
  ///
  /// - Parameter isShared: Whether the exchange is shared. `nil` uses the client's setting.
  /// - Returns: The changed request.
  public func sharing(_ isShared: Bool? = true) -> Request { updated { $0.isShared = isShared } }

  /// Returns a request that bypasses the interceptors that hold or resend requests.
  ///
  /// Use it for a request that such an interceptor makes itself, such as a token refresh. Otherwise
  /// the request would wait for itself. See ``isIntercepted``.
  ///
  /// - Returns: The changed request.
  public func notIntercepted() -> Request { updated { $0.isIntercepted = false } }

  /// Returns a request without the credentials of the client, such as a login.
  ///
  /// Cookies and the client certificate are still sent. See ``sendsCredentials``.
  ///
  /// - Returns: The changed request.
  public func withoutCredentials() -> Request { updated { $0.sendsCredentials = false } }

  /// Returns a request with a typed attribute, for interceptors and monitors.
  ///
  /// - Parameters:
  ///   - key: The type of the key.
  ///   - value: The value.
  /// - Returns: The changed request.
  public func setting<Key: RequestAttributeKey>(_ key: Key.Type, to value: Key.Value) -> Request {
    updated { $0.attributes[key] = value }
  }

  private func updated(_ change: (inout Request) -> Void) -> Request {
    var request = self
    change(&request)
    return request
  }
}
