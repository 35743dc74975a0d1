import Foundation

/// What is asked of a server, before it is known over what, when and by whom.
///
/// It is a value: an endpoint makes one, stages of the pipeline may change it, and it can be compared,
/// kept on disk and sent again. What is wrong with it, a path, a header or a parameter, comes to light
/// when it is built into an ``HTTPRequest``, as a ``NetworkError``.
///
/// ```swift
/// Request.get("boards", parameters: ["page": 2])
/// Request.post("boards", parameters: ["title": "Fish"], timeout: .seconds(5)).storing(.offline)
/// Request.upload(file: picture, to: "boards/\(id)/picture", contentType: "image/png")
/// ```
public struct Request: Sendable, Hashable {
  /// The method.
  public var method: HTTPMethod
  /// The path below the base URL, or an absolute URL.
  public var path: RequestPath
  /// What to say; nil is nothing.
  public var parameters: Parameters?
  /// The header fields, which win over an endpoint's and a client's.
  public var headers: HTTPHeaders
  /// How the parameters are sent; nil is as the method does by default.
  ///
  /// With a payload of bytes, a file or a stream it is the payload's type where it is
  /// ``ContentType/custom(_:)``, and the parameters go into the query.
  public var contentType: ContentType?
  /// A body that is there already; nil is none.
  public var payload: Payload?
  /// What becomes of the request when there is no network.
  public var storePolicy: StorePolicy
  /// Whose order it joins when it is kept: those of one key are sent one after the other, each when the
  /// one before has been answered; those of different keys do not wait for one another.
  public var storeKey = ""
  /// How it uses the cache.
  public var cachePolicy: CachePolicy
  /// How long the call may take as a whole, with all its attempts; nil is as the client has it.
  public var timeout: Duration?
  /// Which requests go first.
  public var priority: Priority
  /// Whether it may share the exchange of an identical one that is under way; nil is as the client has it.
  ///
  /// ``NetworkingConfiguration/sharesRequests`` says which are identical.
  public var isShared: Bool?
  /// Whether the interceptors that answer for others, such as a token's refresh, see this request.
  public var isIntercepted = true

  /// Makes a request.
  ///
  /// - Parameters:
  ///   - method: the method.
  ///   - path: the path below the base URL, or an absolute URL.
  ///   - parameters: what to say; nil is nothing.
  ///   - headers: the header fields, which win over an endpoint's and a client's.
  ///   - contentType: how the parameters are sent; nil is as the method does by default.
  ///   - payload: a body that is there already; nil is none.
  ///   - storePolicy: what becomes of the request when there is no network.
  ///   - cachePolicy: how it uses the cache.
  ///   - timeout: how long the call may take as a whole; nil is as the client has it.
  ///   - priority: which requests go first.
  public init(
    _ method: HTTPMethod, _ path: RequestPath, parameters: Parameters? = nil,
    headers: HTTPHeaders = [:], contentType: ContentType? = nil, payload: Payload? = nil,
    storePolicy: StorePolicy = .none, cachePolicy: CachePolicy = .default,
    timeout: Duration? = nil, priority: Priority = .normal
  ) {
    self.method = method
    self.path = path
    self.parameters = parameters
    self.headers = headers
    self.contentType = contentType
    self.payload = payload
    self.storePolicy = storePolicy
    self.cachePolicy = cachePolicy
    self.timeout = timeout
    self.priority = priority
  }
}

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

extension Request {
  /// What becomes of a request for which there is no network.
  ///
  /// It makes no difference to downloads and streams, whose answers would have nowhere to go later.
  public enum StorePolicy: String, Sendable, Hashable, Codable {
    /// It fails.
    case none
    /// It fails, and is kept in the client's offline store, to be sent when that is replayed.
    ///
    /// - It is kept after all retries, when it has failed by a code that is
    ///   ``NetworkError/Code-swift.enum/isNetworkUnavailable``: no answer of the server's has come. A
    ///   status such as 503 is an answer, and what is cancelled is not kept.
    /// - Its promise is rejected once it is on the disk, with the error that it failed with, whose
    ///   ``NetworkError/isKept`` is true; or with `offlineStoreFull` or `offlineStoreFailed`, and then
    ///   nothing of it is kept.
    /// - A request with a field in its query, JSON or form that goes by a secret's name, such as `password`, is not
    ///   kept unless the store ``OfflineStore/storesSecrets``; it fails as without a policy, and the error's
    ///   ``NetworkError/reason`` names the field.
    /// - It arrives at least once, so it has an `Idempotency-Key` from its first attempt on, which the
    ///   replay sends too; and with that it is retried whatever its method.
    case offline
  }

  /// How a request uses the cache; the names are those of `fetch`.
  ///
  /// It is kept with the request, but clients do not act on it yet: they have no cache.
  ///
  /// Source: the Fetch Standard (WHATWG) section 2.2.5, cache mode.
  public enum CachePolicy: String, Sendable, Hashable, Codable {
    /// As HTTP says: what is fresh is taken from the cache, what is stale is asked for again.
    case `default`
    /// Neither taken from the cache nor put into it.
    case noStore
    /// Not taken from the cache, but put into it.
    case reload
    /// Always asked for, with the validators that the cache has.
    case noCache
    /// Taken from the cache, fresh or stale; asked for only when it is not there.
    case forceCache
    /// Taken from the cache, fresh or stale; fails when it is not there.
    case onlyIfCached
  }

  /// Which requests go first when several wait.
  public enum Priority: String, Sendable, Hashable, Codable, CaseIterable {
    /// After all others.
    case veryLow
    /// After the normal ones.
    case low
    /// As they come.
    case normal
    /// Before the normal ones.
    case high
    /// Before all others.
    case veryHigh
  }
}

extension Request: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Method and path, without secrets: `GET boards?token=***`.
  public var description: String { NetworkError.RequestSummary(self).description }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// What there is to see without secrets: path, header fields and parameters masked, of the payload its size.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "method": method, "path": NetworkError.RequestSummary(self).url,
        "parameters": parameters.map(Redactor.standard.maskedParameters) as Any, "headers": headers,
        "contentType": contentType as Any, "payload": payload as Any, "storePolicy": storePolicy,
        "storeKey": storeKey, "cachePolicy": cachePolicy, "timeout": timeout as Any,
        "priority": priority, "isShared": isShared as Any, "isIntercepted": isIntercepted,
      ])
  }
}

extension NetworkError.RequestSummary {
  /// Creates a summary of a request that is not built yet.
  ///
  /// ``url`` is the path of the request.
  ///
  /// - Parameter request: The request.
  public init(_ request: Request) {
    self.init(method: request.method, url: request.path.text)
  }
}

extension Request.Payload: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
  /// What it consists of, for people: `12 bytes`; nothing of the bytes themselves.
  public var description: String {
    switch self {
    case .data(let data): HTTPBody.data(data).description
    case .file(let url): HTTPBody.file(url).description
    case .multipart(let form): "form of \(form.parts.count) parts"
    case .stream(let stream): HTTPBody.stream(stream).description
    }
  }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// None of the bytes.
  public var customMirror: Mirror { Mirror(self, children: ["content": description]) }
}
