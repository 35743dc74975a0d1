/// A media type, such as `text/html; charset=utf-8`, or a media range, such as `text/*`.
///
/// The type, the subtype and the names of parameters are case-insensitive and are stored in lower
/// case. The values of parameters are stored as given, without quotes.
///
/// Source: RFC 9110 sections 8.3.1 and 12.5.1.
public struct MediaType: Sendable, Hashable, CustomStringConvertible {
  /// The type before the slash, in lower case.
  ///
  /// `*` in the range `*/*`.
  public let type: String
  /// The subtype after the slash, in lower case.
  ///
  /// `*` in a range.
  public let subtype: String
  /// The parameters by lower-case name.
  ///
  /// If a name occurs more than once, the first parameter is used.
  public let parameters: [String: String]

  /// Parses a media type or a media range.
  ///
  /// The result is `nil` if the text is not `type/subtype` with two tokens. Malformed parameters
  /// are ignored.
  ///
  /// - Parameter text: The value of a header field, or one member of a list.
  public init?(_ text: String) {
    var text = text
    guard let parsed = text.withUTF8({ MediaType($0[...]) }) else { return nil }
    self = parsed
  }

  /// Returns whether this type matches a range.
  ///
  /// Each parameter of the range, except `q`, must be present with the same value. Parameters that
  /// the range does not have are ignored.
  ///
  /// The value of `charset` is case-insensitive, and a type without a `charset` counts as UTF-8: the
  /// type `application/json` matches `application/json; charset=utf-8`.
  ///
  /// - Parameter range: A type, or a range such as `text/*` or `*/*`.
  /// - Returns: Whether this type matches.
  public func matches(_ range: MediaType) -> Bool {
    guard range.type == "*" || range.type == type, range.subtype == "*" || range.subtype == subtype
    else { return false }
    return range.parameters.allSatisfy { name, value in
      switch name {
      case "q": true
      case "charset": (parameters[name] ?? "utf-8").lowercased() == value.lowercased()
      default: parameters[name] == value
      }
    }
  }

  /// Creates a media type without parameters from two tokens in lower case.
  init(type: String, subtype: String) {
    self.type = type
    self.subtype = subtype
    parameters = [:]
  }

  /// `type/subtype`, without parameters.
  public var description: String { "\(type)/\(subtype)" }

  /// Returns the members of a list, such as the value of `Accept`.
  ///
  /// Malformed members are ignored.
  static func list(_ text: String) -> [MediaType] {
    var text = text
    return text.withUTF8 { bytes in
      var members: [MediaType] = []
      var rest = bytes[...]
      while let part = rest.popPart(before: UInt8(ascii: ",")) {
        if let member = MediaType(part) { members.append(member) }
      }
      return members
    }
  }

  private init?(_ text: FieldBytes) {
    var rest = text
    guard let names = rest.popPart(before: UInt8(ascii: ";")),
      let slash = names.firstIndex(of: UInt8(ascii: "/")),
      let type = names[..<slash].lowercasedToken,
      let subtype = names[(slash + 1)...].lowercasedToken,
      type != "*" || subtype == "*"
    else { return nil }
    self.type = type
    self.subtype = subtype
    var parameters: [String: String] = [:]
    while let part = rest.popPart(before: UInt8(ascii: ";")) {
      guard let equals = part.firstIndex(of: UInt8(ascii: "=")),
        let name = part[..<equals].lowercasedToken, parameters[name] == nil
      else { continue }
      parameters[name] = part[(equals + 1)...].unquoted
    }
    self.parameters = parameters
  }
}
