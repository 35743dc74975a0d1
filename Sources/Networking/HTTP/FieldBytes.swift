/// Bytes of the value of a header field.
typealias FieldBytes = Slice<UnsafeBufferPointer<UInt8>>

extension FieldBytes {
  /// Removes and returns the part before the next separator outside quotes, without surrounding
  /// white space.
  ///
  /// Returns `nil` at the end.
  mutating func popPart(before separator: UInt8) -> FieldBytes? {
    guard !isEmpty else { return nil }
    var (isQuoted, isEscaped) = (false, false)
    let end = firstIndex { byte in
      switch byte {
      case _ where isEscaped: isEscaped = false
      case UInt8(ascii: "\\") where isQuoted: isEscaped = true
      case UInt8(ascii: "\""): isQuoted.toggle()
      default: return byte == separator && !isQuoted
      }
      return false
    }
    let part = self[..<(end ?? endIndex)]
    self = self[(end.map { $0 + 1 } ?? endIndex)...]
    return part.trimmed
  }

  /// The text in lower case if it is a token, otherwise `nil`.
  var lowercasedToken: String? {
    guard !isEmpty, allSatisfy(\.isTokenCharacter) else { return nil }
    return String(unsafeUninitializedCapacity: count) { buffer in
      buffer.initialize(fromContentsOf: lazy.map(\.lowercasedASCII))
    }
  }

  /// The text without quotes and escapes if it is a quoted string, otherwise the text itself.
  var unquoted: String {
    let quote = UInt8(ascii: "\"")
    guard count >= 2, first == quote, last == quote else {
      return String(decoding: self, as: UTF8.self)
    }
    var (text, isEscaped) = ([UInt8](), false)
    for byte in dropFirst().dropLast() {
      isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
      if !isEscaped { text.append(byte) }
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension String {
  /// The text as a quoted string, with escaped quotes and backslashes.
  ///
  /// Source: RFC 9110 section 5.6.4.
  var quotedString: String {
    let quote = UInt8(ascii: "\"")
    let escaped = utf8.flatMap { byte -> [UInt8] in
      byte == quote || byte == UInt8(ascii: "\\") ? [UInt8(ascii: "\\"), byte] : [byte]
    }
    return String(decoding: [quote] + escaped + [quote], as: UTF8.self)
  }
}
