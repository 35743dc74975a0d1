extension String {
  /// This text for an element or a quoted attribute of an XML document.
  ///
  /// A parser returns it unchanged: it would replace line ends and tabs of an attribute by spaces, so
  /// they are references. Characters that XML does not allow, even as references, are replaced.
  ///
  /// Source: XML 1.0 sections 2.2, 2.4 and 3.3.3.
  var escapedForXML: String {
    var escaped = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "\t", "\n", "\r": escaped += "&#\(scalar.value);"
      case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
