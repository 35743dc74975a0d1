public import Foundation
public import Networking

/// A part of a multipart body of a received request, such as a field or a file of a form.
///
/// Source: RFC 7578.
public struct RequestPart: Sendable, Hashable {
  /// The name of the field.
  ///
  /// Empty if the part has none.
  public let name: String
  /// The name of the file.
  ///
  /// `nil` if the part is not a file.
  public let fileName: String?
  /// The header fields of the part.
  public let headers: HTTPHeaders
  /// The content of the part.
  public let body: Data

  /// The content type of the part, with its parameters.
  ///
  /// `nil` if the part does not declare one; it is then plain text.
  public var contentType: String? { headers["Content-Type"] }

  /// The content as UTF-8, with invalid sequences replaced.
  public var text: String { String(decoding: body, as: UTF8.self) }

  /// The limit for the number of parts.
  ///
  /// Further parts are ignored.
  private static let maximumCount = 1_000
  /// The limit for the number of header lines of a part.
  ///
  /// Further lines belong to the content.
  private static let maximumHeaderCount = 100
  /// The limit for the length of a boundary.
  ///
  /// Source: RFC 2046 section 5.1.1.
  private static let maximumBoundaryLength = 70

  /// Parses a multipart body in one pass.
  ///
  /// - Parameters:
  ///   - body: The body. A last part without a closing delimiter is ignored.
  ///   - type: The media type of the body.
  /// - Returns: The parts. Empty if the media type is not multipart or has no boundary.
  static func parts(of body: Data, _ type: MediaType) -> [RequestPart] {
    guard type.type == "multipart", let boundary = type.parameters["boundary"], !boundary.isEmpty,
      boundary.utf8.count <= maximumBoundaryLength
    else { return [] }
    let delimiter = Array("--\(boundary)".utf8)
    return body.withUnsafeBytes { bytes in
      var parts: [RequestPart] = []
      var partStart: Int?
      var lineStart = 0
      while lineStart < bytes.count, parts.count < maximumCount {
        let lineEnd = bytes.lineEnd(from: lineStart)
        defer { lineStart = lineEnd + 1 }
        guard bytes.contains(delimiter, at: lineStart) else { continue }
        let suffix = bytes[(lineStart + delimiter.count)..<lineEnd]
        // A longer line with this prefix is the delimiter of another boundary.
        guard suffix.allSatisfy({ " \t\r-".utf8.contains($0) }) else { continue }
        if let partStart {
          let end = max(partStart, lineStart)
          parts.append(part(UnsafeRawBufferPointer(rebasing: bytes[partStart..<end])))
        }
        if suffix.starts(with: "--".utf8) { break }
        partStart = min(lineEnd + 1, bytes.count)
      }
      return parts
    }
  }

  /// Parses the header fields and the content of a part, which ends with a line break.
  private static func part(_ bytes: UnsafeRawBufferPointer) -> RequestPart {
    var end = bytes.count
    if end > 0, bytes[end - 1] == UInt8(ascii: "\n") { end -= 1 }
    if end > 0, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
    let bytes = UnsafeRawBufferPointer(rebasing: bytes[..<end])
    var headers = HTTPHeaders()
    var position = 0
    for _ in 0..<maximumHeaderCount where position < bytes.count {
      let lineEnd = bytes.lineEnd(from: position)
      let line = String(
        decoding: UnsafeRawBufferPointer(rebasing: bytes[position..<lineEnd]), as: UTF8.self
      ).trimmingCharacters(in: .whitespacesAndNewlines)
      position = min(lineEnd + 1, bytes.count)
      if line.isEmpty { break }
      guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else { continue }
      headers.add(
        line[line.utf8.index(after: colon)...].trimmingCharacters(in: .whitespaces),
        for: String(line[..<colon]))
    }
    // A disposition has the syntax of a media type's subtype and parameters.
    let disposition = headers["Content-Disposition"].flatMap { MediaType("multipart/\($0)") }
    return RequestPart(
      name: disposition?.parameters["name"] ?? "",
      fileName: disposition?.parameters["filename"], headers: headers,
      body: Data(UnsafeRawBufferPointer(rebasing: bytes[position...])))
  }
}

extension UnsafeRawBufferPointer {
  /// Returns whether bytes are at a position.
  fileprivate func contains(_ bytes: [UInt8], at position: Int) -> Bool {
    guard let baseAddress, count - position >= bytes.count else { return false }
    return memcmp(baseAddress + position, bytes, bytes.count) == 0
  }

  /// Returns the position of the first line feed at or after a position, or the end.
  fileprivate func lineEnd(from position: Int) -> Int {
    guard let baseAddress, position < count,
      let found = memchr(baseAddress + position, Int32(UInt8(ascii: "\n")), count - position)
    else { return count }
    return UnsafeRawPointer(found) - baseAddress
  }
}
