import Foundation

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
