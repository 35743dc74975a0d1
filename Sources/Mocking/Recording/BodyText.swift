import Foundation
import Networking

/// How bytes of a body are written down as text, and made of it again, without loss.
enum HARBodyCoding {
  /// The text, and `base64` when it is that.
  static func of(_ data: Data, mimeType: String) -> (text: String, encoding: String?) {
    let encoding = charset(of: mimeType)
    if encoding == .utf8 {
      if let text = String(validating: data, as: UTF8.self) { return (text, nil) }
    } else if let text = String(data: data, encoding: encoding), text.data(using: encoding) == data
    {
      return (text, nil)
    }
    return (data.base64EncodedString(), "base64")
  }

  /// The bytes; nil when they are to be base64 and are not.
  static func data(_ text: String, encoding: String?, mimeType: String) -> Data? {
    if encoding?.lowercased() == "base64" {
      return Data(base64Encoded: text, options: .ignoreUnknownCharacters).flatMap {
        $0.isEmpty && !text.isEmpty ? nil : $0
      }
    }
    // Others write text whose characters the named set may lack.
    return text.data(using: charset(of: mimeType)) ?? Data(text.utf8)
  }

  private static func charset(of mimeType: String) -> String.Encoding {
    switch MediaType(mimeType)?.parameters["charset"]?.lowercased() {
    case "iso-8859-1", "latin1": .isoLatin1
    case "windows-1252": .windowsCP1252
    default: .utf8
    }
  }
}

extension HAR.Content {
  /// The body; nil when its base64 is none.
  var data: Data? { HARBodyCoding.data(text ?? "", encoding: encoding, mimeType: mimeType) }

  /// Puts in another body.
  mutating func set(_ data: Data) {
    (text, encoding) = HARBodyCoding.of(data, mimeType: mimeType)
    if data.isEmpty { text = nil }
    size = data.count
  }
}

extension HAR.PostData {
  /// Whether its base64, if it is to be that, is.
  var isReadable: Bool {
    encoding != "base64" || HARBodyCoding.data(text ?? "", encoding: encoding, mimeType: mimeType) != nil
  }

  /// The body as text, put together of the parameters where there is no text.
  var content: String {
    text
      ?? (params ?? []).map { field in
        "\(FormURLCoding.encode(field.name))=\(FormURLCoding.encode(field.value ?? ""))"
      }.joined(separator: "&")
  }
}

/// The bytes of a request's body, without taking them from whoever sends them.
enum LimitedBodyReader {
  /// Reads a body.
  ///
  /// - Returns: nil when it is beyond the limit, cannot be read, or can be read but once.
  static func read(_ body: HTTPBody, limit: Int) -> Data? {
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
      }
    }
    return bytes
  }

  private static func contents(of file: URL, limit: Int) -> Data? {
    guard let handle = try? FileHandle(forReadingFrom: file) else { return nil }
    defer { try? handle.close() }
    // One byte more than is allowed tells whether there is more.
    var bytes = Data()
    while bytes.count <= limit {
      guard let more = try? handle.read(upToCount: min(limit + 1 - bytes.count, 1 << 16)) else {
        break
      }
      guard !more.isEmpty else { break }
      bytes += more
    }
    return bytes.count <= limit ? bytes : nil
  }
}

/// The fields that carry cookies, taken apart.
///
/// Source: RFC 6265 sections 4.1.1 and 4.2.1.
enum CookieHeader {
  /// The cookies of a `Cookie` field.
  static func sent(_ value: String) -> [HAR.Cookie] {
    value.split(separator: ";").compactMap { pair($0) }.map {
      HAR.Cookie(name: $0.name, value: $0.value)
    }
  }

  /// The cookie of a `Set-Cookie` field; nil when it has no name.
  static func set(_ value: String) -> HAR.Cookie? {
    let parts = value.split(separator: ";", omittingEmptySubsequences: false)
    guard let first = parts.first, let (name, value) = pair(first) else { return nil }
    var cookie = HAR.Cookie(name: name, value: value)
    for part in parts.dropFirst() {
      let attribute = pair(part) ?? (trimmed(part), "")
      switch attribute.0.lowercased() {
      case "path": cookie.path = attribute.1
      case "domain": cookie.domain = attribute.1
      case "expires": cookie.expires = moment(attribute.1)
      case "httponly": cookie.httpOnly = true
      case "secure": cookie.secure = true
      default: break
      }
    }
    return cookie
  }

  /// A field with the values of its cookies replaced, names and attributes kept.
  static func replacingValues(
    _ value: String, isSet: Bool, _ replacement: (_ name: String, _ value: String) -> String
  ) -> String {
    let parts = value.split(separator: ";", omittingEmptySubsequences: false)
    return parts.enumerated().map { index, part -> String in
      guard index == 0 || !isSet else { return String(part) }
      let space = part.prefix { $0 == " " }
      guard let (name, value) = pair(part) else {
        return trimmed(part).isEmpty ? String(part) : space + replacement("", trimmed(part))
      }
      return "\(space)\(name)=\(replacement(name, value))"
    }.joined(separator: ";")
  }

  private static func pair(_ text: Substring) -> (name: String, value: String)? {
    guard let equals = text.firstIndex(of: "=") else { return nil }
    return (trimmed(text[..<equals]), trimmed(text[text.index(after: equals)...]))
  }

  private static func trimmed(_ text: Substring) -> String {
    text.trimmingCharacters(in: .whitespaces)
  }

  /// `Wed, 21 Oct 2026 07:28:00 GMT` in ISO 8601; nil when it is something else.
  private static func moment(_ text: String) -> String? {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    for format in ["EEE, dd MMM yyyy HH:mm:ss zzz", "EEE, dd-MMM-yyyy HH:mm:ss zzz"] {
      formatter.dateFormat = format
      if let date = formatter.date(from: text) { return HAR.Entry.timestamp(date) }
    }
    return nil
  }
}
