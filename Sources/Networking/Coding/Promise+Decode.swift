import Foundation
import Promises

extension Promise where Value == Response {
  /// Makes a `Decodable` value of the JSON body, right where the response arrives.
  ///
  /// Of a response without a body (204, 205, or an empty one) an `Optional` becomes nil and an
  /// ``EmptyResponse`` itself.
  ///
  /// - Parameters:
  ///   - type: what to make.
  ///   - decoder: what reads the body; not to be changed any more. The plain one when nil.
  ///   - file: where the new promise was made, for diagnostics.
  ///   - line: where the new promise was made, for diagnostics.
  /// - Returns: a promise of the value, rejected with a ``NetworkError`` of the code `decodingFailed` or
  ///   `noData` that carries the response.
  @inlinable
  public func decode<Output: Decodable & Sendable>(
    _ type: Output.Type = Output.self, decoder: JSONDecoder? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Promise<Output> {
    serialize(using: DecodableSerializer(type, decoder: decoder), file: file, line: line)
  }

  /// Takes the body as it is; an empty one is no error.
  ///
  /// - Parameters:
  ///   - file: where the new promise was made, for diagnostics.
  ///   - line: where the new promise was made, for diagnostics.
  /// - Returns: a promise of the bytes.
  public func toData(file: StaticString = #fileID, line: UInt = #line) -> Promise<Data> {
    map(file: file, line: line) { response in response.data }
  }

  /// Makes text of the body.
  ///
  /// - Parameters:
  ///   - encoding: the encoding whatever the response says; nil goes by its `charset`, or else UTF-8.
  ///   - file: where the new promise was made, for diagnostics.
  ///   - line: where the new promise was made, for diagnostics.
  /// - Returns: a promise of the text, rejected with a ``NetworkError`` of the code `stringFailed` that
  ///   carries the response.
  public func toString(
    encoding: String.Encoding? = nil, file: StaticString = #fileID, line: UInt = #line
  ) -> Promise<String> {
    serialize(using: StringSerializer(encoding: encoding), file: file, line: line)
  }

  /// Makes of the response whatever a serializer of your own makes.
  ///
  /// - Parameters:
  ///   - serializer: what makes it, on the thread that settles the promise.
  ///   - file: where the new promise was made, for diagnostics.
  ///   - line: where the new promise was made, for diagnostics.
  /// - Returns: a promise of what it makes, rejected with what it throws.
  @inlinable
  public func serialize<Serializer: ResponseSerializing>(
    using serializer: Serializer, file: StaticString = #fileID, line: UInt = #line
  ) -> Promise<Serializer.Output> {
    map(file: file, line: line) { response in try serializer.serialize(response) }
  }
}

extension Promise where Value == Response {
  /// Parses the body as JSON of any kind.
  ///
  /// - Parameters:
  ///   - file: where the new promise was made, for diagnostics.
  ///   - line: where the new promise was made, for diagnostics.
  /// - Returns: a promise of the value, rejected with a ``NetworkError`` of the code `jsonFailed` or
  ///   `noData` that carries the response.
  public func toJson(file: StaticString = #fileID, line: UInt = #line) -> Promise<JSON> {
    serialize(using: JSONSerializer(), file: file, line: line)
  }

  /// Parses the body as a JSON array.
  ///
  /// - Parameters:
  ///   - file: where the new promise was made, for diagnostics.
  ///   - line: where the new promise was made, for diagnostics.
  /// - Returns: a promise of its elements, rejected like that of ``toJson(file:line:)``, also when the
  ///   body is JSON of another kind.
  public func toJsonArray(
    file: StaticString = #fileID, line: UInt = #line
  ) -> Promise<[JSON]> {
    toJson("an array", \.array, file, line)
  }

  /// Parses the body as a JSON object.
  ///
  /// - Parameters:
  ///   - file: where the new promise was made, for diagnostics.
  ///   - line: where the new promise was made, for diagnostics.
  /// - Returns: a promise of its members, rejected like that of ``toJson(file:line:)``, also when the
  ///   body is JSON of another kind.
  public func toJsonDictionary(
    file: StaticString = #fileID, line: UInt = #line
  ) -> Promise<[String: JSON]> {
    toJson("an object", \.dictionary, file, line)
  }

  private func toJson<Kind: Sendable>(
    _ name: String, _ kind: @escaping @Sendable (JSON) -> Kind?, _ file: StaticString, _ line: UInt
  ) -> Promise<Kind> {
    map(file: file, line: line) { response in
      guard let value = kind(try JSONSerializer().serialize(response)) else {
        throw NetworkError(.jsonFailed, response, "it is not \(name)")
      }
      return value
    }
  }
}
