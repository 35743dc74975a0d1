package import Foundation

/// A serializer that decodes a body as text.
///
/// The text encoding is the one passed to the initializer, otherwise the `charset` of the content
/// type, otherwise UTF-8.
package struct StringSerializer: ResponseSerializing {
  private let encoding: String.Encoding?

  /// Creates a serializer.
  ///
  /// - Parameter encoding: The text encoding, which overrides the `charset` of the response. `nil`
  ///   uses that `charset`, or UTF-8 if there is none.
  package init(encoding: String.Encoding? = nil) { self.encoding = encoding }

  /// Decodes the body as text.
  ///
  /// An empty body becomes an empty string. A byte order mark at the start is removed.
  ///
  /// - Parameter response: The response.
  /// - Returns: The text.
  /// - Throws: ``NetworkError`` with the code `stringFailed` if the bytes are not valid in the
  ///   encoding, or if the platform cannot read it.
  package func serialize(_ response: Response) throws -> String {
    let charset = response.contentType?.parameters["charset"]
    let encoding = encoding ?? charset.flatMap { String.Encoding(charset: $0) } ?? .utf8
    guard let text = Self.text(response.data, in: encoding) else {
      throw NetworkError(
        .stringFailed, response,
        encoding.isSupported
          ? "the body is not valid text in \(encoding)"
          : "text in \(encoding) is not supported on this platform")
    }
    response.statusCheck?.noteDecoding()
    return text
  }

  /// Returns the text without its byte order mark, or `nil` if the bytes are not valid.
  private static func text(_ data: Data, in encoding: String.Encoding) -> String? {
    var text = encoding.text(data)
    // Foundation removes the mark in UTF-16 and UTF-32, and in UTF-8 on some platforms.
    if encoding == .utf16 || encoding == .utf32 { return text }
    if text?.unicodeScalars.first == "\u{FEFF}" { text?.unicodeScalars.removeFirst() }
    return text
  }
}
