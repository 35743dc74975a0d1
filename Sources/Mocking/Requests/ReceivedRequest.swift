import Foundation
import Networking

/// A request that a ``MockServer``, ``MockTransport`` or ``MockProvider`` has received.
public struct ReceivedRequest: Sendable, Hashable {
  /// The method.
  public let method: HTTPMethod
  /// The target of the request line, usually a path with a query.
  public let target: String
  /// The path with the values of the route's variables.
  public internal(set) var path: ReceivedPath
  /// The header fields in the order received.
  public let headers: HTTPHeaders
  /// The header fields after a chunked body.
  public let trailers: HTTPHeaders
  /// The body without the chunked coding.
  ///
  /// Empty if the request has no body, or if the route discards it.
  public internal(set) var body: Data
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
  /// The body of a forwarded request that is too large to be kept, in place of ``body``.
  var stream: BodyStream?

  /// The decoded query.
  public var query: RequestQuery { RequestQuery(RequestTarget(target)?.query) }

  /// The body as UTF-8, with invalid sequences replaced.
  public var text: String { String(decoding: body, as: UTF8.self) }

  /// The body as JSON, or `null` if it is empty or not JSON.
  ///
  /// Each use parses the body again.
  public var json: JSON { (try? JSON(parsing: body)) ?? .null }

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
    try decoder.decode(type, from: body)
  }
}

/// The path of a received request, with the values of the route's variables.
public struct ReceivedPath: Sendable, Hashable, CustomStringConvertible {
  /// The path as sent, percent-encoded, without the query.
  public let text: String
  /// The segments between the slashes, each percent-decoded separately.
  public let segments: [String]
  /// The percent-decoded values of the variables by name.
  public internal(set) var variables: [String: String]

  init(text: String, _ segments: [String] = [], _ variables: [String: String] = [:]) {
    self.text = text
    self.segments = segments
    self.variables = variables
  }

  /// The percent-decoded value of a variable.
  ///
  /// Empty if the template has no variable with this name.
  ///
  /// - Parameter name: The name between the braces of the template, without the `*`.
  public subscript(name: String) -> String { variables[name] ?? "" }

  /// The path as sent.
  public var description: String { text }
}
