public import Foundation
public import Networking

/// A request that a ``MockServer``, ``MockTransport`` or ``MockProvider`` has received.
public struct ReceivedRequest: Sendable, Hashable {
  /// The limit for a body that is parsed and checked on the thread of the server, in bytes.
  package static let largeBodyBytes = LargeBodies.limit

  /// The method.
  public let method: HTTPMethod
  /// The target of the request line, usually a path with a query.
  public package(set) var target: String {
    didSet { content = RequestContent() }
  }
  /// The path with the values of the route's variables.
  public internal(set) var path: ReceivedPath
  /// The header fields in the order received.
  public package(set) var headers: HTTPHeaders
  /// The header fields after a chunked body.
  public let trailers: HTTPHeaders
  /// The body as received, without the chunked coding.
  ///
  /// ``decodedBody`` is also without content codings.
  ///
  /// Empty if the request has no body, or if the route discards it. A server also discards a body that no
  /// route reads and that is larger than the limits of its journal.
  public package(set) var body: Data {
    didSet { content = RequestContent() }
  }
  /// The number of bytes of the body, even if it was discarded.
  public let bodyByteCount: Int
  /// The HTTP version: `1.0` or `1.1` on a socket, and `1.1` in memory.
  public let version: String
  /// The index of the connection, counted from 0 in the order of acceptance.
  ///
  /// In memory it is 0.
  public let connection: Int
  /// The index of the request on its connection, counted from 0.
  ///
  /// In memory it is the index of the request on its transport.
  public let exchange: Int
  /// The time at which the whole request had been received, on the ``Scheduler`` of the server or
  /// transport.
  public let time: Duration
  /// The variables of the backend when the route was chosen, with the values that the route has set.
  ///
  /// Empty if there are none, and for a request without a route.
  public internal(set) var variables: [String: JSON] = [:]
  /// The client of the request, and the resources of its backend.
  package var session = RequestSession()
  /// The parsed content, which all copies share.
  var content = RequestContent()
  /// The body of a forwarded request that is too large to be kept, in place of ``body``.
  package var stream: BodyStream?
  /// The scheme: `http`, or `https` for a connection over TLS.
  public internal(set) var scheme = "http"
  /// The IP address of the client.
  ///
  /// `nil` in memory.
  public internal(set) var clientAddress: String?

  /// The body without the codings of its `Content-Encoding`, such as gzip.
  ///
  /// It is ``body`` if there is no coding, if the coding is unknown, or if the body is invalid or has
  /// more than 64 MiB after decoding. ``text``, ``json``, ``form``, ``parts`` and ``decode(_:decoder:)``
  /// read it. The body is decoded once.
  public var decodedBody: Data { content.decodedBody(of: self) }

  /// The decoded query.
  public var query: RequestQuery { content.query(of: self) }

  /// The body as UTF-8, with invalid sequences replaced.
  public var text: String { content.text(of: self) }

  /// The body as JSON, or `null` if it is empty or not JSON.
  ///
  /// The body is parsed once, however many conditions, templates and handlers read it.
  public var json: JSON { parsedJSON ?? .null }

  /// The body as JSON, or `nil` if it is empty or not JSON.
  package var parsedJSON: JSON? { content.json(of: self) }

  /// The fields of a form.
  ///
  /// Of a multipart body these are the parts that are not files. Any other body is read as a
  /// form-encoded text, whatever its content type. The body is parsed once.
  public var form: RequestQuery { content.form(of: self) }

  /// The cookies in the order of the `Cookie` fields, with their values as sent.
  ///
  /// The fields are parsed once.
  ///
  /// Source: RFC 6265 section 4.2.
  public var cookies: RequestQuery { content.cookies(of: self) }

  /// The parts of a multipart body, at most 1,000.
  ///
  /// Empty if the content type is not `multipart` or has no boundary. The body is parsed once.
  public var parts: [RequestPart] { content.parts(of: self) }

  /// Returns the first part of a multipart body with a name.
  ///
  /// ```swift
  /// Route(.post, "/photos") { request in
  ///   request.part("photo")?.fileName == nil ? .status(400) : .status(201)
  /// }
  /// ```
  ///
  /// - Parameter name: The name of the field.
  /// - Returns: The part. `nil` if there is none.
  public func part(_ name: String) -> RequestPart? { parts.first { $0.name == name } }

  /// Returns the result of a check of the request, which all copies of it make once.
  ///
  /// - Parameters:
  ///   - owner: The object that makes the check, which lives as long as the request.
  ///   - check: A closure that makes the check. It is called without a lock.
  /// - Returns: The result.
  package func result<Value: Sendable>(of owner: AnyObject, _ check: () -> Value) -> Value {
    content.result(of: owner, check)
  }

  /// Decodes the JSON body.
  ///
  /// - Parameters:
  ///   - type: The type of the value.
  ///   - decoder: The decoder.
  /// - Returns: The value.
  /// - Throws: The error of the decoder.
  public func decode<Value: Decodable>(
    _ type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
  ) throws -> Value {
    try decoder.decode(fromText: decodedBody)
  }
}

extension ReceivedRequest {
  /// Creates a request that no backend has received, such as one of a recording, for a check of it.
  ///
  /// - Parameters:
  ///   - sent: The request without its body.
  ///   - body: The body.
  package init(_ sent: HTTPRequest, body: Data) {
    let path = ReceivedPath(text: sent.url.path(percentEncoded: true))
    self.init(
      method: sent.method, target: sent.target, path: path, headers: sent.headers, trailers: [:],
      body: body, bodyByteCount: body.count, version: "1.1", connection: 0, exchange: 0,
      time: .zero)
  }
}

extension ReceivedRequest: BrieflyDescribed {
  /// The method and the target without secrets, such as `GET /boards?token=***`.
  public var description: String { "\(method) \(Redactor.standard.maskedURL(target))" }

  /// The members without secrets: masked header fields, and the size of the body.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: ["request": description, "headers": headers, "bodyByteCount": bodyByteCount])
  }
}
