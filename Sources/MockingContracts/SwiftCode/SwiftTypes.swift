import Foundation
import MockingResources
import Networking

/// The types of generated Swift code for the schemas of a contract.
struct SwiftTypes {
  private let program: SchemaProgram
  private(set) var names: SwiftNames
  /// The declarations in the order in which they were needed.
  private(set) var declarations: [[String]] = []
  /// The names of the types of schemas.
  private var known: [Int: String] = [:]
  /// The structures whose members are being declared.
  private var open: [String] = []
  private static let maximumDepth = 32

  init(_ program: SchemaProgram, names: SwiftNames) {
    self.program = program
    self.names = names
  }

  /// A type of a value.
  struct SwiftType {
    let name: String
    /// Whether `null` is a value.
    let isOptional: Bool

    /// The type as it is written.
    var text: String { isOptional ? "\(name)?" : name }
  }

  /// Returns the type of a schema, and declares it if necessary.
  ///
  /// - Parameters:
  ///   - schema: The index of the schema.
  ///   - suggestion: The name of a type that has no name in the document.
  ///   - depth: The number of types around this one.
  /// - Returns: The type. `JSON` for a schema that Swift cannot express.
  mutating func type(of schema: Int, named suggestion: String, depth: Int = 0) -> SwiftType {
    guard depth < Self.maximumDepth else { return SwiftType(name: "JSON", isOptional: false) }
    let target = resolved(schema)
    let all = program.types(of: schema)
    let isAny = all.count == SchemaType.allCases.count
    var types = all
    let isOptional = !isAny && types.remove(.null) != nil
    if types.contains(.number) { types.remove(.integer) }
    let name: String
    if isAny, !program.memberSchemas(of: target).isEmpty {
      name = object(target, suggestion, depth)
    } else if types.count == 1, let only = types.first, !isAny {
      switch only {
      case .boolean: name = "Bool"
      case .integer: name = "Int"
      case .number: name = "Double"
      case .string: name = "String"
      case .array:
        let element = program.elementSchema(of: target).map {
          type(of: $0, named: suggestion.singular, depth: depth + 1).text
        }
        name = "[\(element ?? "JSON")]"
      case .object: name = object(target, suggestion, depth)
      case .null: name = "JSON"
      }
    } else {
      name = "JSON"
    }
    return SwiftType(name: name, isOptional: isOptional && name != "JSON")
  }

  /// Returns the schema that a reference leads to, also if it is the only alternative besides `null`.
  private func resolved(_ schema: Int, depth: Int = 0) -> Int {
    guard depth < 16 else { return schema }
    let keywords = program.nodes[schema].keywords
    for keyword in keywords {
      switch keyword {
      case .reference(let target) where keywords.count == 1:
        return resolved(target, depth: depth + 1)
      case .all(let schemas) where schemas.count == 1 && keywords.count == 1:
        return resolved(schemas[0], depth: depth + 1)
      default: break
      }
    }
    return schema
  }

  // MARK: Objects

  private mutating func object(_ schema: Int, _ suggestion: String, _ depth: Int) -> String {
    if let name = known[schema] { return name }
    let members = program.memberSchemas(of: schema)
    guard !members.isEmpty, !hasAlternatives(schema) else {
      guard members.isEmpty, let value = valueSchema(schema) else { return "JSON" }
      return "[String: \(type(of: value, named: suggestion + "Value", depth: depth + 1).text)]"
    }
    let path = program.nodes[schema].place.path
    let isNamed = path.dropLast().suffix(2) == ["components", "schemas"]
    let name = names.type(isNamed ? path.last ?? suggestion : suggestion)
    known[schema] = name
    open.append(name)
    defer { open.removeLast() }
    let required = program.requiredMembers(of: schema)
    var memberNames = SwiftNames(used: ["hash", "hashValue", "encode", "description"])
    var properties: [String] = []
    var keys: [String] = []
    var isRenamed = false
    for (key, memberSchema) in members.sorted(by: { $0.key < $1.key }) {
      let property = memberNames.member(key)
      var type = type(of: memberSchema, named: name + "_" + key, depth: depth + 1)
      // A structure cannot contain itself.
      if open.contains(type.name) { type = SwiftType(name: "JSON", isOptional: false) }
      let isOptional = type.isOptional || !required.contains(key)
      properties += SwiftNames.comment(description(memberSchema), indent: "  ")
      properties.append(
        "  var \(SwiftNames.escaped(property)): \(type.name)\(isOptional ? "?" : "")")
      if property != key { isRenamed = true }
      let raw = property == key ? "" : " = \(SwiftNames.literal(key))"
      keys.append("    case \(SwiftNames.escaped(property))\(raw)")
    }
    var lines = SwiftNames.comment(description(schema))
    lines.append("nonisolated struct \(name): Codable, Hashable, Sendable {")
    lines += properties
    if isRenamed { lines += ["", "  enum CodingKeys: String, CodingKey {"] + keys + ["  }"] }
    declarations.append(lines + ["}"])
    return name
  }

  /// Returns whether the members of an object depend on an alternative.
  private func hasAlternatives(_ schema: Int) -> Bool {
    var isFound = false
    program.search(from: schema, includesAlternatives: false) { keyword in
      switch keyword {
      case .any, .one, .discriminator: isFound = true
      default: break
      }
    }
    return isFound
  }

  /// Returns the schema of the members of a map.
  private func valueSchema(_ schema: Int) -> Int? {
    for case .members(let members) in program.nodes[schema].keywords {
      guard let value = members.additional, members.patterns.isEmpty else { continue }
      let isNever = program.nodes[value].keywords.contains {
        if case .never = $0 { true } else { false }
      }
      if !isNever { return value }
    }
    return nil
  }

  /// Returns the title or the description of a schema.
  func description(_ schema: Int) -> String {
    let source = program.nodes[schema].source
    return source["title"].string ?? source["description"].string ?? ""
  }
}
