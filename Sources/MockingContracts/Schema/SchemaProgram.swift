import CatenaSystem
import Foundation
import Networking

/// The compiled schemas of a set of documents.
///
/// Schemas refer to each other by their index, so that a schema may contain itself.
struct SchemaProgram: Sendable {
  var nodes: [SchemaNode] = []
  /// The dynamic anchors of the resources, by the index of the resource.
  var dynamicAnchors: [Int: [String: Int]] = [:]
  /// Whether a schema has `unevaluatedItems` or `unevaluatedProperties`.
  ///
  /// Otherwise the validator does not collect the evaluated members.
  var tracksEvaluation = false
  /// The schemas without a finite value.
  var endlessSchemas: Set<Int> = []
  /// The results of earlier searches.
  ///
  /// `nil` while schemas are compiled.
  private(set) var searches: SchemaSearches?

  /// Returns this program with searches whose results are kept, after all schemas have been compiled.
  func keepingSearches() -> SchemaProgram {
    var program = self
    program.searches = SchemaSearches(count: nodes.count)
    return program
  }
}

/// The results of the searches in a complete program, which the check of each request needs.
final class SchemaSearches: Sendable {
  let types: KeptResults<Set<SchemaType>>
  let elements: KeptResults<Int?>
  let members: KeptResults<[String: Int]>

  /// Results for schemas, by their index.
  final class KeptResults<Value: Sendable>: Sendable {
    private let values: Mutex<[Value?]>

    init(count: Int) { values = Mutex(Array(repeating: nil, count: count)) }

    /// Returns the result for a schema, which is computed once, or more often by several threads.
    func value(of schema: Int, _ search: () -> Value) -> Value {
      if let known = values.withLock({ $0[schema] }) { return known }
      let value = search()
      values.withLock { $0[schema] = value }
      return value
    }
  }

  init(count: Int) {
    (types, elements) = (KeptResults(count: count), KeptResults(count: count))
    members = KeptResults(count: count)
  }
}

/// A compiled schema.
struct SchemaNode: Sendable {
  let place: SchemaPlace
  /// The schema as written.
  let source: JSON
  /// The index of its resource, for dynamic references.
  let resource: Int
  /// Whether `null` matches, whatever the keywords are.
  var acceptsNull = false
  var keywords: [SchemaKeyword] = []
}

/// A type of JSON values.
///
/// The names are no raw values, because a set of values with raw values hashes those.
enum SchemaType: Sendable, CaseIterable {
  case null, boolean, integer, number, string, array, object

  /// Creates the type with a name, or returns `nil` if there is none.
  init?(rawValue: String) {
    guard let type = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
    self = type
  }

  /// The name in a schema.
  var rawValue: String {
    switch self {
    case .null: "null"
    case .boolean: "boolean"
    case .integer: "integer"
    case .number: "number"
    case .string: "string"
    case .array: "array"
    case .object: "object"
    }
  }

  /// Returns whether a value is of this type.
  ///
  /// A number without a fraction is an integer, such as `1.0`.
  func matches(_ value: JSON) -> Bool {
    switch (self, value) {
    case (.null, .null), (.boolean, .bool), (.string, .string), (.array, .array),
      (.object, .dictionary), (.number, .int), (.number, .double), (.number, .decimal),
      (.integer, .int):
      true
    case (.integer, .double(let number)): number.rounded() == number
    case (.integer, .decimal): value.isIntegralDecimal
    default: false
    }
  }

  /// The name with an article, for messages.
  var phrase: String {
    switch self {
    case .null: "null"
    case .integer, .array, .object: "an \(rawValue)"
    case .boolean, .number, .string: "a \(rawValue)"
    }
  }

  /// Returns the type of a value, for messages.
  static func of(_ value: JSON) -> SchemaType {
    allCases.first { $0.matches(value) } ?? .null
  }
}

/// A keyword of a compiled schema, with the indexes of its schemas.
enum SchemaKeyword: Sendable {
  /// The schema `false`.
  case never
  case types([SchemaType])
  case enumeration([JSON], isConstant: Bool)
  case multipleOf(JSON)
  case bound(SchemaBound, JSON)
  /// The size of a string, an array or an object.
  case size(SchemaSize, Int)
  case pattern(SchemaPattern)
  case format(String, isAsserted: Bool)
  case uniqueItems
  /// The required members, which include those that travel in the other direction only.
  case required([String])
  case dependentRequired([(name: String, required: [String])])
  case reference(Int)
  case dynamicReference(Int, anchor: String)
  case all([Int])
  case any([Int])
  case one([Int])
  /// The alternatives of which a member selects one.
  case discriminator(SchemaDiscriminator)
  case not(Int)
  case condition(Int, then: Int?, otherwise: Int?)
  case dependentSchemas([(name: String, schema: Int)])
  case members(SchemaMembers)
  case memberNames(Int)
  case elements(prefix: [Int], rest: Int?)
  case contains(Int, least: Int, most: Int?)
  case unevaluatedItems(Int)
  case unevaluatedMembers(Int)
}

/// A limit of a number.
enum SchemaBound: String, Sendable {
  case minimum, maximum, exclusiveMinimum, exclusiveMaximum
}

/// A limit of a size.
enum SchemaSize: String, Sendable {
  case minLength, maxLength, minItems, maxItems, minProperties, maxProperties
}

/// The schemas of the members of an object.
struct SchemaMembers: Sendable {
  var named: [String: Int] = [:]
  var patterns: [(pattern: SchemaPattern, schema: Int)] = []
  var additional: Int?
  /// Whether there are further patterns, which cannot be searched.
  ///
  /// A member without another schema may match one of them.
  var isIncomplete = false
}

/// A member that selects one of several alternatives.
struct SchemaDiscriminator: Sendable {
  let name: String
  /// The schemas by the value of the member.
  let schemas: [String: Int]
  let isOne: Bool
  /// The alternatives, for values without a schema.
  let alternatives: [Int]
}

extension JSON {
  /// Returns whether two values are equal, with strings compared by their scalars.
  ///
  /// `==` takes different spellings of a character for equal.
  func isIdentical(to other: JSON) -> Bool {
    guard self == other else { return false }
    switch (self, other) {
    case (.string(let left), .string(let right)): return left.utf8.elementsEqual(right.utf8)
    case (.array(let left), .array(let right)):
      return zip(left, right).allSatisfy { $0.isIdentical(to: $1) }
    case (.dictionary(let left), .dictionary(let right)):
      return left.allSatisfy { name, value in right[name].map { value.isIdentical(to: $0) } ?? false
      }
    default: return true
    }
  }

  /// Whether a value of the case `decimal` has no fraction.
  var isIntegralDecimal: Bool {
    guard case .decimal(let number) = self else { return false }
    return !number.description.contains(".")
  }
}
