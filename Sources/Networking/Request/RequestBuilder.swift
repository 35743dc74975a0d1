import CatenaSystem
import Foundation

/// A builder that converts a ``Request`` to an ``HTTPRequest``.
///
/// - The header fields of the request override those of the builder of the same name.
/// - The encoder sets `Content-Type` if the merged fields do not contain it. For a multipart form
///   it always does, because the value contains the boundary.
/// - Fields that the transport adds or that describe the connection, such as `Host`,
///   `Content-Length`, `Transfer-Encoding` and `Connection`, are rejected. If they were dropped
///   silently, a caller would assume that they are sent.
public struct RequestBuilder: Sendable {
  /// The base URL of relative paths.
  ///
  /// `nil` allows absolute URLs only.
  public var baseURL: BaseURL?
  /// The header fields of all requests.
  public var headers: HTTPHeaders
  /// The parameter encoders, one for each content type.
  public var encoders: ParameterEncoders
  /// The time limit for connecting, including TLS.
  ///
  /// `nil` sets no limit.
  public var connectTimeout: Duration?
  /// The time limit for a connection without activity while data is expected.
  ///
  /// `nil` sets no limit.
  public var idleTimeout: Duration?
  /// The attributes of all requests, which those of a request override.
  var attributes = RequestAttributes()
  /// Whether requests have the credentials of the client unless they specify it.
  var sendsCredentials = true

  /// Creates a builder.
  ///
  /// - Parameters:
  ///   - baseURL: The base URL of relative paths. `nil` allows absolute URLs only.
  ///   - headers: The header fields of all requests.
  ///   - encoders: The parameter encoders, one for each content type.
  ///   - connectTimeout: The time limit for connecting. `nil` sets no limit.
  ///   - idleTimeout: The time limit for a connection without activity. `nil` sets no limit.
  public init(
    baseURL: BaseURL? = nil, headers: HTTPHeaders = .defaults,
    encoders: ParameterEncoders = ParameterEncoders(), connectTimeout: Duration? = nil,
    idleTimeout: Duration? = nil
  ) {
    self.baseURL = baseURL
    self.headers = headers
    self.encoders = encoders
    self.connectTimeout = connectTimeout
    self.idleTimeout = idleTimeout
  }

  /// Builds a request.
  ///
  /// - Parameter request: The request.
  /// - Returns: The HTTP request. The files of its body have not been read.
  /// - Throws: ``NetworkError`` with a summary of the request and one of these codes: `invalidURL`,
  ///   `invalidMethod`, `invalidHeader` (with the name and the problem of the field, but not its
  ///   value) or `encodingFailed` (with the key path).
  public func build(_ request: Request) throws -> HTTPRequest {
    try build(request, of: nil, against: baseURL) {
      try headers.validate()
      return headers
    }
  }

  /// Builds a request with a base URL and header fields that the caller has prepared.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - endpoint: The type of the endpoint, for errors. `nil` if it is unknown.
  ///   - base: The base URL of relative paths. `nil` allows absolute URLs only.
  ///   - headers: Returns the validated header fields of the client and the endpoint type.
  /// - Returns: The HTTP request. The files of its body have not been read.
  /// - Throws: The errors of `build(_:)`.
  func build(
    _ request: Request, of endpoint: (any RequestConvertible.Type)?, against base: BaseURL?,
    headers: () throws -> HTTPHeaders
  ) throws -> HTTPRequest {
    do {
      return try makeHTTPRequest(request, base, headers)
    } catch var error as NetworkError {
      if error.reason == BaseURL.missingReason, let endpoint {
        error.reason = BaseURL.missingReason(for: endpoint)
      }
      error.request = error.request ?? NetworkError.RequestSummary(request)
      throw error
    } catch {
      throw NetworkError(
        .encodingFailed, (error as? ParameterEncodingError)?.description,
        request: NetworkError.RequestSummary(request), underlying: error)
    }
  }

