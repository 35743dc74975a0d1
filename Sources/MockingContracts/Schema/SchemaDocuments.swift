import Foundation
import MockingDocuments
import Networking

/// The place of a schema: a document, and the path from its root.
struct SchemaPlace: Sendable, Hashable, CustomStringConvertible {
  /// The URI of the document.
  let document: String
  let path: [String]

  func appending(_ steps: String...) -> SchemaPlace {
    SchemaPlace(document: document, path: path + steps)
  }

  /// The path as a JSON pointer.
  var pointer: String { JSONValuePath(tokens: path).pointer }

  var description: String { "\(document)#\(pointer)" }
}

/// The rules by which the keywords of a schema are read.
struct SchemaDialect: Sendable, Hashable {
  /// Whether the rules are those of OpenAPI 3.0: `nullable`, Boolean `exclusiveMinimum`, and `$ref`
  /// without siblings.
  var isOpenAPI30 = false
  /// Whether keywords such as `type` and `minimum` are assertions.
  var hasValidation = true
  /// Whether `format` is an assertion by the vocabulary of the schema.
  var hasFormatAssertion = false

  static let draft202012 = SchemaDialect()
  static let openAPI30 = SchemaDialect(isOpenAPI30: true)
}

/// A set of documents with schemas, which finds the target of a reference.
///
/// Source: JSON Schema Core 2020-12, sections 8 and 9.
struct SchemaDocuments {
  /// Returns the document with a URI, or `nil` if there is none.
  typealias Load = (_ uri: String) -> (root: JSON, dialect: SchemaDialect)?

  static let metaSchemaURI = "https://json-schema.org/draft/2020-12/schema"

  private(set) var roots: [String: JSON] = [:]
  private var dialects: [String: SchemaDialect] = [:]
  /// The resources by their URI without a fragment.
  private var resources: [String: SchemaPlace] = [:]
  /// The anchors by the URI of their resource, `#` and their name.
  private var anchors: [String: SchemaPlace] = [:]
  /// The dynamic anchors of each resource.
  private(set) var dynamicAnchors: [SchemaPlace: [String: SchemaPlace]] = [:]
  /// The base URIs of the places that have one of their own.
  private var bases: [SchemaPlace: String] = [:]
  /// The documents with resources inside others.
  private var nestedDocuments: Set<String> = []
  private var scanned: Set<SchemaPlace> = []
  private let load: Load
  /// Returns the names of the members of an object in the order of its document.
  private let memberNames: (_ place: SchemaPlace) -> [String]?

  init(
    load: @escaping Load, memberNames: @escaping (_ place: SchemaPlace) -> [String]? = { _ in nil }
  ) {
    self.load = load
    self.memberNames = memberNames
  }

  /// Returns the names of the members of an object in the order of its document.
  func names(at place: SchemaPlace) -> [String] {
    memberNames(place) ?? (value(at: place)?.dictionary ?? [:]).keys.sorted()
  }

  /// Adds a document.
  ///
  /// - Parameters:
  ///   - uri: The absolute URI without a fragment.
  ///   - root: The root.
  ///   - dialect: The dialect of the schemas in it.
  ///   - isSchema: Whether the root is a schema.
  mutating func add(
    _ uri: String, _ root: JSON, dialect: SchemaDialect = .draft202012, isSchema: Bool = true
  ) {
    let place = SchemaPlace(document: uri, path: [])
    roots[uri] = root
    dialects[uri] = dialect
    resources[uri] = place
    bases[place] = uri
    if isSchema { scan(place) }
  }

  /// Returns the value at a place, or `nil` if there is none.
  func value(at place: SchemaPlace) -> JSON? {
    guard var value = roots[place.document] else { return nil }
    for step in place.path {
      switch value {
      case .dictionary(let members):
        guard let next = members[step] else { return nil }
        value = next
      case .array(let elements):
        guard let index = Int(step), elements.indices.contains(index) else { return nil }
        value = elements[index]
      default: return nil
      }
    }
    return value
  }

  /// Returns the place of the resource that contains a place, and its base URI.
  func resource(of place: SchemaPlace) -> (place: SchemaPlace, base: String) {
    // Fast path: most documents are one resource.
    let least = nestedDocuments.contains(place.document) ? 0 : place.path.count + 1
    for count in stride(from: place.path.count, through: least, by: -1) {
      let outer = SchemaPlace(document: place.document, path: Array(place.path.prefix(count)))
      if let base = bases[outer] { return (outer, base) }
    }
    let root = SchemaPlace(document: place.document, path: [])
    return (root, bases[root] ?? place.document)
  }

  // MARK: References

  /// The target of a reference.
  struct Target {
    let place: SchemaPlace
    /// The name, if the reference has that of a dynamic anchor.
    var dynamicAnchor: String?
  }

