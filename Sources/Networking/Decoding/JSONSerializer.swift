import Foundation

/// Makes a ``JSON`` value of a body.
public struct JSONSerializer: ResponseSerializing {
  /// Makes a serializer.
  public init() {}

  /// Parses the body.
  ///
  /// - Parameter response: the response.
  /// - Returns: the value.
  /// - Throws: ``NetworkError`` of the code `jsonFailed` when the body is no JSON, or `noData` when it is
  ///   empty.
  public func serialize(_ response: Response) throws -> JSON {
    guard !response.hasNoBody else { throw NetworkError(.noData, response) }
    do {
      return try JSON(parsing: response.data)
    } catch {
      throw NetworkError(.jsonFailed, response, underlying: error)
    }
  }
}
