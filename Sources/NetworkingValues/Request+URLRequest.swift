public import Networking

#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

extension Request {
  /// Creates a request from a request of Foundation, for code that builds these.
  ///
  /// ```swift
  /// networking.request(Request(urlRequest)).validate()
  /// ```
  ///
  /// It has the method, the URL, the header fields and the body of `request`. The fields are sorted by
  /// name, because Foundation does not keep their order. A `httpBodyStream` is not sent, because
  /// it cannot be read twice; use ``upload(stream:to:method:headers:contentType:_:)``.
  /// The timeout and the policies of `request` are ignored; ``NetworkingConfiguration`` and
  /// ``timeout`` replace them.
  ///
  /// - Parameter request: The request of Foundation. Without a URL, it fails with
  ///   ``NetworkError/Code-swift.enum/invalidURL``.
  public init(_ request: URLRequest) {
    self.init(
      HTTPMethod(rawValue: request.httpMethod ?? "GET"),
      RequestPath(raw: request.url?.absoluteString ?? "http://"),
      headers: (request.allHTTPHeaderFields ?? [:]).asHeaders(),
      payload: request.httpBody.map(Payload.data))
  }
}

extension HTTPRequest {
  /// The request as a request of Foundation, for code that reads these.
  ///
  /// It has the method, the URL, the header fields and a body in memory. It has no body if this is a
  /// file or a stream. Several values of a field are joined.
  public var urlRequest: URLRequest {
    var request = URLRequest(url: url)
    request.httpMethod = method.rawValue
    request.httpShouldHandleCookies = false
    var names: Set<String> = []
    for field in headers where names.insert(field.name.lowercased()).inserted {
      request.setValue(headers[field.name], forHTTPHeaderField: field.name)
    }
    if case .data(let data) = body { request.httpBody = data }
    return request
  }

  /// Returns the request with the changes that code for requests of Foundation makes, such as a
  /// function that signs them.
  ///
  /// ```swift
  /// networking.preProcessRequest = { request in
  ///   try request.modifyingURLRequest { urlRequest in try signer.sign(&urlRequest) }
  /// }
  /// ```
  ///
  /// The method, the URL, the header fields and a body in memory are those of the changed request.
  /// Fields that `change` does not touch keep their order and their values. A body that is a file or a
  /// stream stays, unless `change` sets a body. The attributes and the limits of this request stay.
  ///
  /// - Parameter change: A closure that changes the request. It runs once, before this method returns.
  /// - Returns: The changed request.
  /// - Throws: The error of `change`.
  public func modifyingURLRequest(
    _ change: (inout URLRequest) throws -> Void
  ) rethrows -> HTTPRequest {
    let original = urlRequest
    var changed = original
    try change(&changed)
    var request = self
    request.method = HTTPMethod(rawValue: changed.httpMethod ?? method.rawValue)
    request.url = changed.url ?? url
    let old = original.allHTTPHeaderFields ?? [:]
    let new = (changed.allHTTPHeaderFields ?? [:]).asHeaders()
    request.headers.removeNames(
      of: HTTPHeaders(old.asHeaders().filter { !new.contains($0.name) }))
    for field in new where old[field.name] != field.value {
      request.headers[field.name] = field.value
    }
    if changed.httpBody != original.httpBody {
      request.body = changed.httpBody.map(HTTPBody.data) ?? .none
    }
    return request
  }
}

extension Response {
  /// The response as an instance of Foundation's class, created at each access.
  ///
  /// Several fields of one name are joined by commas. `nil` if Foundation rejects the response.
  public var httpURLResponse: HTTPURLResponse? {
    let fields = Dictionary(headers.map { ($0.name, $0.value) }) { "\($0), \($1)" }
    return HTTPURLResponse(
      url: url, statusCode: status, httpVersion: "HTTP/\(head.version)", headerFields: fields)
  }
}

extension Request.CachePolicy {
  /// The corresponding policy of Foundation.
  ///
  /// Foundation has none that stores nothing, so ``noStore`` becomes
  /// `reloadIgnoringLocalAndRemoteCacheData`.
  public var urlRequestPolicy: URLRequest.CachePolicy {
    switch self {
    case .default: .useProtocolCachePolicy
    case .reload: .reloadIgnoringLocalCacheData
    case .revalidate: .reloadRevalidatingCacheData
    case .preferCache: .returnCacheDataElseLoad
    case .onlyCache: .returnCacheDataDontLoad
    case .noStore: .reloadIgnoringLocalAndRemoteCacheData
    }
  }
}
