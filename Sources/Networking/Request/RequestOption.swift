/// A change of a request: a time limit, a retry policy, additional header fields, a handler of the
/// progress.
///
/// ```swift
/// networking.request(.boards, .timeout(.seconds(90)), .retry(.never))
/// networking.download(.film(id: 7), to: file, .onProgress { progress in show(progress) })
///
/// case .boards: .get("boards", .cache(.preferCache))
/// ```
///
/// Every function that sends a request, and every function that makes one, takes options. They are
/// applied in order, so a later option overrides an earlier one. The options of a call are applied to
/// the request of the endpoint, before the client's ``Networking/beforeEach``.
public struct RequestOption: Sendable {
  /// Applies the option to a request.
  let apply: @Sendable (_ request: inout Request) -> Void

  /// Returns an option that changes the request by a closure.
  ///
  /// ```swift
  /// networking.request(.boards, .change { request in request.path = "v2/boards" })
  /// ```
  ///
  /// - Parameter change: The closure. It runs each time that the request is read, which may be more than
  ///   once for a call, and again when a stored request is replayed. It usually runs on the caller's
  ///   thread, in a transfer or a replay on any other.
  /// - Returns: The option.
  public static func change(
    _ change: @escaping @Sendable (_ request: inout Request) -> Void
  ) -> RequestOption {
    RequestOption(apply: change)
  }

  /// Returns an option that applies several options in order.
  ///
  /// Code that has received options uses it to pass them on.
  ///
  /// - Parameter options: The options.
  /// - Returns: The option.
  public static func all(_ options: [RequestOption]) -> RequestOption {
    change { request in request = request.applying(options) }
  }

  /// Returns an option that sets the time limit.
  ///
  /// - Parameter timeout: The time limit for the whole call. `nil` uses the client's setting.
  /// - Returns: The option.
  public static func timeout(_ timeout: Duration?) -> RequestOption {
    change { $0.timeout = timeout }
  }

  /// Returns an option that sets the retry policy.
  ///
  /// For a stream of events it is also the policy of connecting again after a connection has ended.
  ///
  /// - Parameter policy: The retry policy. `nil` uses the client's setting.
  /// - Returns: The option.
  public static func retry(_ policy: RetryPolicy?) -> RequestOption { change { $0.retry = policy } }

  /// Returns an option that sets the use of the client's cache.
  ///
  /// - Parameters:
  ///   - policy: The cache policy.
  ///   - lifetime: The lifetime of the response if its server declares none. `nil` uses the client's
  ///     setting.
  /// - Returns: The option.
  public static func cache(
    _ policy: Request.CachePolicy = .default, lifetime: Duration? = nil
  ) -> RequestOption {
    change {
      $0.cachePolicy = policy
      $0.cacheLifetime = lifetime
    }
  }

  /// The request is stored when there is no network.
  ///
  /// This is an alias for `.store(.offline)`.
  public static let storedOffline = RequestOption.store(.offline)

  /// Returns an option that sets the handling of the request when there is no network.
  ///
  /// - Parameters:
  ///   - policy: The store policy.
  ///   - key: The key of the replay order. See ``Request/storeKey``.
  /// - Returns: The option.
  public static func store(_ policy: Request.StorePolicy, key: String = "") -> RequestOption {
    change {
      $0.storePolicy = policy
      $0.storeKey = key
    }
  }

  /// Returns an option that sets the priority.
  ///
  /// - Parameter priority: The priority in the client's queue.
  /// - Returns: The option.
  public static func priority(_ priority: Request.Priority) -> RequestOption {
    change { $0.priority = priority }
  }

  /// Returns an option that adds header fields, which replace fields of the same name.
  ///
  /// - Parameter headers: The header fields.
  /// - Returns: The option.
  public static func headers(_ headers: HTTPHeaders) -> RequestOption {
    change { $0.headers = $0.headers.merging(headers) }
  }

  /// Returns an option that adds parameters, which replace those of the same name.
  ///
  /// Parameters can only be added to a dictionary or to a request without parameters. Otherwise the
  /// request fails with ``NetworkError/Code-swift.enum/encodingFailed`` when it is built, unless
  /// other ``Request/parameters`` are assigned afterwards.
  ///
  /// - Parameter parameters: A dictionary of parameters.
  /// - Returns: The option.
  public static func parameters(_ parameters: Parameters) -> RequestOption {
    change { $0.add(parameters) }
  }

  /// Returns an option that adds parameters of variables, which replace those of the same name.
  ///
  /// ```swift
  /// networking.request(.boards, .parameters(["q": text, "page": page]))
  /// ```
  ///
  /// - Parameter parameters: The parameters, which are encoded before this method returns. An error
  ///   rejects the request, as ``Request/parameters`` describes.
  /// - Returns: The option.
  @_disfavoredOverload
  public static func parameters(
    _ parameters: KeyValuePairs<String, (any Encodable)?>
  ) -> RequestOption {
    encoded({ try Parameters(encoding: parameters) }) { $0.add($1) }
  }

  /// Returns an option that sets the parameters to an encoded value.
  static func json(_ value: some Encodable) -> RequestOption {
    encoded({ try Parameters(encoding: value) }) { $0.parameters = $1 }
  }

