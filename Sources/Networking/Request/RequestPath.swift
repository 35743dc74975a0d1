import CatenaSystem
public import Foundation

/// The target of a request: a path relative to the base URL, or an absolute URL.
///
/// ```swift
/// let path: RequestPath = "boards/\(id)/cards?owner=\(owner)"
/// ```
///
/// - The literal parts are not encoded. They are validated when the request is built.
/// - An interpolated value is percent-encoded as one segment of the path, or as one value of the
///   query. Characters such as `/`, `?`, `#` and `%` in it never act as delimiters.
/// - If an interpolated value makes a segment empty, `.` or `..`, the path is rejected with
///   ``NetworkError/Code-swift.enum/invalidURL``, because it would address another resource.
///   Encoding does not prevent that, because servers decode a segment before they interpret it.
/// - A value that is interpolated into the host of an absolute URL is rejected in the same way.
/// - `\(raw:)` inserts text as if it were part of the literal.
///
/// Source: RFC 3986 sections 2.3, 3.3 and 3.4.
public struct RequestPath: Sendable, Hashable, Codable {
  /// The path or URL with interpolated values encoded.
  public let text: String
  /// The description of an invalid interpolation.
  ///
  /// `nil` if there is none.
  let problem: String?
  /// The value of ``variables``.
  private var segments = Uncompared<UInt64>(wrappedValue: 0)

  private enum CodingKeys: CodingKey { case text, problem }

  /// The segments of the path that contain an interpolated value, for traces.
  ///
  /// The lowest bit is the text before the first slash, and bit 62 is all from the 62nd slash. The highest bit is
  /// set for a literal. Without it, the segments are unknown.
  package var variables: UInt64 { segments.wrappedValue }
}

extension RequestPath {
  /// Creates a path from a string, which is treated like a literal.
  ///
  /// - Parameter text: A path or an absolute URL.
  public init(raw text: String) { self.init(text: text, problem: nil) }

  /// Returns a path for an absolute or relative URL.
  ///
  /// - Parameter url: The URL. Its fragment is not sent.
  /// - Returns: The path.
  public static func url(_ url: URL) -> RequestPath { RequestPath(raw: url.absoluteString) }
}

extension RequestPath: BrieflyDescribed {
  /// The path or URL with interpolated values encoded, and `***` in place of secrets.
  ///
  /// ``text`` has the secrets.
  public var description: String { Redactor.standard.maskedURL(text) }

  /// A mirror without secrets.
  public var customMirror: Mirror { Mirror(self, children: ["text": description]) }
}

extension RequestPath: ExpressibleByStringInterpolation {
  /// Creates a path from a literal.
  ///
  /// - Parameter value: A path or an absolute URL.
  public init(stringLiteral value: String) {
    self.init(text: value, problem: nil, segments: Uncompared(wrappedValue: 1 << 63))
  }

  /// Creates a path from a literal with interpolated values.
  ///
  /// - Parameter stringInterpolation: The parts of the literal.
  public init(stringInterpolation: StringInterpolation) {
    let parts = stringInterpolation
    self.init(text: parts.text, problem: parts.problem, segments: parts.segments)
  }

  /// A collector of the parts of an interpolated literal.
  ///
  /// Interpolating an optional value is a compile-time error, because the result would be a path
  /// such as `boards/Optional(5)`.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""
    /// The positions of the encoded values in ``text``, as offsets in UTF-8.
    private var values: [Range<Int>] = []
    /// The value of ``RequestPath/variables``.
    fileprivate var segments = Uncompared<UInt64>(wrappedValue: 1 << 63)
    /// The number of slashes so far.
    ///
    /// From the query on it is at least 62.
    private var slashes: UInt64 = 0

    /// Creates an empty collector.
    ///
    /// - Parameters:
    ///   - literalCapacity: The approximate size of the literal parts.
    ///   - interpolationCount: The number of interpolated values.
    public init(literalCapacity: Int, interpolationCount: Int) {
      // A string of up to 15 bytes needs no allocation. A short literal with a number fits into it.
      if literalCapacity > 12 { text.reserveCapacity(literalCapacity + 16 * interpolationCount) }
    }

    /// Appends a literal part unchanged.
    ///
    /// - Parameter literal: The text.
    public mutating func appendLiteral(_ literal: String) {
      text += literal
      // In one piece, because an iterator of a string takes five times the instructions.
      let count = literal.utf8.withContiguousStorageIfAvailable { bytes in
        var count: UInt64 = 0
        for byte in bytes {
          count += byte == UInt8(ascii: "/") ? 1 : byte == UInt8(ascii: "?") ? 62 : 0
        }
        return count
      }
      slashes += count ?? 62
    }

    /// Appends the description of a value, encoded as one segment.
    ///
    /// - Parameter value: The value.
    public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
      append(value.description)
    }

    /// Appends the raw value of a value such as an enumeration case, encoded as one segment.
    ///
    /// - Parameter value: The value.
    public mutating func appendInterpolation<Value: RawRepresentable>(_ value: Value)
    where Value.RawValue: CustomStringConvertible {
      append(value.rawValue.description)
    }

    /// Appends the description of a value, encoded as one segment.
    ///
    /// - Parameter value: The value.
    public mutating func appendInterpolation<Value: RawRepresentable & CustomStringConvertible>(
      _ value: Value
    ) where Value.RawValue: CustomStringConvertible {
      append(value.description)
    }

    /// Appends text without encoding it, like a part of the literal.
    ///
    /// The text may contain any part of a URL. Do not pass untrusted values.
    ///
    /// - Parameter text: The text.
    public mutating func appendInterpolation(raw text: String) {
      self.text += text
      segments.wrappedValue = 0
    }

    private mutating func append(_ value: String) {
      let start = text.utf8.count
      text += PercentEncoding.url.encoded(value)
      values.append(start..<text.utf8.count)
      segments.wrappedValue |= 1 << min(slashes, 62)
    }
  }
}

extension RequestPath.StringInterpolation {
  /// The description of an invalid interpolation, or `nil` if there is none.
  ///
  /// Encoded values do not contain `/`, `?`, `:` and `#`. Each of these characters in the text
  /// therefore belongs to a literal part.
  fileprivate var problem: String? {
    guard !values.isEmpty else { return nil }
    var start = 0
    if let absolute = AbsoluteURLParts(text) {
      start = text.utf8.distance(from: text.startIndex, to: absolute.rest.startIndex)
      if values.contains(where: { $0.lowerBound <= start }) {
        return "a value is interpolated into the host, which requires \\(raw:)"
      }
    }
    var text = text
    return text.withUTF8 { problem(in: $0, from: start) }
  }

  /// Checks the path segments that contain an interpolated value.
  ///
  /// `start` is the offset of the path.
  private func problem(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> String? {
    let end =
      bytes[start...].firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
      ?? bytes.count
    for value in values where value.lowerBound <= end {
      let slash = UInt8(ascii: "/")
      let first = bytes[..<value.lowerBound].lastIndex(of: slash).map { $0 + 1 } ?? 0
      let last = bytes[value.upperBound..<end].firstIndex(of: slash) ?? end
      // Fast path: only an empty segment and one that starts with a dot can be invalid.
      if first < last, !".%".utf8.contains(bytes[first]) { continue }
      switch String(decoding: bytes[first..<last], as: UTF8.self).lowercased()
        .replacing("%2e", with: ".")
      {
      case "": return "an interpolated value is empty, so the path would address another resource"
      case ".", "..": return "an interpolated value creates a segment of only dots"
      default: break
      }
    }
    return nil
  }
}
