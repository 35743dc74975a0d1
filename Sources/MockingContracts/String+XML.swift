extension String {
  /// This text for an element or a quoted attribute of an XML document.
  ///
  /// A parser returns it unchanged, except for characters that XML does not allow, which are replaced by
  /// `U+FFFD`.
  ///
  /// Source: XML 1.0 sections 2.2, 2.4, 2.11 and 3.3.3.
  var escapedForXML: String {
    var escaped = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      // A parser replaces them in an attribute by spaces, and a carriage return everywhere.
      case "\t", "\n", "\r": escaped += "&#\(scalar.value);"
      // XML has no other control characters, even as references.
      case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
