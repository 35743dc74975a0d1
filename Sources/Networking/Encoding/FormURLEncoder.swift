import Foundation

/// Sends parameters as a plain HTML form does.
///
/// Source: the URL Standard (WHATWG) section 5.2, application/x-www-form-urlencoded serializing.
public struct FormURLEncoder: ParameterEncoding, Hashable {
  /// How the tree becomes flat names.
  public var naming: FieldNaming

  /// Makes an encoder.
  ///
  /// - Parameter naming: how the tree becomes flat names.
  public init(naming: FieldNaming = FieldNaming()) {
    self.naming = naming
  }

  /// Encodes a dictionary; null is an empty form.
  ///
  /// - Parameter parameters: what to encode.
  /// - Returns: a body of the type `application/x-www-form-urlencoded`.
  /// - Throws: ``ParameterEncodingError`` for a number that is not finite, and for a root that is not
  ///   a dictionary.
  public func encode(_ parameters: Parameters) throws -> EncodedParameters {
    .body(
      [.data(Data(try naming.joined(parameters, by: .form)))],
      contentType: "application/x-www-form-urlencoded")
  }
}
