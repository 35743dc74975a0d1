import CatenaSystem
package import Foundation
package import Networking

extension Redactor {
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

  private func maskedBody(_ text: String, type: MediaType?, depth: Int) -> String {
    let masked = type.flatMap { maskedMultipart(Data(text.utf8), type: $0, depth: depth) }
    return masked.map { String(decoding: $0, as: UTF8.self) } ?? maskedBody(text, type: type)
  }

  private func maskedMultipart(_ data: Data, type: MediaType, depth: Int) -> Data? {
    guard type.type == "multipart", depth < Self.maximumMultipartDepth,
      let boundary = type.parameters["boundary"], !boundary.isEmpty,
      boundary.utf8.count <= Self.maximumBoundaryLength
    else { return nil }
    return data.withUnsafeBytes { bytes in
      let delimiter = Array("--\(boundary)".utf8)
      var (masked, copied) = (Data(), 0)
      var (partStart, lineStart) = (0, 0)
      while true {
        let isEnd = lineStart == bytes.count
        if isEnd || lineStart >= partStart && bytes[lineStart...].starts(with: delimiter) {
          let part = bytes[min(partStart, lineStart)..<lineStart]
          if let (range, text) = maskedContent(of: part, depth) {
            masked += bytes[copied..<range.lowerBound]
            masked += text.utf8
            copied = range.upperBound
          }
          partStart = lineStart + delimiter.count
        }
        if isEnd { break }
        let lineEnd = bytes[lineStart...].firstIndex(of: UInt8(ascii: "\n"))
        lineStart = lineEnd.map { $0 + 1 } ?? bytes.count
      }
      return masked + bytes[copied...]
    }
  }

  /// Returns the range of a part's content, and its masked text if it is text in UTF-8 with a secret.
  private func maskedContent(
    of part: Slice<UnsafeRawBufferPointer>, _ depth: Int
  ) -> (range: Range<Int>, text: String)? {
    guard let headEnd = part.indices.first(where: { part[$0...].starts(with: "\r\n\r\n".utf8) }),
      headEnd + 4 < part.endIndex
    else { return nil }
    // A delimiter must be at the start of a line, also after masking.
    let end = part.endIndex
    let lineBreak =
      part[headEnd...].suffix(2).elementsEqual("\r\n".utf8) ? 2 : part.last == 0x0A ? 1 : 0
    let content = headEnd + 4..<max(headEnd + 4, end - lineBreak)
    guard !content.isEmpty, let text = String(validUTF8: part[content]) else {
      return nil
    }
    let lines = part[..<headEnd].split { $0 == 0x0D || $0 == 0x0A }
      .map { String(decoding: $0, as: UTF8.self) }
    // A disposition has the syntax of a media type's subtype and parameters.
    let disposition = Self.field("content-disposition:", in: lines)
    let name = disposition.flatMap { MediaType("multipart/\($0)")?.parameters["name"] }
    let type = Self.field("content-type:", in: lines).flatMap(MediaType.init(_:))
    let masked = name.flatMap { mask($0, text) } ?? maskedBody(text, type: type, depth: depth + 1)
    return masked == text ? nil : (content, masked)
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
