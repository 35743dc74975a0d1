/// A media type, `text/html; charset=utf-8`, or a range of them, `text/*`.
///
/// Type, subtype and the names of parameters are compared without regard to case and kept in lower
/// case; values of parameters are kept as given, without their quotes.
///
/// Source: RFC 9110 sections 8.3.1 and 12.5.1.
public struct MediaType: Sendable, Hashable, CustomStringConvertible {
  /// The type before the slash, in lower case; `*` in a range of all.
  public let type: String
  /// The subtype after the slash, in lower case; `*` in a range.
  public let subtype: String
  /// The parameters by lowercased name; of a name given twice the first counts.
  public let parameters: [String: String]

  /// Reads a media type or a range.
  ///
  /// - Parameter text: the value of a header field, one member of a list. Nil when it is not
  ///   `type/subtype` with tokens on both sides; malformed parameters are passed over.
  public init?(_ text: String) {
    var parts = Self.split(text, at: ";")[...]
    let names = (parts.popFirst() ?? "").split(separator: "/", omittingEmptySubsequences: false)
    guard names.count == 2, names.allSatisfy({ $0.isToken }) else { return nil }
    type = names[0].lowercased()
    subtype = names[1].lowercased()
    guard type != "*" || subtype == "*" else { return nil }
    var parameters: [String: String] = [:]
    for part in parts {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard pair.count == 2, pair[0].isToken else { continue }
      let name = pair[0].lowercased()
      if parameters[name] == nil { parameters[name] = Self.unquote(pair[1]) }
    }
    self.parameters = parameters
  }

  /// Whether this type is in a range.
  ///
  /// A parameter of the range has to be on this type too, with the same value; `q` is none. The value
  /// of `charset` is compared without regard to case.
  ///
  /// - Parameter range: a type, or a range such as `text/*` or `*/*`.
  /// - Returns: true when it is.
  public func matches(_ range: MediaType) -> Bool {
    guard range.type == "*" || range.type == type, range.subtype == "*" || range.subtype == subtype
    else { return false }
    return range.parameters.allSatisfy { name, value in
      if name == "q" { return true }
      guard let own = parameters[name] else { return false }
      return name == "charset" ? own.lowercased() == value.lowercased() : own == value
    }
  }

  /// `type/subtype`, without parameters.
  public var description: String { "\(type)/\(subtype)" }

  /// The members of a list such as the value of `Accept`; members that are no media type are left out.
  static func list(_ text: String) -> [MediaType] {
    split(text, at: ",").compactMap { MediaType(String($0)) }
  }

  /// The parts between separators outside quotes, with the white space around them taken off.
  private static func split(_ text: String, at separator: Character) -> [Substring] {
    var parts: [Substring] = []
    var start = text.startIndex
    var (isQuoted, isEscaped) = (false, false)
    for index in text.indices {
      switch text[index] {
      case _ where isEscaped: isEscaped = false
      case "\\" where isQuoted: isEscaped = true
      case "\"": isQuoted.toggle()
      case separator where !isQuoted:
        parts.append(text[start..<index].trimmed)
        start = text.index(after: index)
      default: break
      }
    }
    parts.append(text[start...].trimmed)
    return parts
  }

  private static func unquote(_ value: Substring) -> String {
    guard value.count >= 2, value.first == "\"", value.last == "\"" else { return String(value) }
    var (text, isEscaped) = ("", false)
    for character in value.dropFirst().dropLast() {
      if character == "\\", !isEscaped {
        isEscaped = true
      } else {
        text.append(character)
        isEscaped = false
      }
    }
    return text
  }
}

extension Substring {
  fileprivate var trimmed: Substring {
    let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    guard let last = lastIndex(where: { !isSpace($0) }) else { return "" }
    return self[...last].drop(while: isSpace)
  }
}
