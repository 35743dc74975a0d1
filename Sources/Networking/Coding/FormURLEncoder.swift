import CatenaSystem
import Foundation

/// An encoder that sends parameters like an HTML form without files.
///
/// Source: the URL Standard (WHATWG) section 5.2, application/x-www-form-urlencoded serializing.
struct FormURLEncoder: ParameterEncoding, Hashable {
  /// The format of names and values.
  var format: QueryFormat

  /// Creates an encoder.
  ///
  /// - Parameter format: The format of names and values.
  init(_ format: QueryFormat = .standard) {
    self.format = format
  }

  /// Encodes a dictionary as a form.
  ///
  /// `null` becomes an empty form.
  ///
  /// - Parameter parameters: The parameters.
  /// - Returns: A body with the content type `application/x-www-form-urlencoded`.
  /// - Throws: ``ParameterEncodingError`` with the path of a parameter that the format cannot
  ///   represent, such as a number that is not finite.
  func encode(_ parameters: Parameters) throws -> EncodedParameters {
    .body(
      [.data(Data(try format.encoded(parameters, with: .form)))],
      contentType: "application/x-www-form-urlencoded")
  }
}
