import CatenaSystem
import Foundation
import Mocking
import Networking

/// The values of the parameters of a request, read by the styles of an OpenAPI document.
///
/// Source: OpenAPI 3.1.1, Parameter Object.
struct ParameterValues {
  private let program: SchemaProgram
  /// The percent-encoded values of the parameters in the path.
  private let path: [String: String]
  /// The query in order: decoded names, and encoded values.
  private let query: [(name: String, value: Substring)]
  private let request: ReceivedRequest

  init(_ request: ReceivedRequest, path: [String: String], program: SchemaProgram) {
    self.program = program
    self.path = path
    self.request = request
    let text = RequestTarget.query(of: request.target) ?? ""
    query = text.utf8.split(separator: UInt8(ascii: "&")).compactMap { part in
      let sides = part.split(
        separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false
      ).map(Substring.init)
      let name = PercentEncoding.decode(sides[0], plusIsSpace: true) ?? String(sides[0])
      guard !RequestPreferences.queryNames.contains(name) else { return nil }
      return (name, sides.count > 1 ? sides[1] : "")
    }
  }

  /// The value of a parameter.
  enum Value {
    case missing
    /// The name is there, without a value.
    case empty
    case json(JSON)
    /// The text cannot be read by the style of the parameter.
    case malformed(String)
  }

  /// Returns the value of a parameter.
  func value(of parameter: ContractParameter) -> Value {
    if let content = parameter.content { return value(of: parameter, content) }
    switch parameter.location {
    case .path: return pathValue(of: parameter)
    case .query: return queryValue(of: parameter)
    case .header:
      let values = request.headers.values(for: parameter.name)
      guard !values.isEmpty else { return .missing }
      return .json(value(ofHeader: values, parameter.schema, explodes: parameter.explodes))
    case .cookie:
      guard let text = request.cookies[parameter.name] else { return .missing }
      return .json(value(parameter.schema, list(text[...], ","), explodes: false))
    }
  }

  /// Returns the value of a header field from the values of its lines.
  func value(ofHeader values: [String], _ schema: Int?, explodes: Bool) -> JSON {
    let text = values.joined(separator: ",")
    return value(schema, list(text[...], ",", isEncoded: false), explodes: explodes)
  }

  /// Returns the value of a parameter with a media type.
  private func value(of parameter: ContractParameter, _ content: String) -> Value {
    let text: String? =
      switch parameter.location {
      case .path: path[parameter.name].map { decoded($0[...]) }
      case .query: query.first { $0.name == parameter.name }.map { decoded($0.value, isForm: true) }
      case .header: request.headers[parameter.name]
      case .cookie: request.cookies[parameter.name]
      }
    guard let text else { return .missing }
    guard content.contains("json") else { return .json(.string(text)) }
    guard let json = try? JSON(parsing: Data(text.utf8)) else { return .malformed("expected JSON") }
    return .json(json)
  }

  private func decoded(_ text: Substring, isForm: Bool = false) -> String {
    PercentEncoding.decode(text, plusIsSpace: isForm) ?? String(text)
  }

  // MARK: Locations

  private func pathValue(of parameter: ContractParameter) -> Value {
    guard let text = path[parameter.name] else { return .missing }
    var rest = text[...]
    var separator = ","
    switch parameter.style {
    case .label:
      guard rest.hasPrefix(".") else {
        return .malformed("expected a value that begins with a dot")
      }
      rest = rest.dropFirst()
      if parameter.explodes { separator = "." }
    case .matrix:
      guard rest.hasPrefix(";") else { return .malformed("expected ;\(parameter.name)=") }
      rest = rest.dropFirst()
      let parts = rest.split(separator: ";").map { part in
        part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      }
      if parameter.explodes, kind(parameter.schema) == .object {
        return .json(object(parameter.schema, parts.map { ($0[0], $0.count > 1 ? $0[1] : "") }))
      }
      let values = parts.filter { decoded($0[0]) == parameter.name }
      guard !values.isEmpty else { return .malformed("expected ;\(parameter.name)=") }
      let texts = values.flatMap { list($0.count > 1 ? $0[1] : "", parameter.explodes ? nil : ",") }
      return .json(value(parameter.schema, texts, explodes: false))
    default: break
    }
    return .json(value(parameter.schema, list(rest, separator), explodes: parameter.explodes))
  }

