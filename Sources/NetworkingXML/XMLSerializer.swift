import Foundation
import Networking

/// A serializer that parses a body as XML.
///
/// The encoding is that of the byte order mark, otherwise the `charset` of the response, otherwise
/// that of the encoding declaration, otherwise UTF-8.
///
/// Source: RFC 7303 section 3.
struct XMLSerializer: ResponseSerializing {
  private let limits: XML.Limits

  /// Creates a serializer.
  ///
  /// - Parameter limits: The limits for the document.
  init(limits: XML.Limits = .standard) {
    self.limits = limits
  }

  /// Parses the body.
  ///
  /// - Parameter response: The response.
  /// - Returns: The document.
  /// - Throws: `NetworkError` with the code `decodingFailed`, whose `underlying` error is an
  ///   ``XMLError``, or with the code `noData` if there is no body.
  func serialize(_ response: Response) throws -> XML.Document {
    guard !response.hasNoBody else { throw NetworkError(.noData, response) }
    do {
      let document = try XML.Document(
        parsing: response.data, charset: response.contentType?.parameters["charset"],
        limits: limits)
      response.statusCheck?.noteDecoding()
      return document
    } catch {
      throw NetworkError(
        .decodingFailed, response, "it is not acceptable XML: \(error)", underlying: error)
    }
  }
}
