import Foundation
import Networking

/// A request as a ``MockServer`` has received it, or a ``MockTransport`` in its stead.
public struct ReceivedRequest: Sendable, Hashable {
  /// The method.
  public let method: HTTPMethod
  /// The target as it stands in the request line: a path with its query, as a rule.
  public let target: String
  /// The path and the values of the route's variables.
  public internal(set) var path: ReceivedPath
  /// The header fields in the order received.
  public let headers: HTTPHeaders
  /// The header fields after a chunked body.
  public let trailers: HTTPHeaders
  /// The body, without any chunked coding; empty when there was none, or when the route discards it.
  public internal(set) var body: Data
  /// How many bytes the body had, discarded or not.
  public let bodyByteCount: Int
  /// The version spoken, `1.0` or `1.1`; in memory always that.
  public let version: String
  /// Which of the server's connections it came on, counted from 0 in the order accepted; 0 in memory.
  public let connection: Int
  /// Which of its connection's requests it is, counted from 0; in memory, which of the transport's.
  public let exchange: Int
  /// When it was complete, on the ``Scheduler`` of the server or transport.
  public let time: Duration

  /// The query, decoded.
  public var query: RequestQuery { RequestQuery(RequestTarget(target)?.query) }

  /// The body as UTF-8, repaired where it is none.
  public var text: String { String(decoding: body, as: UTF8.self) }

  /// Decodes the body as JSON.
  ///
  /// - Parameters:
  ///   - type: what to make of it.
  ///   - decoder: the decoder.
  /// - Returns: the value.
  /// - Throws: what the decoder throws.
  public func decode<Value: Decodable>(
    _ type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
  ) throws -> Value {
    try decoder.decode(type, from: body)
  }
}
