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
    if let absolute = RequestPath.absoluteParts(of: text) {
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
