import Foundation

/// A type that converts responses to values.
public protocol ResponseSerializing<Output>: Sendable {
  /// The type of the value.
  associatedtype Output: Sendable

  /// Converts a response.
  ///
  /// This method runs on the thread that settles the promise or, for a body of more than 16 KiB that
  /// arrives on an I/O thread, on another thread. It must not block.
  ///
  /// - Parameter response: The complete response with status, header fields and body.
  /// - Returns: The value.
  /// - Throws: Any error. The promise is rejected with this error.
  func serialize(_ response: Response) throws -> Output
}

/// A type that converts results of requests to values: responses, and errors such as those of the
/// transport.
///
/// ```swift
/// struct StatusSerializer: ResultSerializing {
///   func serialize(_ result: Result<Response, any Error>) -> Int? { try? result.get().status }
/// }
///
/// networking.request(.report).serialize(using: StatusSerializer())
/// ```
public protocol ResultSerializing<Output>: Sendable {
  /// The type of the value.
  associatedtype Output: Sendable

  /// Converts a result.
  ///
  /// It runs like that of ``ResponseSerializing``, and not after a cancellation.
  ///
  /// - Parameter result: The complete response, or the error that rejected the promise.
  /// - Returns: The value.
  /// - Throws: Any error. The promise is rejected with this error.
  func serialize(_ result: Result<Response, any Error>) throws -> Output
}

extension JSONDecoder {
  /// Decodes the body of a response, as described for ``DecodableSerializer``.
  package func decodeBody<Output: Decodable>(of response: Response) throws -> Output {
    let value: Output
    if response.hasNoBody {
      value = try Self.valueWithoutBody(of: response)
    } else {
      do {
        value = try decode(fromText: response.data)
      } catch {
        throw NetworkError(.decodingFailed, response, underlying: error)
      }
    }
    response.statusCheck?.noteDecoding()
    return value
  }

  private static func valueWithoutBody<Output>(of response: Response) throws -> Output {
    if let empty = EmptyResponse() as? Output { return empty }
    if let optional = Output.self as? any ExpressibleByNilLiteral.Type,
      let none = optional.init(nilLiteral: ()) as? Output
    {
      return none
    }
    throw NetworkError(.noData, response)
  }
}

/// The output type for an endpoint whose responses have no body.
public struct EmptyResponse: Sendable, Hashable, Codable {
  /// Creates the value.
  public init() {}
}

extension Response {
  /// Whether the response has no body to decode: the body is empty, or the status has no body.
  ///
  /// Source: RFC 9110 sections 15.3.5 and 15.3.6.
  package var hasNoBody: Bool { data.isEmpty || status == 204 || status == 205 }
}
