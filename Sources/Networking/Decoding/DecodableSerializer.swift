import Foundation

/// Makes a `Decodable` value of a JSON body.
///
/// Of a response without a body (204, 205, or an empty one) an `Optional` becomes nil and an
/// ``EmptyResponse`` itself; anything else fails with ``NetworkError/Code-swift.enum/noData``.
public struct DecodableSerializer<Output: Decodable & Sendable>: ResponseSerializing {
  private let decoder: JSONDecoder

  /// Makes a serializer.
  ///
  /// - Parameters:
  ///   - type: what to make.
  ///   - decoder: what reads the body; not to be changed any more. The plain one when nil.
  public init(_ type: Output.Type = Output.self, decoder: JSONDecoder? = nil) {
    self.decoder = decoder ?? Self.plainDecoder
  }

  /// Decodes the body.
  ///
  /// - Parameter response: the response.
  /// - Returns: the value.
  /// - Throws: ``NetworkError`` of the code `decodingFailed`, with the decoder's own error beneath, or
  ///   `noData`.
  public func serialize(_ response: Response) throws -> Output {
    guard !response.hasNoBody else { return try Self.empty(response) }
    do {
      return try decoder.decode(Output.self, from: response.data)
    } catch {
      throw NetworkError(.decodingFailed, response, underlying: error)
    }
  }

  private static func empty(_ response: Response) throws -> Output {
    if let empty = EmptyResponse() as? Output { return empty }
    if let optional = Output.self as? any ExpressibleByNilLiteral.Type,
      let none = optional.init(nilLiteral: ()) as? Output
    {
      return none
    }
    throw NetworkError(.noData, response)
  }
}

/// The decoder of everybody who names none; made once, never changed.
private let sharedDecoder = JSONDecoder()

extension DecodableSerializer {
  fileprivate static var plainDecoder: JSONDecoder { sharedDecoder }
}

extension Response {
  /// Whether there is nothing to decode: an empty body, or a status that has none.
  ///
  /// Source: RFC 9110 sections 15.3.5 and 15.3.6.
  var hasNoBody: Bool { data.isEmpty || status == 204 || status == 205 }
}
