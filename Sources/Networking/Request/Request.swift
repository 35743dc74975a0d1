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
