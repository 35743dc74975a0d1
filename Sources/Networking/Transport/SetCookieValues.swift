/// Takes several `Set-Cookie` values apart that have been joined by commas, as Foundation does.
///
/// A comma stands between two values where a name and an equals sign follow it. In a date, the only
/// other place for one, a day's number follows; names, values and paths have no commas if they keep to
/// the rules.
///
/// Source: RFC 6265 section 4.1.1, RFC 9110 section 5.3.
enum SetCookieValues {
  /// The values of a joined one, in order.
  static func split(_ joined: String) -> [String] {
    var values: [String] = []
    for part in joined.split(separator: ",", omittingEmptySubsequences: false) {
      if let last = values.last, !beginsCookie(part) {
        values[values.count - 1] = last + "," + part
      } else {
        values.append(String(values.isEmpty ? part : part.drop { $0 == " " }))
      }
    }
    return values
  }

  private static func beginsCookie(_ part: Substring) -> Bool {
    let text = part.drop { $0 == " " }
    guard let equals = text.firstIndex(of: "=") else { return false }
    return text[..<equals].isToken
  }
}
