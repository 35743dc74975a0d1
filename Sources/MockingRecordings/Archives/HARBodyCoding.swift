import CatenaSystem
package import Foundation
import Mocking
package import Networking

/// A lossless coding of bodies as text in an HTTP archive.
enum HARBodyCoding {
  /// Encodes a body in the charset of its media type, or in base64 if that would lose bytes.
  ///
  /// - Parameters:
  ///   - data: The body.
  ///   - mimeType: The media type with its parameters.
  /// - Returns: The text and its encoding: `base64`, or `nil` for text in the charset.
  static func encode(_ data: Data, mimeType: String) -> (text: String, encoding: String?) {
    let encoding = charset(of: mimeType)
    if encoding == .utf8 {
      if let text = String(validUTF8: data) { return (text, nil) }
    } else if let text = String(data: data, encoding: encoding), text.data(using: encoding) == data
    {
      return (text, nil)
    }
    return (data.base64EncodedString(), "base64")
  }

  /// Decodes a body.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - encoding: The encoding: `base64`, or `nil` for text in the charset of the media type.
  ///   - mimeType: The media type with its parameters.
  /// - Returns: The body, or `nil` if the encoding is base64 and the text is invalid.
  static func decode(_ text: String, encoding: String?, mimeType: String) -> Data? {
    if encoding?.lowercased() == "base64" {
      // Some programs break lines. Spaces are those of a plain text.
      return Data(base64Encoded: Data(text.utf8.lazy.filter { $0 >= 0x20 }))
    }
    // Falls back to UTF-8, because other programs write characters that are not in the charset.
    return text.data(using: charset(of: mimeType)) ?? Data(text.utf8)
  }

  private static func charset(of mimeType: String) -> String.Encoding {
    // A text in UTF-16 or UTF-32 may have a byte order mark, which the conversion would not keep.
    guard let name = MediaType(mimeType)?.parameters["charset"],
      let encoding = String.Encoding(charset: name), encoding.unitSize == 1
    else { return .utf8 }
    return encoding
  }
}

extension HAR.Content {
  /// The decoded body, or `nil` if its base64 is invalid.
  ///
  /// Of a response, use ``HAR/Response/body``.
  var data: Data? { HARBodyCoding.decode(text ?? "", encoding: encoding, mimeType: mimeType) }

  /// Replaces the body.
  package mutating func set(_ data: Data) {
    (text, encoding) = HARBodyCoding.encode(data, mimeType: mimeType)
    if data.isEmpty { text = nil }
    size = data.count
  }
}

extension HAR.Response {
  /// The body without its content coding, or `nil` if its base64 is invalid.
  ///
  /// Some programs record the bytes in the coding of `Content-Encoding`. These are in the form of the
  /// coding, or have the recorded size after decoding. Bytes that cannot be decoded are returned as they
  /// are; see ``remainingCodings``.
  var body: Data? {
    guard let data = content.data, content.encoding != nil else { return content.data }
    guard MediaType(content.mimeType)?.subtype.contains("gzip") != true,
      let decoded = ContentCoding.decoded(data, codings: codings),
      isCoded(data) || decoded.count == content.size
    else { return data }
    return decoded
  }

  /// The values of `Content-Encoding` that apply to ``body``, because it cannot be decoded.
  var remainingCodings: [String] {
    guard content.encoding != nil, let data = content.data, isCoded(data),
      ContentCoding.decoded(data, codings: codings) == nil
    else { return [] }
    return codings
  }

  private var codings: [String] {
    headers.filter { $0.name.lowercased() == "content-encoding" }.map(\.value)
  }

  /// Returns whether the bytes of a body are in the form of their last coding.
  ///
  /// They start as it does, or, if all bytes are possible in it, they are no text although the type is
  /// one.
  ///
  /// Source: RFC 1950 section 2.2, RFC 1952 section 2.3.1, RFC 8878 section 3.1.1.
  private func isCoded(_ data: Data) -> Bool {
    let type = MediaType(content.mimeType)
    let coding = codings.last?.lowercased().split(separator: ",").last.map {
      String($0).trimmingOptionalWhitespace
    }
    guard let coding, coding != "identity", type?.subtype.contains("gzip") != true else {
      return false
    }
    let start = data.prefix(2).map(Int.init)
    if coding == "gzip" || coding == "x-gzip" { return start == [0x1F, 0x8B] }
    if coding == "zstd" { return data.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) }
    if coding == "deflate", start.count == 2, start[0] & 0x0F == 8,
      (start[0] << 8 + start[1]).isMultiple(of: 31)
    {
      return true
    }
    return type?.isUTF8Text == true && String(validUTF8: data) == nil
      && data.contains { $0 < 0x20 && !"\t\n\r".utf8.contains($0) }
  }
}

extension MediaType {
  /// Whether the type is a text, or JSON, in UTF-8.
  fileprivate var isUTF8Text: Bool {
    (type == "text" || subtype.hasSuffix("json")) && parameters["charset"] == nil
  }
}

extension HAR.PostData {
  /// Whether the body can be decoded.
  var isReadable: Bool {
    encoding != "base64"
      || HARBodyCoding.decode(text ?? "", encoding: encoding, mimeType: mimeType) != nil
  }

  /// The body as text, which is built from the parameters if the archive has no text.
  var content: String {
    text
      ?? (params ?? []).map { field in
        "\(FormURLCoding.encode(field.name))=\(FormURLCoding.encode(field.value ?? ""))"
      }.joined(separator: "&")
  }
}

/// A reader of request bodies up to a size limit.
///
/// The bodies can be read again.
package enum LimitedBodyReader {
  /// Reads a body.
  ///
  /// - Parameters:
  ///   - body: The body.
  ///   - limit: The maximum number of bytes.
  /// - Returns: The bytes, or `nil` if there are more than the limit, if a file cannot be read, or
  ///   if the body has a stream or is empty.
  package static func read(_ body: HTTPBody, limit: Int) -> Data? {
    if case .data(let data) = body { return data.count <= limit ? data : nil }
    let pieces = body.allPieces
    guard !pieces.isEmpty else { return nil }
    var bytes = Data()
    for piece in pieces {
      switch piece {
      case .data(let data):
        guard bytes.count + data.count <= limit else { return nil }
        bytes += data
      case .file(let file):
        guard let data = contents(of: file, limit: limit - bytes.count) else { return nil }
        bytes += data
      case .stream: return nil
      }
    }
    return bytes
  }

  private static func contents(of file: URL, limit: Int) -> Data? {
    guard let file = try? OpenFile(file.path), let length = try? file.length, length <= limit
    else { return nil }
    return try? file.read(Int(length))
  }
}