  private func queryValue(of parameter: ContractParameter) -> Value {
    if parameter.style == .deepObject {
      let prefix = parameter.name + "["
      let members = query.filter { $0.name.hasPrefix(prefix) && $0.name.hasSuffix("]") }.map {
        (Substring($0.name.dropFirst(prefix.count).dropLast()), $0.value)
      }
      return members.isEmpty ? .missing : .json(object(parameter.schema, members, isForm: true))
    }
    if parameter.style == .form, parameter.explodes, kind(parameter.schema) == .object {
      let names = Set(members(parameter.schema).keys)
      let members = query.filter { names.isEmpty || names.contains($0.name) }
        .map { ($0.name[...], $0.value) }
      return members.isEmpty ? .missing : .json(object(parameter.schema, members, isForm: true))
    }
    let values = query.filter { $0.name == parameter.name }.map(\.value)
    guard let first = values.first else { return .missing }
    // No text is an empty list.
    if values.count == 1, first.isEmpty, ![.string, .array].contains(kind(parameter.schema)) {
      return .empty
    }
    guard kind(parameter.schema) == .array || kind(parameter.schema) == .object else {
      let types = parameter.schema.map { program.types(of: $0) }
      return .json(Self.scalar(decoded(first, isForm: true), types))
    }
    let separators: [String]
    switch parameter.style {
    case .spaceDelimited: separators = ["%20", "+", " "]
    case .pipeDelimited: separators = ["|", "%7C", "%7c"]
    default: separators = [","]
    }
    let texts = values.flatMap { value -> [String] in
      if parameter.explodes { return [decoded(value, isForm: true)] }
      var parts = [value]
      for separator in separators {
        parts = parts.flatMap { $0.split(separator: separator, omittingEmptySubsequences: false) }
      }
      return parts.map { decoded($0, isForm: true) }
    }
    return .json(value(parameter.schema, texts, explodes: false))
  }

  // MARK: Values

  /// Splits a text at a separator, and decodes its parts.
  private func list(_ text: Substring, _ separator: String?, isEncoded: Bool = true) -> [String] {
    // Fast path: most values are no lists.
    guard let separator, text.utf8.contains(where: { $0 == separator.utf8.first }) else {
      return [isEncoded ? decoded(text) : text.trimmingCharacters(in: .whitespaces)]
    }
    return text.split(separator: separator, omittingEmptySubsequences: false).map { part in
      isEncoded ? decoded(part) : part.trimmingCharacters(in: .whitespaces)
    }
  }

  /// Returns the value of a list of texts: an array, an object or a scalar.
  private func value(_ schema: Int?, _ texts: [String], explodes: Bool) -> JSON {
    switch kind(schema) {
    case .array:
      let element = schema.flatMap { program.elementSchema(of: $0) }
      if texts == [""] { return .array([]) }
      let types = element.map { program.types(of: $0) }
      return .array(texts.map { Self.scalar($0, types) })
    case .object:
      guard !explodes else {
        let pairs = texts.map {
          $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        }
        return object(schema, pairs.map { ($0[0], $0.count > 1 ? $0[1] : "") })
      }
      var pairs: [(Substring, Substring)] = []
      for index in stride(from: 0, to: texts.count - 1, by: 2) {
        pairs.append((texts[index][...], texts[index + 1][...]))
      }
      return object(schema, pairs)
    default:
      return Self.scalar(texts.joined(separator: ","), schema.map { program.types(of: $0) })
    }
  }

  private func object(
    _ schema: Int?, _ pairs: [(Substring, Substring)], isForm: Bool = false
  ) -> JSON {
    let schemas = members(schema)
    var result: [String: JSON] = [:]
    var lists: [String: [JSON]] = [:]
    var lookup = SchemaLookup(program)
    for (name, text) in pairs {
      let name = decoded(name)
      let schema = schemas[name]
      let isArray = Self.kind(lookup.types(of: schema)) == .array
      let element = isArray ? lookup.elementSchema(of: schema) : schema
      let value = Self.scalar(decoded(text, isForm: isForm), lookup.types(of: element))
      guard isArray else {
        result[name] = value
        continue
      }
      lists[name, default: []].append(value)
    }
    for (name, list) in lists { result[name] = .array(list) }
    return .dictionary(result)
  }

  /// Returns the value of a text by the types that its schema allows.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - types: The types. `nil` if there is no schema.
  /// - Returns: The value.
  static func scalar(_ text: String, _ types: Set<SchemaType>?) -> JSON {
    guard let types else { return .string(text) }
    if types.contains(.integer) || types.contains(.number), let number = Self.number(text) {
      return number
    }
    if types.contains(.boolean), text == "true" || text == "false" { return .bool(text == "true") }
    if types.contains(.null), !types.contains(.string), text.isEmpty || text == "null" {
      return .null
    }
    return .string(text)
  }

  private static func number(_ text: String) -> JSON? {
    // Fast path: a short integer without a sign and without leading zeros.
    let utf8 = text.utf8
    if utf8.count <= 18, utf8.first != UInt8(ascii: "0") || utf8.count == 1,
      utf8.allSatisfy({ (0x30...0x39).contains($0) }), let integer = Int(text)
    {
      return .int(integer)
    }
    guard let first = utf8.first, first == UInt8(ascii: "-") || (0x30...0x39).contains(first),
      let json = try? JSON(parsing: Data(text.utf8)), json.double != nil
    else { return nil }
    return json
  }

  private func kind(_ schema: Int?) -> SchemaType {
    Self.kind(schema.map { program.types(of: $0) })
  }

  private static func kind(_ types: Set<SchemaType>?) -> SchemaType {
    guard let types else { return .string }
    if types.count == SchemaType.allCases.count { return .string }
    return [.array, .object].first { types.contains($0) }
      ?? (types.contains(.string) ? .string : types.first ?? .string)
  }

  private func members(_ schema: Int?) -> [String: Int] {
    schema.map { program.memberSchemas(of: $0) } ?? [:]
  }
}
