import CatenaSystem
import Foundation

/// A serializer of multipart bodies.
///
/// Source: RFC 2046 section 5.1, RFC 7578, the HTML Standard section 4.10.21.8.
struct MultipartSerializer {
  private let form: MultipartFormData
  /// The boundary, which occurs in no header field and in no content in memory.
  private let boundary: String

  /// Creates a serializer.
  ///
  /// - Parameters:
  ///   - form: The form.
  ///   - makeBoundary: A closure that returns a candidate for the boundary. It is called until one
  ///     does not occur in the form.
  init(_ form: MultipartFormData, boundary makeBoundary: () -> String) {
    self.form = form
    var boundary = makeBoundary()
    while form.parts.contains(where: { $0.containsInMemory(boundary) }) {
      boundary = makeBoundary()
    }
    self.boundary = boundary
  }

  /// Returns 120 random bits as 30 hexadecimal digits.
  ///
  /// Files and streams are not searched for the boundary. The probability of a match is negligible.
  @Sendable static func randomBoundary() -> String {
    (0..<2).map { _ in UInt64.random(in: 0..<1 << 60).hexadecimal(digits: 15) }.joined()
  }

  /// Returns the value of the `Content-Type` field of the body.
  ///
  /// - Returns: The media type with its boundary.
  /// - Throws: ``NetworkError`` with the code `encodingFailed` if the kind is not a token.
  func contentType() throws -> String {
    guard form.kind.rawValue.isToken else {
      throw NetworkError(.encodingFailed, "the kind of the multipart body is not a token")
    }
    var text = "multipart/\(form.kind.rawValue); boundary=\(boundary)"
    if form.kind == .related {
      let root = form.parts.first.flatMap { $0.headers["Content-Type"] ?? $0.contentType }
      text += "; type=\"\(root.flatMap { MediaType($0) } ?? .text(.plain))\""
    }
    return text
  }

  /// Returns the serialized parts.
  ///
  /// Adjacent in-memory bytes are combined into one piece.
  ///
  /// - Returns: The pieces of the body.
  /// - Throws: ``ParameterEncodingError`` if a part cannot be sent. ``NetworkError`` with the code
  ///   `encodingFailed` if a body other than a form has no parts.
  func pieces() throws -> [BodyPiece] {
    if form.parts.isEmpty, form.kind != .formData {
      throw NetworkError(
        .encodingFailed, "the multipart/\(form.kind.rawValue) body has no parts")
    }
    var pieces: [BodyPiece] = []
    var bytes = Data()
    for (position, part) in form.parts.enumerated() {
      bytes += "--\(boundary)\r\n".utf8
      bytes += try header(of: part, at: position).utf8
      switch part.content {
      case .data(let data): bytes += data
      case .file(let url):
        pieces += [.data(bytes), .file(url)]
        bytes = Data()
      case .stream(let stream):
        pieces += [.data(bytes), .stream(stream)]
        bytes = Data()
      }
      bytes += "\r\n".utf8
    }
    bytes += "--\(boundary)--\r\n".utf8
    return pieces + [.data(bytes)]
  }

  /// Returns the header fields of a part and the empty line after them.
  private func header(
    of part: MultipartFormData.Part, at position: Int
  ) throws(ParameterEncodingError) -> String {
    let label = part.name ?? "parts[\(position)]"
    var header = ""
    if part.headers.contains("Content-Disposition") {
      guard form.kind != .formData else {
        throw invalid(label, "has a Content-Disposition field of its own")
      }
    } else if let disposition = try disposition(of: part, label) {
      header += "Content-Disposition: \(disposition)\r\n"
    }
    if let contentType = part.contentType, !part.headers.contains("Content-Type") {
      guard HTTPHeaders.isValid(value: contentType) else {
        throw invalid(label, "has a control character in its content type")
      }
      header += "Content-Type: \(contentType)\r\n"
    }
    for field in part.headers {
      guard field.name.isToken else {
        throw invalid(label, "has a header field with an invalid name")
      }
      guard HTTPHeaders.isValid(value: field.value) else {
        throw invalid(label, "has a control character in its header field \(field.name)")
      }
      header += "\(field.name): \(field.value)\r\n"
    }
    return header + "\r\n"
  }

  /// Returns the value of the `Content-Disposition` field of a part, or `nil` if it needs none.
  private func disposition(
    of part: MultipartFormData.Part, _ label: String
  ) throws(ParameterEncodingError) -> String? {
    guard form.kind == .formData else {
      guard part.name != nil || part.filename != nil else { return nil }
      var value = part.filename == nil ? "inline" : "attachment"
      if let name = part.name { value += "; name=\(try quoted(name, "name", label))" }
      if let name = part.filename { value += "; filename=\(try quoted(name, "file name", label))" }
      return value
    }
    guard let name = part.name else {
      throw invalid(label, "has no name, which each part of a form needs")
    }
    var value = "form-data; name=\"\(escaped(name.utf8.normalizingLineBreaks))\""
    if let filename = part.filename { value += "; filename=\"\(escaped(filename.utf8))\"" }
    return value
  }

  /// Returns a name in a form, with the escapes of browsers.
  ///
  /// NUL is escaped too, because a header field cannot contain it.
  private func escaped(_ name: some Sequence<UInt8>) -> String {
    var bytes: [UInt8] = []
    for byte in name {
      switch byte {
      case UInt8(ascii: "\""): bytes += "%22".utf8
      case UInt8(ascii: "\r"): bytes += "%0D".utf8
      case UInt8(ascii: "\n"): bytes += "%0A".utf8
      case 0: bytes += "%00".utf8
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns a name outside a form, as a quoted string.
  ///
  /// Source: RFC 2183 section 2, RFC 2045 section 5.1.
  private func quoted(
    _ name: String, _ property: String, _ label: String
  ) throws(ParameterEncodingError) -> String {
    guard HTTPHeaders.isValid(value: name) else {
      throw invalid(label, "has a control character in its \(property)")
    }
    return name.quotedString
  }

  private func invalid(_ label: String, _ reason: String) -> ParameterEncodingError {
    ParameterEncodingError(keyPath: label, reason: reason)
  }
}

extension MultipartFormData.Part {
  /// Whether a header field or the in-memory content contains the boundary.
  fileprivate func containsInMemory(_ boundary: String) -> Bool {
    let texts = [name, filename, contentType].compactMap(\.self) + headers.map(\.value)
    if texts.contains(where: { $0.contains(boundary) }) { return true }
    guard case .data(let data) = content else { return false }
    return data.range(of: Data(boundary.utf8)) != nil
  }
}
