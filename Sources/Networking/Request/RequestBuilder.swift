import Foundation
import Synchronization

/// Makes of a ``Request`` what goes over the wire.
///
/// Headers come from three places, and the later win over the earlier name by name: the client's, the
/// endpoint type's, the request's. `Content-Type` is the encoder's unless one of them has it; that of
/// a multipart form is always the encoder's, as it has the boundary. Fields that the transport adds or
/// that describe the connection (`Host`, `Content-Length`, `Transfer-Encoding`, `Connection` and its
/// like) are refused rather than dropped, so that nobody believes them sent.
public struct RequestBuilder: Sendable {
  /// What paths are relative to; nil allows absolute URLs only.
  public var baseURL: BaseURL?
  /// The header fields of all requests.
  public var headers: HTTPHeaders
  /// The encoders, one for each content type.
  public var encoders: ParameterEncoders
  /// How long the transport may take to connect, TLS included; nil is without limit.
  public var connectTimeout: Duration?
  /// How long a connection may be silent while something is awaited from it; nil is without limit.
  public var idleTimeout: Duration?

  /// Makes a builder.
  ///
  /// - Parameters:
  ///   - baseURL: what paths are relative to; nil allows absolute URLs only.
  ///   - headers: the header fields of all requests.
  ///   - encoders: the encoders, one for each content type.
  ///   - connectTimeout: how long the transport may take to connect; nil is without limit.
  ///   - idleTimeout: how long a connection may be silent; nil is without limit.
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
  /// - Parameters:
  ///   - request: what is asked.
  ///   - endpointHeaders: the headers of the endpoint's type.
  /// - Returns: the request as it goes over the wire; no file has been read for it.
  /// - Throws: ``NetworkError`` with the method and URL, of the code `invalidURL`, `invalidMethod`,
  ///   `invalidHeader` (with the field's name and what is wrong, never its value) or `encodingFailed`
  ///   (with the key path).
  public func build(
    _ request: Request, endpointHeaders: HTTPHeaders = [:]
  ) throws -> HTTPRequest {
    try build(request, against: baseURL) {
      let merged = endpointHeaders.isEmpty ? headers : headers.merging(endpointHeaders)
      try merged.check()
      return merged
    }
  }

  /// Builds a request whose base URL and header fields are known already.
  ///
  /// - Parameters:
  ///   - request: what is asked.
  ///   - base: what relative paths are relative to; nil allows absolute URLs only.
  ///   - headers: gives the fields to start from, fit to be sent.
  /// - Returns: the request as it goes over the wire; no file has been read for it.
  /// - Throws: the same as `build(_:endpointHeaders:)`.
  func build(
    _ request: Request, against base: BaseURL?, headers: () throws -> HTTPHeaders
  ) throws -> HTTPRequest {
    do {
      return try built(request, base, headers)
    } catch var error as NetworkError {
      error.request = error.request ?? NetworkError.RequestSummary(request)
      throw error
    } catch {
      throw NetworkError(
        .encodingFailed, (error as? ParameterEncodingError)?.description,
        request: NetworkError.RequestSummary(request), underlying: error)
    }
  }

  private func built(
    _ request: Request, _ base: BaseURL?, _ start: () throws -> HTTPHeaders
  ) throws -> HTTPRequest {
    guard request.method.rawValue.isToken else {
      throw NetworkError(.invalidMethod, "the method is not a token")
    }
    var headers = try start()
    if !request.headers.isEmpty { headers = headers.merging(request.headers) }
    let (query, body) = try content(of: request, &headers)
    if !request.headers.isEmpty || body != .none { try headers.check() }
    return HTTPRequest(
      method: request.method,
      url: try BaseURL.resolve(request.path, against: base, query: query),
      headers: headers, body: body, connectTimeout: connectTimeout, idleTimeout: idleTimeout)
  }
}

extension RequestBuilder {
  private func content(
    of request: Request, _ headers: inout HTTPHeaders
  ) throws -> (query: String, body: HTTPBody) {
    switch request.payload {
    case .multipart(let form):
      return apply(
        try encoders.multipartFormData.encode(request.parameters, form), to: &headers,
        overridesType: true)
    case .data(let data): return try upload(.data(data), request, &headers)
    case .file(let url): return try upload(.file(url), request, &headers)
    case .stream(let stream): return try upload(.stream(stream), request, &headers)
    case nil:
      guard let parameters = request.parameters else { return ("", emptyBody(of: request.method)) }
      let contentType = request.contentType ?? .standard(for: request.method)
      let (query, body) = apply(
        try encoders.encoder(for: contentType).encode(parameters), to: &headers,
        overridesType: contentType == .multipartFormData)
      return (query, body == .none ? emptyBody(of: request.method) : body)
    }
  }

  private func upload(
    _ body: HTTPBody, _ request: Request, _ headers: inout HTTPHeaders
  ) throws -> (query: String, body: HTTPBody) {
    if case .custom(let type) = request.contentType, !headers.contains("Content-Type") {
      headers.add(type, for: "Content-Type")
    }
    guard let parameters = request.parameters else { return ("", body) }
    guard case .query(let query) = try encoders.query.encode(parameters) else {
      throw ParameterEncodingError(keyPath: "", reason: "got a body from the encoder for queries")
    }
    return (query, body)
  }

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

  /// A body of no bytes, with a length, where the method leads a server to expect one.
  ///
  /// Source: RFC 9110 section 8.6.
  private func emptyBody(of method: HTTPMethod) -> HTTPBody {
    switch method {
    case .post, .put, .patch: .data(Data())
    default: .none
    }
  }
}

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
