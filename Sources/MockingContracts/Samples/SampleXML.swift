import Networking

/// A writer of values as XML, by the keyword `xml` of their schemas.
///
/// Source: OpenAPI 3.1.1, XML Object.
struct SampleXML {
  /// The limit for the nesting of elements, which bounds the recursion.
  private static let maximumDepth = 60

  /// The keyword `xml` of a schema, and the schemas of the members and the elements of its values.
  private struct Description {
    var name: String?
    var namespace: String?
    var prefix: String?
    var isAttribute = false
    var isWrapped = false
    var members: [String: Int] = [:]
    var element: Int?
  }

  private let program: SchemaProgram
  private var descriptions: [Int: Description] = [:]
  private var text = ""

  init(_ program: SchemaProgram) { self.program = program }

  /// Returns a document with a value.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - schema: The schema. `nil` names the elements by the members.
  /// - Returns: The document. The root has the name of the keyword `xml`, or that of the schema.
  mutating func document(of value: JSON, _ schema: Int?) -> String {
    text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    let root = description(of: schema)
    let name = root.name ?? componentName(of: schema) ?? "root"
    if case .array(let elements) = value {
      let item = description(of: root.element)
      let itemName = item.name ?? componentName(of: root.element) ?? "item"
      wrap(root, name, []) { writer, scope in
        for element in elements { writer.add(element, root.element, itemName, scope, 1) }
      }
    } else {
      add(value, schema, name, [], 0)
    }
    return text
  }

  // MARK: Schemas

  private mutating func description(of schema: Int?) -> Description {
    guard let schema else { return Description() }
    if let known = descriptions[schema] { return known }
    var found = Description()
    let keywords = keyword(of: schema)
    found.name = keywords["name"].string
    found.namespace = keywords["namespace"].string
    found.prefix = keywords["prefix"].string
    found.isAttribute = keywords["attribute"].bool ?? false
    found.isWrapped = keywords["wrapped"].bool ?? false
    found.members = program.memberSchemas(of: schema)
    found.element = program.elementSchema(of: schema)
    descriptions[schema] = found
    return found
  }

  /// Returns the keyword `xml` of a schema, or of one that it applies to the same value.
  private func keyword(of schema: Int) -> JSON {
    var found = program.nodes[schema].source["xml"]
    guard found.isNull else { return found }
    program.search(from: schema, includesAlternatives: false) { keyword in
      guard found.isNull else { return }
      switch keyword {
      case .reference(let target): found = program.nodes[target].source["xml"]
      case .all(let schemas):
        found = schemas.lazy.map { program.nodes[$0].source["xml"] }.first { !$0.isNull } ?? .null
      default: break
      }
    }
    return found
  }

  /// Returns the name of the schema in `components`, after its references.
  private func componentName(of schema: Int?) -> String? {
    guard var schema else { return nil }
    for _ in 0..<16 {
      let path = program.nodes[schema].place.path
      if path.count > 1, path[path.count - 2] == "schemas" { return path.last }
      guard case .reference(let target)? = program.nodes[schema].keywords.first else { return nil }
      schema = target
    }
    return nil
  }

  // MARK: Elements

  /// Adds the element of a value, or an element for each value of an array.
  private mutating func add(
    _ value: JSON, _ schema: Int?, _ name: String, _ scope: Set<String>, _ depth: Int
  ) {
    let own = description(of: schema)
    switch value {
    case .array(let elements) where depth < Self.maximumDepth:
      let item = description(of: own.element)
      let outer = own.name ?? name
      let inner = item.name ?? (own.isWrapped ? name : outer)
      guard own.isWrapped else {
        for element in elements { add(element, own.element, inner, scope, depth + 1) }
        return
      }
      wrap(own, outer, scope) { writer, scope in
        for element in elements { writer.add(element, own.element, inner, scope, depth + 1) }
      }
    case .dictionary(let members) where depth < Self.maximumDepth:
      let sorted = members.sorted { $0.key < $1.key }
      var attributes: [(description: Description, name: String, value: JSON)] = []
      for (name, value) in sorted {
        let member = description(of: own.members[name])
        if member.isAttribute { attributes.append((member, member.name ?? name, value)) }
      }
      wrap(own, own.name ?? name, scope, attributes: attributes) { writer, scope in
        for (name, value) in sorted where !writer.description(of: own.members[name]).isAttribute {
          writer.add(value, own.members[name], name, scope, depth + 1)
        }
      }
    default:
      wrap(own, own.name ?? name, scope) { writer, _ in
        if !value.isNull { writer.text += (value.string ?? value.description).escapedForXML }
      }
    }
  }

  /// Adds a start tag, the content, and the end tag.
  ///
  /// The document stays well-formed: a prefix without a namespace is left out, and so is one that is
  /// reserved, or that the element already has for another namespace.
  ///
  /// Source: Namespaces in XML 1.0, sections 3 and 6.
  private mutating func wrap(
    _ description: Description, _ name: String, _ scope: Set<String>,
    attributes: [(description: Description, name: String, value: JSON)] = [],
    content: (_ writer: inout SampleXML, _ scope: Set<String>) -> Void
  ) {
    var scope = scope
    var declarations = ""
    var namespaces: [String: String] = [:]
    func qualified(_ description: Description, _ name: String, isElement: Bool) -> String {
      let prefix = description.prefix.map(Self.named) ?? ""
      let isReserved = prefix.lowercased().hasPrefix("xml")
      if !isReserved, let namespace = description.namespace, isElement || !prefix.isEmpty,
        !namespace.isEmpty || prefix.isEmpty
      {
        guard namespaces[prefix] ?? namespace == namespace else { return Self.named(name) }
        if namespaces.updateValue(namespace, forKey: prefix) == nil {
          declarations +=
            " xmlns\(prefix.isEmpty ? "" : ":")\(prefix)=\"\(namespace.escapedForXML)\""
        }
        scope.insert(prefix)
      }
      return (prefix.isEmpty || !scope.contains(prefix) ? "" : prefix + ":") + Self.named(name)
    }
    let tag = qualified(description, name, isElement: true)
    // An attribute with the name of a declaration would be one.
    var known: Set<String> = ["xmlns"]
    let fields = attributes.compactMap { attribute in
      let name = qualified(attribute.description, attribute.name, isElement: false)
      let value = attribute.value.string ?? attribute.value.description
      return known.insert(name).inserted ? " \(name)=\"\(value.escapedForXML)\"" : nil
    }
    text += "<\(tag)\(declarations)\(fields.joined())>"
    content(&self, scope)
    text += "</\(tag)>"
  }

  /// Returns a name without the characters that names of elements cannot have.
  ///
  /// Source: XML 1.0, production 4.
  private static func named(_ name: String) -> String {
    func isLetter(_ scalar: Unicode.Scalar) -> Bool {
      // XML has no ª, µ and º in names.
      scalar.properties.isXIDStart && (scalar.isASCII || scalar.value >= 0xC0)
    }
    let scalars = name.unicodeScalars.map { scalar -> Character in
      let isAllowed =
        isLetter(scalar) || ("0"..."9").contains(scalar) || "-_.".unicodeScalars.contains(scalar)
      return isAllowed ? Character(scalar) : "_"
    }
    let text = String(scalars)
    let isStart = text.unicodeScalars.first.map { isLetter($0) || $0 == "_" } ?? false
    return isStart ? text : "_" + text
  }
}
