/// An encoder that sends parameters and files as `multipart/form-data`, or the parts of another
/// kind of multipart body.
///
/// The boundary is a random string of 30 characters. If it occurs in a header field or in the
/// in-memory content of a part, a new one is generated. In names, quotation marks, CR and LF are
/// escaped in the same way as in browsers: `%22`, `%0D` and `%0A`, and each line break of a field
/// name becomes CR LF. Other characters are sent as UTF-8.
///
/// Source: RFC 7578, RFC 2046 section 5.1, the HTML Standard section 4.10.21.8.
struct MultipartEncoder: ParameterEncoding {
  /// The format of the names and values of parameters.
  var format = QueryFormat.standard
  /// Generates a boundary candidate.
  var boundary: @Sendable () -> String = MultipartSerializer.randomBoundary

  /// Encodes a dictionary with one part for each leaf.
  ///
  /// Data is sent as bytes and all other values as text. `null` becomes an empty form.
  ///
  /// - Parameter parameters: The parameters.
  /// - Returns: A body with the content type `multipart/form-data`.
  /// - Throws: ``ParameterEncodingError`` if a number is not finite, if the root is neither a
  ///   dictionary nor `null`, or if the values are nested too deeply.
  func encode(_ parameters: Parameters) throws -> EncodedParameters {
    try encode(parameters, MultipartFormData())
  }

  /// Encodes parameters followed by the parts of a form.
  ///
  /// - Parameters:
  ///   - parameters: The parameters, which become the first parts. `nil` or `null` adds none.
  ///   - form: The form whose parts follow.
  /// - Returns: A body with the content type of the form. The files and streams of the form are not
  ///   read.
  /// - Throws: ``ParameterEncodingError`` as for parameters alone. Also if there are parameters and
  ///   the body is not of the kind ``MultipartFormData/Kind-swift.struct/formData``; if a part of a
  ///   form has no name or a `Content-Disposition` field; or if the content type or a header field
  ///   of a part has a control character. ``NetworkError`` with the code `encodingFailed` if a body
  ///   of another kind has no parts, or if its kind is not a token.
  func encode(_ parameters: Parameters?, _ form: MultipartFormData) throws
    -> EncodedParameters
  {
    var combined = MultipartFormData(kind: form.kind)
    for field in try format.fields(of: parameters ?? .null) {
      if let data = field.data {
        combined.append(data, name: field.name)
      } else {
        combined.append(field.text, name: field.name)
      }
    }
    if form.kind != .formData, !combined.parts.isEmpty {
      throw ParameterEncodingError(
        keyPath: "", reason: "cannot be fields of a multipart/\(form.kind.rawValue) body")
    }
    combined.parts += form.parts
    let serializer = MultipartSerializer(combined, boundary: boundary)
    return .body(try serializer.pieces(), contentType: try serializer.contentType())
  }
}
