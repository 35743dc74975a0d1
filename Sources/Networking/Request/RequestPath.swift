import Foundation

/// Where a request goes: a path below a base URL, or an absolute URL.
///
/// ```swift
/// let path: RequestPath = "boards/\(id)/cards?owner=\(owner)"
/// ```
///
/// What is written stays as it is, and is checked when the request is built. What is interpolated is
/// percent-encoded as ONE segment of the path, or one value of the query: no `/`, `?`, `#` or `%` in it
/// gets out of its place. A segment that would come out empty, `.` or `..` for what was interpolated
/// names another resource than was meant, and no encoding saves it, as servers decode first; such a
/// path is refused with ``NetworkError/Code-swift.enum/invalidURL``, and so is a value inside the host
/// of an absolute URL. `\(raw:)` puts text in as if it had been written.
///
/// Source: RFC 3986 sections 2.3, 3.3 and 3.4.
public struct RequestPath: Sendable, Hashable {
  /// The path or URL, with what was interpolated encoded.
  public let text: String
  /// What is wrong with what was interpolated, or nil.
  let problem: String?

  init(text: String, problem: String?) {
    self.text = text
    self.problem = problem
  }

  /// Makes a path of text, as if it had been written in the place of a literal.
  ///
  /// - Parameter text: a path or an absolute URL.
  public init(raw text: String) {
    self.init(text: text, problem: nil)
  }

  /// An absolute URL, or one relative to the base URL.
  ///
  /// - Parameter url: the URL; its fragment is not sent.
  /// - Returns: a path that is the URL.
  public static func url(_ url: URL) -> RequestPath {
    RequestPath(raw: url.absoluteString)
  }
}

extension RequestPath: CustomStringConvertible {
  /// The path or URL, with what was interpolated encoded.
  public var description: String { text }
}

extension RequestPath: Codable {
  private enum CodingKeys: String, CodingKey {
    case text
    case problem
  }

  /// Reads a path.
  ///
  /// - Parameter decoder: what to read from.
  /// - Throws: what the decoder throws.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      text: try container.decode(String.self, forKey: .text),
      problem: try container.decodeIfPresent(String.self, forKey: .problem))
  }

  /// Writes the path; one that was refused stays so.
  ///
  /// - Parameter encoder: what to write to.
  /// - Throws: what the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(text, forKey: .text)
    try container.encodeIfPresent(problem, forKey: .problem)
  }
}

extension RequestPath: ExpressibleByStringInterpolation {
  /// Makes a path of a literal.
  ///
  /// - Parameter value: a path or an absolute URL.
  public init(stringLiteral value: String) {
    self.init(raw: value)
  }

  /// Makes a path of a literal with interpolated values.
  ///
  /// - Parameter stringInterpolation: what the compiler has gathered.
  public init(stringInterpolation: StringInterpolation) {
    self.init(text: stringInterpolation.text, problem: stringInterpolation.problem)
  }

  /// Gathers what is written and what is interpolated.
  ///
  /// An optional cannot be interpolated: `boards/Optional(5)` would never be what was meant.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""
    /// Where the interpolated values stand, as offsets in UTF-8.
    private var values: [Range<Int>] = []

    /// Makes room.
    ///
    /// - Parameters:
    ///   - literalCapacity: how much is written.
    ///   - interpolationCount: how many values are interpolated.
    public init(literalCapacity: Int, interpolationCount: Int) {
      // A text of up to 15 bytes takes no memory of its own: a short one with a number in it.
      if literalCapacity > 12 { text.reserveCapacity(literalCapacity + 16 * interpolationCount) }
    }

    /// Appends what is written.
    ///
    /// - Parameter literal: the text.
    public mutating func appendLiteral(_ literal: String) {
      text += literal
    }

    /// Appends a value's description, encoded as one segment.
    ///
    /// - Parameter value: the value.
    public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
      append(value.description)
    }

    /// Appends the text that a value, such as that of an enumeration, stands for, encoded as one
    /// segment.
    ///
    /// - Parameter value: the value.
    public mutating func appendInterpolation<Value: RawRepresentable>(_ value: Value)
    where Value.RawValue: CustomStringConvertible {
      append(value.rawValue.description)
    }

    /// Appends a value's description, encoded as one segment.
    ///
    /// - Parameter value: the value.
    public mutating func appendInterpolation<Value: RawRepresentable & CustomStringConvertible>(
      _ value: Value
    ) where Value.RawValue: CustomStringConvertible {
      append(value.description)
    }

    /// Appends text as if it had been written: nothing is encoded, and it may be any part of a URL.
    ///
    /// - Parameter text: the text; never a value from outside.
    public mutating func appendInterpolation(raw text: String) {
      self.text += text
    }

    private mutating func append(_ value: String) {
      let start = text.utf8.count
      text += PercentEncoding.url.encoded(value)
      values.append(start..<text.utf8.count)
    }
  }
}

extension RequestPath.StringInterpolation {
  /// What is wrong with the interpolated values where they stand, or nil.
  ///
  /// Encoded values have none of `/`, `?`, `:` and `#`, so those that are found were written.
  fileprivate var problem: String? {
    guard !values.isEmpty else { return nil }
    var start = 0
    if let absolute = AbsoluteURLParts(text) {
      start = text.utf8.distance(from: text.startIndex, to: absolute.rest.startIndex)
      if values.contains(where: { $0.lowerBound <= start }) {
        return "a value is interpolated into the host; \\(raw:) is for that"
      }
    }
    var text = text
    return text.withUTF8 { problem(in: $0, from: start) }
  }

  private func problem(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> String? {
    let end =
      bytes[start...].firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
      ?? bytes.count
    for value in values where value.lowerBound <= end {
      let slash = UInt8(ascii: "/")
      let first = bytes[..<value.lowerBound].lastIndex(of: slash).map { $0 + 1 } ?? 0
      let last = bytes[value.upperBound..<end].firstIndex(of: slash) ?? end
      if first < last, !".%".utf8.contains(bytes[first]) { continue }  // The usual, told quickly.
      switch String(decoding: bytes[first..<last], as: UTF8.self).lowercased()
        .replacing("%2e", with: ".")
      {
      case "": return "an interpolated value is empty, which would name another resource"
      case ".", "..": return "an interpolated value makes a segment of dots alone"
      default: break
      }
    }
    return nil
  }
}