  private func makeHTTPRequest(
    _ request: Request, _ base: BaseURL?, _ baseHeaders: () throws -> HTTPHeaders
  ) throws -> HTTPRequest {
    guard request.method.rawValue.isToken else {
      throw NetworkError(.invalidMethod, "the method is not a token")
    }
    if let invalid = request.invalidParameters { throw invalid.error }
    var headers = try baseHeaders()
    if !request.headers.isEmpty { headers = headers.merging(request.headers) }
    let (query, body) = try content(of: request, &headers)
    // Otherwise the fields are those of the client and the endpoint type, which are already
    // validated.
    if !request.headers.isEmpty || body != .none { try headers.validate() }
    var built = HTTPRequest(
      method: request.method,
      url: try BaseURL.resolve(request.path, against: base, query: query),
      headers: headers, body: body, connectTimeout: connectTimeout, idleTimeout: idleTimeout)
    built.attributes = attributes.merging(request.attributes)
    built.options.basePath = base?.path ?? ""
    built.headers.secretNames = built.attributes.secretNames
    if !(request.sendsCredentials ?? sendsCredentials) { built.sendsCredentials = false }
    return consume built
  }

  /// Returns the query and the body of a request, and sets `Content-Type`.
  private func content(
    of request: Request, _ headers: inout HTTPHeaders
  ) throws -> (query: String, body: HTTPBody) {
    switch request.payload {
    case .multipart(let form):
      let isForm = form.kind == .formData
      let encoders = encoders.formatted(request.queryFormat)
      let (_, body) = apply(
        try encoders.multipartFormData.encode(isForm ? request.parameters : nil, form),
        to: &headers, overridesType: true)
      return (isForm ? "" : try query(of: request), body)
    case .data(let data): return try upload(.data(data), request, &headers)
    case .file(let url): return try upload(.file(url), request, &headers)
    case .stream(let stream): return try upload(.stream(stream), request, &headers)
    case nil:
      guard let parameters = request.parameters else { return ("", emptyBody(of: request.method)) }
      let contentType = request.contentType ?? .standard(for: request.method)
      let (query, body) = apply(
        try encoders.formatted(request.queryFormat).encoder(for: contentType).encode(parameters),
        to: &headers, overridesType: contentType == .multipartFormData)
      return (query, body == .none ? emptyBody(of: request.method) : body)
    }
  }

  /// Returns the query and the body of a request whose payload is the body.
  private func upload(
    _ body: HTTPBody, _ request: Request, _ headers: inout HTTPHeaders
  ) throws -> (query: String, body: HTTPBody) {
    if case .custom(let type) = request.contentType, !headers.contains("Content-Type") {
      headers.add(type, for: "Content-Type")
    }
    return (try query(of: request), body)
  }

  /// Returns the query of a request whose parameters are not in its body.
  private func query(of request: Request) throws -> String {
    guard let parameters = request.parameters else { return "" }
    let encoder = encoders.formatted(request.queryFormat).query
    guard case .query(let query) = try encoder.encode(parameters) else {
      throw ParameterEncodingError(
        keyPath: "",
        reason: "cannot be sent in the query, because the query encoder returned a body")
    }
    return query
  }

  /// Returns the query and the body of encoded parameters, and sets `Content-Type` for a body.
  private func apply(
    _ encoded: EncodedParameters, to headers: inout HTTPHeaders, overridesType: Bool
  ) -> (query: String, body: HTTPBody) {
    switch encoded {
    case .query(let query): return (query, .none)
    case .body(let pieces, let type):
      if overridesType || !headers.contains("Content-Type") { headers["Content-Type"] = type }
      return ("", HTTPBody(pieces))
    }
  }

  /// Returns the body for a request without content.
  ///
  /// For POST, PUT and PATCH it is empty data, so that the request has a `Content-Length` of 0.
  /// Servers expect content for these methods.
  ///
  /// Source: RFC 9110 section 8.6.
  private func emptyBody(of method: HTTPMethod) -> HTTPBody {
    switch method {
    case .post, .put, .patch: .data(Data())
    default: .none
    }
  }
}

/// A cache of the last value that was made from a key.
///
/// Most requests of a client have the same base URL, and the same fields of their endpoint type.
final class LastValue<Key: Equatable & Sendable, Value: Sendable>: Sendable {
  private let last = Mutex<(key: Key, value: Value)?>(nil)

  /// Returns the value for a key.
  ///
  /// - Parameters:
  ///   - key: The key. Comparing an array with itself is fast, because it compares the addresses of the
  ///     buffers first.
  ///   - make: A closure that makes the value if the last one had another key.
  /// - Returns: The value.
  /// - Throws: The errors of the closure. They are not cached.
  func value(for key: Key, _ make: () throws -> Value) rethrows -> Value {
    if let cached = last.withLock({ $0?.key == key ? $0?.value : nil }) { return cached }
    let value = try make()
    last.withLock { $0 = (key, value) }
    return value
  }
}
