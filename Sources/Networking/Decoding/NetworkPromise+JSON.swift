import Promises

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
