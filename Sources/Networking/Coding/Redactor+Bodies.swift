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
      var masker = MultipartMasker(
        data.bindMemory(to: UInt8.self), delimiter: Array("--\(boundary)".utf8))
      return masker.masked { head, content in
        // A disposition has the syntax of a media type's subtype and parameters.
        if let disposition = head.disposition.flatMap({ MediaType("multipart/\($0)") }),
          let name = disposition.parameters["name"], let mask = mask(name, content)
        {
          return mask
        }
        return maskedBody(content, type: head.type.flatMap(MediaType.init(_:)), depth: depth + 1)
      }
    }
  }
}

/// A masker for the parts of a multipart body, in one pass over the bytes.
///
/// Source: RFC 2046 section 5.1.1.
private struct MultipartMasker {
  /// The header fields of a part that describe it.
  struct Head {
    var disposition: String?
    var type: String?
  }

  private let bytes: UnsafeBufferPointer<UInt8>
  private let delimiter: [UInt8]
  private var output = Data()
  /// The end of the bytes that are in `output`.
  private var copied = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>, delimiter: [UInt8]) {
    self.bytes = bytes
    self.delimiter = delimiter
  }

  /// Returns the body with masked parts.
  ///
  /// - Parameter mask: A closure that returns the masked content of a part. It is called for parts
  ///   in UTF-8 that are not empty.
  /// - Returns: The body.
  mutating func masked(_ mask: (_ head: Head, _ content: String) -> String) -> Data {
    output.reserveCapacity(bytes.count)
    var (partStart, lineStart) = (0, 0)
    while lineStart < bytes.count {
      if lineStart >= partStart, bytes[lineStart...].starts(with: delimiter) {
        maskPart(partStart..<lineStart, mask)
        partStart = lineStart + delimiter.count
      }
      let lineBreak = bytes[lineStart...].firstIndex(of: UInt8(ascii: "\n"))
      lineStart = lineBreak.map { $0 + 1 } ?? bytes.count
    }
    maskPart(min(partStart, bytes.count)..<bytes.count, mask)
    copy(to: bytes.count)
    return output
  }

  private mutating func copy(to end: Int) {
    output.append(contentsOf: bytes[copied..<end])
    copied = end
  }

  private mutating func maskPart(
    _ part: Range<Int>, _ mask: (_ head: Head, _ content: String) -> String
  ) {
    guard let blankLine = blankLine(in: part) else { return }
    let start = blankLine + 4
    // A delimiter must be at the start of a line, also after masking.
    let end = bytes[start..<part.upperBound]
    let lineBreak = end.suffix(2).elementsEqual("\r\n".utf8) ? 2 : end.last == 0x0A ? 1 : 0
    let content = start..<(part.upperBound - lineBreak)
    guard !content.isEmpty, let text = String(validating: bytes[content], as: UTF8.self) else {
      return
    }
    let masked = mask(head(part.lowerBound..<blankLine), text)
    guard masked != text else { return }
    copy(to: content.lowerBound)
    output.append(contentsOf: masked.utf8)
    copied = content.upperBound
  }

  /// Returns the position of the line break before the empty line after the header fields.
  private func blankLine(in part: Range<Int>) -> Int? {
    var position = part.lowerBound
    while let carriage = bytes[position..<part.upperBound].firstIndex(of: 0x0D) {
      guard carriage + 4 <= part.upperBound else { return nil }
      if bytes[carriage + 1] == 0x0A, bytes[carriage + 2] == 0x0D, bytes[carriage + 3] == 0x0A {
        return carriage
      }
      position = carriage + 1
    }
    return nil
  }

  /// Returns the header fields of a part.
  ///
  /// A line that starts with white space continues the line before. The first field of a name
  /// counts.
  private func head(_ range: Range<Int>) -> Head {
    var head = Head()
    var field: WritableKeyPath<Head, String?>?
    for line in bytes[range].split(whereSeparator: { $0 == 0x0D || $0 == 0x0A }) {
      if line.first == UInt8(ascii: " ") || line.first == UInt8(ascii: "\t") {
        if let field { head[keyPath: field]? += String(decoding: line, as: UTF8.self) }
      } else if let name = Self.field(of: line), head[keyPath: name.field] == nil {
        field = name.field
        head[keyPath: name.field] = String(decoding: line[name.valueStart...], as: UTF8.self)
          .trimmingCharacters(in: .whitespaces)
      } else {
        field = nil
      }
    }
    return head
  }

  private static func field(
    of line: Slice<UnsafeBufferPointer<UInt8>>
  ) -> (field: WritableKeyPath<Head, String?>, valueStart: Int)? {
    func isNamed(_ name: StaticString) -> Bool {
      name.withUTF8Buffer { name in
        line.count > name.count && line[line.startIndex + name.count] == UInt8(ascii: ":")
          && zip(line, name).allSatisfy { $0 | 0x20 == $1 }
      }
    }
    if isNamed("content-disposition") { return (\.disposition, line.startIndex + 20) }
    if isNamed("content-type") { return (\.type, line.startIndex + 13) }
    return nil
  }
}
