import CatenaSystem
import Foundation

/// An encoder that puts parameters into the query of the URL.
///
/// All characters except unreserved ones are percent-encoded. A space becomes `%20` and a plus sign
/// `%2B`, because all servers decode these in the same way, unless the format defines otherwise. The
/// commas between the values of a list are not encoded.
///
/// Source: RFC 3986 section 3.4.
struct QueryEncoder: ParameterEncoding, Hashable {
  /// The format of names and values.
  var format: QueryFormat

  /// Creates an encoder.
  ///
  /// - Parameter format: The format of names and values.
  init(_ format: QueryFormat = .standard) {
    self.format = format
  }

  /// Encodes a dictionary as a query.
  ///
  /// `null` becomes an empty query.
  ///
  /// - Parameter parameters: The parameters.
  /// - Returns: The query.
  /// - Throws: ``ParameterEncodingError`` with the path of a parameter that the format cannot
  ///   represent, such as a number that is not finite.
  func encode(_ parameters: Parameters) throws -> EncodedParameters {
    .query(String(decoding: try format.encoded(parameters, with: .url), as: UTF8.self))
  }
}
