import CatenaSystem
package import Foundation

extension Redactor {
  /// Masks a body for display.
  ///
  /// - Parameters:
  ///   - data: The body.
  ///   - contentType: The value of the `Content-Type` field, if there is one.
  /// - Returns: The masked body as one line of text, or `nil` if it is not JSON, a form, or text.
  package func maskedBody(_ data: Data, contentType: String?) -> String? {
    guard !data.isEmpty, let text = String(data: data, encoding: .utf8), !text.utf8.contains(0)
    else { return nil }
    let type = contentType.flatMap(MediaType.init(_:))
    switch type?.description {
    case Self.formType: return maskedForm(text)
    case .some(let type) where type.hasSuffix("/json") || type.hasSuffix("+json"):
      return maskedJSON(data) ?? NetworkError.singleLine(maskedContent(text))
    case .some(let type) where Self.tableTypes.contains(type):
      return NetworkError.singleLine(maskedTable(text))
    case .some(let type) where type.hasPrefix("text/") || type.hasSuffix("xml"):
      return NetworkError.singleLine(maskedContent(text))
    case nil:
      if let masked = maskedJSON(data) { return masked }
      let isLongJSON =
        data.count > Self.maximumDisplayedJSONLength && text.utf8.first.map(Self.startsJSON) == true
      return isLongJSON ? NetworkError.singleLine(maskedContent(text)) : nil
    default: return nil
    }
  }

  /// Masks the text of a body for a recording, in its original form.
  ///
  /// - Parameters:
  ///   - text: The body.
  ///   - mimeType: The media type with its parameters. Bodies of unknown types are masked as JSON
  ///     or as free text.
  /// - Returns: The masked text.
  package func maskedBody(_ text: String, mimeType: String) -> String {
    maskedBody(text, type: MediaType(mimeType), depth: 0)
  }

  private func maskedBody(_ text: String, type: MediaType?, depth: Int) -> String {
    if let type {
      if type.type == "application", type.subtype == Self.formSubtype { return maskedForm(text) }
      if let masked = maskedMultipart(Data(text.utf8), type: type, depth: depth) {
        return String(decoding: masked, as: UTF8.self)
      }
      if Self.tableTypes.contains(type.description) { return maskedTable(text) }
    }
    // Fast path: most bodies that are not JSON fail this check, which costs less than the parser.
    let first = text.utf8.first { !" \t\r\n".utf8.contains($0) }
    guard first.map(Self.startsJSON) == true else { return maskedContent(text) }
    // JSON without strings has no secrets except for card numbers.
    if !text.utf8.contains(UInt8(ascii: "\"")), !SecretShapes.contains(text) { return text }
    return maskedJSON(Data(text.utf8)) ?? maskedContent(text)
  }

  /// Masks a table of comma-separated values: the columns of secrets, and secrets in other cells.
  ///
  /// - Parameter text: The table.
  /// - Returns: The masked table.
  private func maskedTable(_ text: String) -> String {
    maskedContent(CSVMasker.masked(text, by: mask, names: names))
  }

  private static func startsJSON(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[")
  }

  private static let formSubtype = "x-www-form-urlencoded"
  private static let formType = "application/\(formSubtype)"
}

// MARK: - Multipart bodies

extension Redactor {
  /// Masks the text parts of a multipart body.
  ///
  /// A part with a secret name is masked as a whole.
  ///
  /// Source: RFC 7578.
  ///
  /// - Parameters:
  ///   - data: The body. Parts that are not UTF-8 are unchanged.
  ///   - mimeType: The media type with its parameters.
  /// - Returns: The masked body, or `nil` if the media type is not multipart or has no boundary.
  package func maskedMultipart(_ data: Data, mimeType: String) -> Data? {
    MediaType(mimeType).flatMap { maskedMultipart(data, type: $0, depth: 0) }
  }

  /// The limit for the length of a boundary.
  ///
  /// Source: RFC 2046 section 5.1.1.
  private static let maximumBoundaryLength = 70
  /// The limit for bodies within parts.
  ///
  /// Each level searches its text again. Deeper bodies are masked as text.
  private static let maximumMultipartDepth = 4

  private func maskedMultipart(_ data: Data, type: MediaType, depth: Int) -> Data? {
    guard type.type == "multipart", depth < Self.maximumMultipartDepth,
      let boundary = type.parameters["boundary"], !boundary.isEmpty,
      boundary.utf8.count <= Self.maximumBoundaryLength
    else { return nil }
    return data.withUnsafeBytes { data in
      let bytes = data.bindMemory(to: UInt8.self)
      let delimiter = Array("--\(boundary)".utf8)
      var builder = MaskedTextBuilder()
      var (partStart, lineStart) = (0, 0)
      while true {
        let isEnd = lineStart == bytes.count
        if isEnd || lineStart >= partStart && bytes[lineStart...].starts(with: delimiter) {
          maskPart(min(partStart, lineStart)..<lineStart, of: bytes, depth, &builder)
          partStart = lineStart + delimiter.count
        }
        if isEnd { break }
        lineStart = min(bytes.first(from: lineStart) { $0 == UInt8(ascii: "\n") } + 1, bytes.count)
      }
      return Data(builder.masked(bytes))
    }
  }

  /// Masks the content of a part if it is text in UTF-8.
  private func maskPart(
    _ part: Range<Int>, of bytes: UnsafeBufferPointer<UInt8>, _ depth: Int,
    _ builder: inout MaskedTextBuilder
  ) {
    guard let headEnd = part.first(where: { bytes.has("\r\n\r\n", at: $0) }),
      headEnd + 4 < part.upperBound
    else { return }
    // A delimiter must be at the start of a line, also after masking.
    let end = part.upperBound
    let lineBreak = bytes.has("\r\n", at: end - 2) ? 2 : bytes.has("\n", at: end - 1) ? 1 : 0
    let content = headEnd + 4..<max(headEnd + 4, end - lineBreak)
    guard !content.isEmpty, let text = String(validUTF8: bytes[content]) else {
      return
    }
    let lines = bytes[part.lowerBound..<headEnd].split { $0 == 0x0D || $0 == 0x0A }
      .map { String(decoding: $0, as: UTF8.self) }
    // A disposition has the syntax of a media type's subtype and parameters.
    let disposition = Self.field("content-disposition:", in: lines)
    let name = disposition.flatMap { MediaType("multipart/\($0)")?.parameters["name"] }
    let type = Self.field("content-type:", in: lines).flatMap(MediaType.init(_:))
    let masked = name.flatMap { mask($0, text) } ?? maskedBody(text, type: type, depth: depth + 1)
    if masked != text { builder.replace(content, with: masked) }
  }

  /// Returns the value of the first field with a name.
  ///
  /// A line that starts with white space continues the line before.
  private static func field(_ name: String, in lines: [String]) -> String? {
    var value: String?
    for line in lines {
      if value != nil {
        guard line.hasPrefix(" ") || line.hasPrefix("\t") else { break }
        value? += line
      } else if line.utf8.prefix(name.utf8.count).elementsEqual(name.utf8, by: { $0 | 0x20 == $1 })
      {
        value = line.dropFirst(name.count).trimmingCharacters(in: .whitespaces)
      }
    }
    return value
  }
}