  /// Returns an option that sets the parameters to the values of a literal.
  static func json(_ values: KeyValuePairs<String, (any Encodable)?>) -> RequestOption {
    encoded({ try Parameters(encoding: values, keepsNames: true) }) { $0.parameters = $1 }
  }

  /// Returns an option that sets encoded parameters, or the error of their encoding.
  private static func encoded(
    _ encode: () throws -> Parameters,
    set: @escaping @Sendable (_ request: inout Request, _ parameters: Parameters) -> Void
  ) -> RequestOption {
    let result = Result(catching: encode)
    return change { request in
      switch result {
      case .success(let parameters): set(&request, parameters)
      case .failure(let error): request.invalidParameters = .init(error: error)
      }
    }
  }

  /// Members of the parameters that are `null` are left out, also in JSON.
  ///
  /// ```swift
  /// .patch("boards/7", parameters: ["title": title, "owner": owner], .omittingNulls)
  /// ```
  ///
  /// Elements of arrays are not left out.
  public static let omittingNulls = change { request in
    guard request.invalidParameters == nil else { return }
    request.parameters = request.parameters?.omittingNulls
  }

  /// Returns an option that sets the format of the parameters in a query or a form.
  ///
  /// ```swift
  /// .get("boards", parameters: ["tags": ["a", "b"]], .queryFormat(.rails))
  /// ```
  ///
  /// - Parameter format: The format. `nil` uses that of the endpoint or the client.
  /// - Returns: The option.
  public static func queryFormat(_ format: QueryFormat?) -> RequestOption {
    change { $0.queryFormat = format }
  }

  /// Returns an option that compresses the body while it is sent.
  ///
  /// ``BodyCompression`` describes the effect.
  ///
  /// - Parameters:
  ///   - coding: The content coding. `nil` sends the body as it is.
  ///   - fallsBack: Whether the request is sent once more without compression if the status of the
  ///     response is 415.
  /// - Returns: The option.
  public static func compression(
    _ coding: BodyCompression.Coding?, fallsBack: Bool = false
  ) -> RequestOption {
    change { $0.compression = coding.map { BodyCompression($0, fallsBack: fallsBack) } }
  }

  /// Returns an option that sets whether the request shares the exchange of an identical request in
  /// flight.
  ///
  /// ``NetworkingConfiguration/sharesRequests`` defines which requests are identical.
  ///
  /// - Parameter isShared: Whether the exchange is shared. `nil` uses the client's setting.
  /// - Returns: The option.
  public static func shared(_ isShared: Bool? = true) -> RequestOption {
    change { $0.isShared = isShared }
  }

  /// The request bypasses the interceptors that hold or resend requests.
  ///
  /// Use it for a request that such an interceptor makes itself, such as a token refresh. Otherwise
  /// the request would wait for itself. See ``Request/isIntercepted``.
  public static let notIntercepted = change { $0.isIntercepted = false }

  /// The request has the credentials of the client.
  ///
  /// Use it with ``NetworkingConfiguration/sendsCredentials`` set to `false`.
  public static let withCredentials = change { $0.sendsCredentials = true }

  /// The request does not have the credentials of the client, such as a login.
  ///
  /// Cookies and the client certificate are still sent. See ``Request/sendsCredentials``.
  public static let withoutCredentials = change { $0.sendsCredentials = false }

  /// Returns an option that sets a typed attribute, for interceptors and monitors.
  ///
  /// - Parameters:
  ///   - key: The type of the key.
  ///   - value: The value.
  /// - Returns: The option.
  public static func attribute<Key: RequestAttributeKey>(
    _ key: Key.Type, _ value: Key.Value
  ) -> RequestOption {
    change { $0.attributes[key] = value }
  }

  /// Returns an option that sets the handler of the progress.
  ///
  /// ```swift
  /// networking.request(.picture(file), .onProgress { progress in bar.show(progress.sent.fraction) })
  /// ```
  ///
  /// A transfer that can be paused reports the bytes of all its requests together.
  ///
  /// - Parameter handler: The handler. It runs on the actor in whose code it is written or, without
  ///   one, in ``Networking/callbackContext``; if that is serial, before the handlers of the promise
  ///   in the same context. If several changes occur while it runs or is scheduled, it receives only
  ///   the latest progress. `nil` removes the handler.
  /// - Returns: The option.
  public static func onProgress(
    @_inheritActorContext _ handler: TransferProgress.Handler?
  ) -> RequestOption {
    change { $0.onProgress = handler }
  }
}

extension Request {
  /// Returns a request to which options have been applied in order.
  ///
  /// ```swift
  /// networking.beforeEach = { request in request.with(.parameters(["locale": "de"])) }
  /// ```
  ///
  /// - Parameter options: The options.
  /// - Returns: The changed request.
  public func with(_ options: RequestOption...) -> Request { applying(options) }

  /// Returns a request to which options have been applied in order.
  package func applying(_ options: [RequestOption]) -> Request {
    copy(of: self) { for option in options { option.apply(&$0) } }
  }

  /// Adds parameters, which replace those of the same name.
  fileprivate mutating func add(_ others: Parameters) {
    let merged = (parameters ?? .null).merging(others)
    let invalid = merged == nil ? .unmerged : invalidParameters
    if let merged { parameters = merged }
    invalidParameters = invalid
  }
}