  /// Finds the target of a reference.
  ///
  /// - Parameters:
  ///   - reference: The URI reference.
  ///   - place: The place of the schema with the reference.
  /// - Returns: The target. `nil` if the document or the place in it does not exist.
  mutating func target(of reference: String, at place: SchemaPlace) -> Target? {
    let uri = Self.resolve(reference, against: resource(of: place).base)
    let parts = uri.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    guard let resource = findResource(String(parts[0])) else { return nil }
    let fragment = parts.count > 1 ? (parts[1].removingPercentEncoding ?? String(parts[1])) : ""
    guard !fragment.isEmpty else { return Target(place: resource) }
    guard fragment.hasPrefix("/") else {
      guard let target = anchors["\(parts[0])#\(fragment)"] else { return nil }
      let isDynamic = dynamicAnchors[resource]?[fragment] != nil
      return Target(place: target, dynamicAnchor: isDynamic ? fragment : nil)
    }
    guard let pointer = JSONValuePath(pointer: fragment) else { return nil }
    let target = SchemaPlace(
      document: resource.document, path: resource.path + pointer.tokens)
    guard value(at: target) != nil else { return nil }
    scan(target)
    return Target(place: target)
  }

  private mutating func findResource(_ uri: String) -> SchemaPlace? {
    if let place = resources[uri] { return place }
    if let schema = MetaSchema.schema(for: uri) {
      add(uri, schema)
    } else if let (root, dialect) = load(uri) {
      add(uri, root, dialect: dialect)
    }
    return resources[uri]
  }

  /// Resolves a URI reference.
  ///
  /// Source: RFC 3986 section 5.
  static func resolve(_ reference: String, against base: String) -> String {
    if reference.isEmpty { return base }
    if reference.hasPrefix("#") {
      return base.prefix { $0 != "#" } + reference
    }
    let scheme = reference.prefix { $0 != ":" && $0 != "/" && $0 != "#" && $0 != "?" }
    let hasScheme =
      scheme.endIndex < reference.endIndex && reference[scheme.endIndex] == ":"
      && scheme.first?.isLetter == true
    guard !hasScheme, let baseURL = URL(reference: base),
      let url = URL(reference: reference, relativeTo: baseURL)
    else { return reference }
    return url.absoluteString
  }

  // MARK: Dialects

  /// Returns the dialect of the schemas in the resource of a place.
  mutating func dialect(at place: SchemaPlace) -> SchemaDialect {
    let dialect = dialects[place.document] ?? .draft202012
    guard !dialect.isOpenAPI30,
      let name = value(at: resource(of: place).place)?["$schema"].string,
      name != Self.metaSchemaURI,
      let meta = findResource(name.hasSuffix("#") ? String(name.dropLast()) : name),
      let vocabularies = value(at: meta)?["$vocabulary"].dictionary
    else { return dialect }
    let prefix = "https://json-schema.org/draft/2020-12/vocab/"
    return SchemaDialect(
      hasValidation: vocabularies[prefix + "validation"] != nil,
      hasFormatAssertion: vocabularies[prefix + "format-assertion"] != nil)
  }

  // MARK: Identifiers

  private static let schemaKeywords: Set<String> = [
    "additionalProperties", "items", "contains", "not", "if", "then", "else", "propertyNames",
    "unevaluatedItems", "unevaluatedProperties", "contentSchema",
  ]
  private static let arrayKeywords: Set<String> = ["allOf", "anyOf", "oneOf", "prefixItems"]
  private static let objectKeywords: Set<String> = [
    "properties", "patternProperties", "dependentSchemas", "$defs", "definitions",
  ]

  /// Finds the identifiers and the anchors in a schema.
  mutating func scan(_ place: SchemaPlace) {
    guard case .dictionary(let schema)? = value(at: place), scanned.insert(place).inserted else {
      return
    }
    // A list instead of a recursion keeps the stack small.
    var pending = [Scan(schema: schema, place: place, base: resource(of: place).base)]
    while let next = pending.popLast() { scan(next, &pending) }
  }

  /// A schema that is to be scanned.
  private struct Scan {
    let schema: [String: JSON]
    let place: SchemaPlace
    /// The base of the references in the schema that contains it.
    let base: String
  }

  private mutating func scan(_ next: Scan, _ pending: inout [Scan]) {
    let (schema, place) = (next.schema, next.place)
    var base = next.base
    if let id = schema["$id"]?.string, !id.hasPrefix("#") {
      base = String(Self.resolve(id, against: base).prefix { $0 != "#" })
      resources[base] = place
      bases[place] = base
      if !place.path.isEmpty { nestedDocuments.insert(place.document) }
    }
    if let anchor = schema["$anchor"]?.string { anchors["\(base)#\(anchor)"] = place }
    if let anchor = schema["$dynamicAnchor"]?.string {
      anchors["\(base)#\(anchor)"] = place
      dynamicAnchors[resource(of: place).place, default: [:]][anchor] = place
    }
    func add(_ schema: [String: JSON], _ place: SchemaPlace) {
      guard scanned.insert(place).inserted else { return }
      pending.append(Scan(schema: schema, place: place, base: base))
    }
    for (keyword, value) in schema {
      switch value {
      case .dictionary(let inner) where Self.schemaKeywords.contains(keyword):
        add(inner, place.appending(keyword))
      case .dictionary(let inner) where Self.objectKeywords.contains(keyword):
        for case (let name, .dictionary(let schema)) in inner {
          add(schema, place.appending(keyword, name))
        }
      case .array(let inner) where Self.arrayKeywords.contains(keyword):
        for case (let index, .dictionary(let schema)) in inner.enumerated() {
          add(schema, place.appending(keyword, "\(index)"))
        }
      default: break
      }
    }
  }
}
