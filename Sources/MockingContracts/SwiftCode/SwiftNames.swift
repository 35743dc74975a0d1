import Foundation

/// The identifiers of generated Swift code.
struct SwiftNames {
  private var used: Set<String>

  /// Names that would hide types which generated code, or most code beside it, uses.
  private static let reservedTypes: Set<String> = [
    "Any", "AnyObject", "Array", "Bool", "Character", "Codable", "CodingKey", "CodingKeys",
    "Collection",
    "Data", "Date", "Decodable", "Decoder", "Dictionary", "Double", "EmptyResponse", "Encodable",
    "Encoder",
    "Error", "Float", "HTTPHeaders", "HTTPMethod", "Hashable", "Int", "JSON", "JSONDecoder",
    "JSONEncoder",
    "MultipartFormData", "Networking", "Optional", "Parameters", "Promise", "Protocol",
    "QueryFormat", "Request",
    "RequestConvertible", "RequestPath", "Response", "ResponseType", "Result", "Self", "Sendable",
    "Sequence",
    "Set",
    "String", "Task", "Type", "TypedEndpoint", "URL", "UUID", "Void",
  ]
  private static let keywords: Set<String> = [
    "actor", "any", "as", "associatedtype", "async", "await", "break", "case", "catch", "class",
    "continue",
    "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false",
    "fileprivate",
    "for", "func", "guard", "if", "import", "in", "indirect", "init", "inout", "internal", "is",
    "let",
    "nil", "nonisolated", "open", "operator", "precedencegroup", "private", "protocol", "public",
    "repeat",
    "rethrows", "return", "self", "some", "static", "struct", "subscript", "super", "switch",
    "throw",
    "throws", "true", "try", "typealias", "var", "where", "while",
  ]

  init(used: Set<String> = []) {
    self.used = used
  }

  // MARK: Types

  /// Returns a new name for a type, such as `PetOwner` for `pet-owner`.
  mutating func type(_ text: String) -> String {
    var name = Self.words(text).map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    if name.isEmpty || name.first?.isNumber == true { name = "Value" + name }
    if Self.reservedTypes.contains(name) { name += "Model" }
    return unique(name)
  }

  /// Returns a new name for a property or a case, such as `createdAt` for `created_at`.
  mutating func member(_ text: String) -> String {
    let words = Self.words(text)
    var name = words.enumerated().map { index, word in
      guard index > 0 else {
        // `URL` becomes `url`, and `petID` stays.
        return word.allSatisfy { !$0.isLowercase }
          ? word.lowercased() : word.prefix(1).lowercased() + word.dropFirst()
      }
      return word.prefix(1).uppercased() + word.dropFirst()
    }.joined()
    if name.isEmpty || name.first?.isNumber == true { name = "value" + name }
    // It cannot be declared, not even in backticks.
    if name == "self" { name = "selfValue" }
    return unique(name)
  }

  private mutating func unique(_ name: String) -> String {
    var name = name
    while !used.insert(name).inserted { name += "_" }
    return name
  }

  private static func words(_ text: String) -> [String] {
    text.split { character in
      !(character.isLetter || character.isNumber)
        || !character.unicodeScalars.allSatisfy(\.properties.isXIDContinue)
    }.map(String.init)
  }

  // MARK: Literals

  /// Returns a name as it is written where it is declared or used.
  static func escaped(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

  /// Returns the literal of a text.
  static func literal(_ text: String) -> String {
    var literal = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": literal += "\\\(scalar)"
      case _
      where scalar.value < 0x20 || scalar.value == 0x7F || (0x2028...0x2029).contains(scalar.value):
        literal += "\\u{\(String(scalar.value, radix: 16))}"
      default: literal.unicodeScalars.append(scalar)
      }
    }
    return literal + "\""
  }

  /// Returns the lines of a documentation comment: the first line of a text, at most 200 characters.
  static func comment(_ text: String, indent: String = "") -> [String] {
    let line = text.split(whereSeparator: \.isNewline).first.map { line in
      String(String.UnicodeScalarView(line.unicodeScalars.prefix(200).filter { $0.value >= 0x20 }))
        .trimmingCharacters(in: .whitespaces)
    }
    guard let line, !line.isEmpty else { return [] }
    return ["\(indent)/// \(line)"]
  }
}
