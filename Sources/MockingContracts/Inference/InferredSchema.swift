import Foundation
import MockingRecordings
import Networking

/// A schema that all samples of a value keep.
struct InferredSchema {
  /// The formats that are recognized, each if all texts have it.
  private static let formats: [StringFormat] = [.dateTime, .date, .uuid, .email, .uri]
  /// The depth below which values are not described.
  private static let maximumDepth = 64
  /// The number of members above which an object whose names look like ids is a map.
  private static let mapSize = 8

  private var types: Set<SchemaType> = []
  /// The number of samples that are objects.
  private var objectCount = 0
  private var members: [String: InferredSchema] = [:]
  /// The number of objects that have a member.
  private var memberCounts: [String: Int] = [:]
  private var element: InferredSchemaBox?
  /// The formats of all texts so far.
  ///
  /// `nil` before the first text.
  private var textFormats: Set<StringFormat>?

  /// Adds a sample.
  mutating func add(_ value: JSON, depth: Int = 0) {
    guard depth < Self.maximumDepth else { return }
    let type = SchemaType.of(value)
    switch value {
    case .string(let text):
      types.insert(.string)
      // A masked value tells nothing about the format.
      guard !RecordingPlaceholder.isPlaceholder(text) else { return }
      let formats = Set(Self.formats.filter { $0.matches(value) })
      textFormats = textFormats.map { $0.intersection(formats) } ?? formats
    case .array(let values):
      types.insert(.array)
      var schema = element?.schema ?? InferredSchema()
      for value in values { schema.add(value, depth: depth + 1) }
      element = InferredSchemaBox(schema)
    case .dictionary(let values):
      types.insert(.object)
      objectCount += 1
      for (name, value) in values {
        members[name, default: InferredSchema()].add(value, depth: depth + 1)
        memberCounts[name, default: 0] += 1
      }
    default: types.insert(type)
    }
  }

  /// Adds all samples of another schema.
  private mutating func merge(_ other: InferredSchema) {
    types.formUnion(other.types)
    objectCount += other.objectCount
    for (name, schema) in other.members { members[name, default: InferredSchema()].merge(schema) }
    memberCounts.merge(other.memberCounts, uniquingKeysWith: +)
    if let box = other.element {
      var schema = element?.schema ?? InferredSchema()
      schema.merge(box.schema)
      element = InferredSchemaBox(schema)
    }
    if let formats = other.textFormats {
      textFormats = textFormats.map { $0.intersection(formats) } ?? formats
    }
  }

  /// The schema as JSON.
  var json: JSON {
    var schema: [String: JSON] = [:]
    var names = types
    if names.contains(.number) { names.remove(.integer) }
    let sorted = SchemaType.allCases.filter(names.contains).map { JSON.string($0.rawValue) }
    switch sorted.count {
    case 0: return [:]
    case 1: schema["type"] = sorted[0]
    default: schema["type"] = .array(sorted)
    }
    if let format = Self.formats.first(where: { textFormats?.contains($0) == true }) {
      schema["format"] = .string(format.rawValue)
    }
    if types.contains(.array) { schema["items"] = element?.schema.json ?? [:] }
    guard types.contains(.object) else { return .dictionary(schema) }
    if members.count > Self.mapSize, members.keys.allSatisfy(InferredPath.isID) {
      var value = InferredSchema()
      for schema in members.values { value.merge(schema) }
      schema["additionalProperties"] = value.json
      return .dictionary(schema)
    }
    if !members.isEmpty { schema["properties"] = .dictionary(members.mapValues(\.json)) }
    let required = members.keys.filter { memberCounts[$0] == objectCount }.sorted()
    if !required.isEmpty { schema["required"] = .array(required.map { .string($0) }) }
    return .dictionary(schema)
  }
}

/// A schema within itself.
private final class InferredSchemaBox {
  let schema: InferredSchema

  init(_ schema: InferredSchema) {
    self.schema = schema
  }
}
