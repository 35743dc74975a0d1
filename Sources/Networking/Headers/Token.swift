extension Collection<UInt8> {
  /// Whether these bytes are a token: what a method, a field's name or a media type's parts have to be.
  ///
  /// Source: RFC 9110 section 5.6.2.
  var isToken: Bool { !isEmpty && areAll(\.isTokenCharacter) }

  /// The same as `allSatisfy`, in one run over the bytes where they lie side by side.
  @inlinable
  package func areAll(_ isRight: (UInt8) -> Bool) -> Bool {
    withContiguousStorageIfAvailable { $0.allSatisfy(isRight) } ?? allSatisfy(isRight)
  }
}

extension StringProtocol {
  /// Whether this text is a token.
  var isToken: Bool { utf8.isToken }
}

// For other modules not generic: there it would not be specialised.

extension String {
  /// Whether this text is a token.
  package var isToken: Bool { utf8.isToken }
}

extension ArraySlice<UInt8> {
  /// Whether these bytes are a token.
  package var isToken: Bool { withUnsafeBufferPointer { $0.isToken } }
}

extension UInt8 {
  /// Whether a token may have it: a letter, a digit, or one of "!#$%&'*+-.^_`|~".
  var isTokenCharacter: Bool {
    // A bit for each character of ASCII, as every name of every message is looked at.
    let characters: UInt64 = self < 0x40 ? 0x03FF_6CFA_0000_0000 : 0x57FF_FFFF_C7FF_FFFE
    return self < 0x80 && characters >> (self & 0x3F) & 1 == 1
  }

  /// The letter in lower case, if it is one of ASCII's in upper case; else the same.
  var lowercasedASCII: UInt8 {
    self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z") ? self | 0x20 : self
  }
}
