/// A serializer that parses a body as ``JSON``.
package struct JSONSerializer: ResponseSerializing {
  /// Creates a serializer.
  package init() {}

  /// Parses the body.
  ///
  /// - Parameter response: The response.
  /// - Returns: The value.
  /// - Throws: ``NetworkError`` with the code `jsonFailed` if the body is not JSON, or with the
  ///   code `noData` if there is no body.
  package func serialize(_ response: Response) throws -> JSON {
    let json = try parse(response)
    response.statusCheck?.noteDecoding()
    return json
  }

  /// Parses the body, for a caller that may still reject the value.
  func parse(_ response: Response) throws -> JSON {
    guard !response.hasNoBody else { throw NetworkError(.noData, response) }
    do {
      return try JSON(parsing: response.data)
    } catch {
      let reason = JSONText.isMalformedUTF8(response.data) ? "it is not valid UTF-8" : nil
      throw NetworkError(.jsonFailed, response, reason, underlying: error)
    }
  }
}
