import Foundation
import Networking

/// A value of the `Content-Range` field in bytes.
///
/// Source: RFC 9110 section 14.4.
struct ContentRange: Equatable {
  /// The bytes of the range.
  ///
  /// `nil` for the value of a 416, which has only the total.
  var bytes: Range<Int64>?
  /// The total number of bytes.
  ///
  /// `nil` if the server does not know it.
  var total: Int64?

  init(bytes: Range<Int64>?, total: Int64?) {
    self.bytes = bytes
    self.total = total
  }

  /// Parses a value such as `bytes 0-499/1234`, `bytes 0-499/*` or `bytes */1234`.
  ///
  /// - Returns: `nil` if the value is invalid, has another unit, or contradicts itself.
  init?(_ text: String) {
    let words = text.split(separator: " ", omittingEmptySubsequences: true)
    guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
    let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    if parts[1] != "*" {
      guard let total = Self.number(parts[1]) else { return nil }
      self.total = total
    }
    if parts[0] == "*" {
      guard total != nil else { return nil }
      return
    }
    let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]),
      first <= last, last < total ?? .max
    else { return nil }
    bytes = first..<(last + 1)
  }

  /// Parses decimal digits; `Int64` alone would accept a sign.
  static func number(_ text: Substring) -> Int64? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int64(text)
  }
}

/// A strong validator of a representation: two responses with the same one have the same bytes.
///
/// Source: RFC 9110 sections 8.8 and 13.1.5.
enum StrongValidator: Sendable, Hashable, Codable {
  case entityTag(String)
  case lastModified(String)

  /// Makes the validator of a response: a strong entity tag, or a date of modification that is at
  /// least one second before that of the response.
  ///
  /// The result is `nil` if there is neither.
  /// A weak entity tag rules a date out, because `If-Range` must not have one if there is a tag.
  ///
  /// - Parameters:
  ///   - headers: The header fields of the response.
  ///   - now: The current time.
  init?(_ headers: HTTPHeaders, now: Date) {
    let tags = headers.values(for: "ETag")
    guard tags.isEmpty else {
      guard tags.count == 1, let tag = tags.first, Self.isStrongTag(tag) else { return nil }
      self = .entityTag(tag)
      return
    }
    let dates = headers.values(for: "Last-Modified")
    guard dates.count == 1, let text = dates.first,
      let modified = HTTPDate.parse(text, now: now),
      let date = headers["Date"].flatMap({ HTTPDate.parse($0, now: now) }),
      date.timeIntervalSince(modified) >= 1
    else { return nil }
    self = .lastModified(text)
  }

  /// The value of the `If-Range` field.
  var fieldValue: String {
    switch self {
    case .entityTag(let tag): tag
    case .lastModified(let date): date
    }
  }

  /// Whether the value can be sent, which that of a stored state need not be.
  var isValid: Bool {
    switch self {
    case .entityTag(let tag): Self.isStrongTag(tag)
    case .lastModified(let date): date.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }
  }

  /// Whether a response with these fields may be of the same representation.
  ///
  /// A response without the field of the validator may be.
  func allows(_ headers: HTTPHeaders) -> Bool {
    switch self {
    case .entityTag(let tag): headers.values(for: "ETag").allSatisfy { $0 == tag }
    case .lastModified(let date): headers.values(for: "Last-Modified").allSatisfy { $0 == date }
    }
  }

  private static func isStrongTag(_ tag: String) -> Bool {
    let bytes = Array(tag.utf8)
    guard bytes.count >= 2, bytes.first == 0x22, bytes.last == 0x22 else { return false }
    return bytes.dropFirst().dropLast().allSatisfy { $0 == 0x21 || $0 > 0x22 && $0 != 0x7F }
  }
}

extension Response {
  /// The value of `Content-Range`.
  ///
  /// `nil` if there is none, or no valid one.
  var contentRange: ContentRange? {
    let values = headers.values(for: "Content-Range")
    return values.count == 1 ? ContentRange(values[0]) : nil
  }

  /// Whether the body has a content coding, so that its bytes are not those of the file.
  var hasContentCoding: Bool {
    headers.values(for: "Content-Encoding").contains { value in
      !["", "identity"].contains(value.trimmingCharacters(in: .whitespaces).lowercased())
    }
  }

  /// The length in `Content-Length`.
  ///
  /// `nil` if there is none, or if the body has a content coding.
  var declaredLength: Int64? {
    hasContentCoding
      ? nil : headers["Content-Length"].flatMap { ContentRange.number(Substring($0)) }
  }
}
