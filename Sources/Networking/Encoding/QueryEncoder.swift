/// Puts parameters into the URL's query.
///
/// Everything but unreserved characters is percent-encoded, a space as `%20` and a plus as `%2B`, which
/// every server reads alike.
///
/// Source: RFC 3986 section 3.4.
public struct QueryEncoder: ParameterEncoding, Hashable {
  /// How the tree becomes flat names.
  public var naming: FieldNaming

  /// Makes an encoder.
  ///
  /// - Parameter naming: how the tree becomes flat names.
  public init(naming: FieldNaming = FieldNaming()) {
    self.naming = naming
  }

  /// Encodes a dictionary; null is an empty query.
  ///
  /// - Parameter parameters: what to encode.
  /// - Returns: a query.
  /// - Throws: ``ParameterEncodingError`` for a number that is not finite, and for a root that is not
  ///   a dictionary.
  public func encode(_ parameters: Parameters) throws -> EncodedParameters {
    .query(String(decoding: try naming.joined(parameters, by: .url), as: UTF8.self))
  }
}
