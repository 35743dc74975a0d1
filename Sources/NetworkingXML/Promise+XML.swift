import Foundation
public import Networking

extension Promise where Value == Response {
  /// Parses the body as XML.
  ///
  /// The body is parsed on the thread that settles the promise, within the limits.
  ///
  /// ```swift
  /// networking.request(.get("orders/7")).validate().toXml()
  ///   .done { document in print(document["order", "item"]?.string ?? "none") }
  /// ```
  ///
  /// - Parameters:
  ///   - limits: The limits for the document.
  ///   - file: The source file of the call, for diagnostics.
  ///   - line: The source line of the call, for diagnostics.
  /// - Returns: A promise of the document. It is rejected with a `NetworkError` with the code
  ///   `decodingFailed`, whose `underlying` error is an ``XMLError``, or with the code `noData`.
  public func toXml(
    limits: XML.Limits = .standard, file: StaticString = #fileID, line: UInt = #line
  ) -> Promise<XML.Document> {
    serialize(using: XMLSerializer(limits: limits), file: file, line: line)
  }

  /// Unavailable, because it has another name.
  @available(*, unavailable, renamed: "toXml(limits:file:line:)")
  public func toXML() -> Promise<XML.Document> { toXml() }
}

extension ContentType {
  /// A body in the format `application/xml`.
  ///
  /// Requests of `send(xml:to:)` have it.
  /// Parameters have no standard form in XML, so a request with this format and parameters needs an
  /// encoder for it.
  ///
  /// Source: RFC 7303 section 9.1.
  public static let xml = ContentType.custom("application/xml")
}

extension Request {
  /// Creates a request with an XML body in UTF-8.
  ///
  /// The request accepts XML, unless its header fields have an `Accept`.
  ///
  /// ```swift
  /// try .send(xml: order, to: "orders")
  /// ```
  ///
  /// - Parameters:
  ///   - xml: The root element.
  ///   - path: The path relative to the base URL, or an absolute URL.
  ///   - method: The method.
  ///   - parameters: The parameters, which are sent in the query. `nil` sends none.
  ///   - headers: The header fields of the request.
  ///   - contentType: The media type of the body. A type of characters other than UTF-8 is not
  ///     supported.
  ///   - options: The options, which are applied in order.
  /// - Returns: The request.
  /// - Throws: `NetworkError` with the code `encodingFailed`, whose `underlying` error is an
  ///   ``XMLError``, if the tree cannot be written as XML.
  public static func send(
    xml: XML, to path: RequestPath, method: HTTPMethod = .post, parameters: Parameters? = nil,
    headers: HTTPHeaders = [:], contentType: ContentType = .xml, _ options: RequestOption...
  ) throws(NetworkError) -> Request {
    var headers = headers
    if headers["Accept"] == nil {
      headers["Accept"] = "application/xml, text/xml;q=0.9, application/*;q=0.8"
    }
    return Request(
      method, path, parameters: parameters, headers: headers, contentType: contentType,
      payload: .data(try XML.body(xml, of: method, path)), .all(options))
  }
}

extension XML {
  /// Returns the body of a request.
  static func body(
    _ xml: XML, of method: HTTPMethod, _ path: RequestPath
  ) throws(NetworkError) -> Data {
    do {
      return try XML.Document(xml).data()
    } catch {
      throw NetworkError(
        .encodingFailed, error.description,
        request: NetworkError.RequestSummary(Request(method, path)), underlying: error)
    }
  }
}
