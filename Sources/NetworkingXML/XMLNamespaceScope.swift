/// The namespaces that are declared at a position of a document that is written.
///
/// It selects the prefixes of names and the declarations that each start tag needs.
struct XMLNamespaceScope {
  /// The names and declarations of a start tag.
  struct Tag {
    /// The name of the element with its prefix.
    var element = ""
    /// The names of the attributes with their prefixes, in order.
    var attributes: [String] = []
    /// The namespaces to declare, in order.
    var declarations: [XML.Namespace] = []
    /// The prefixes of the names, which the tag must not declare again.
    fileprivate var used: Set<String> = []
  }

  private var declared = [XML.Namespace.xml]
  /// The positions in `declared` by prefix, so that the number of namespaces does not matter.
  private var positions: [String: [Int]] = ["xml": [0]]
  /// The positions in `declared` by URI.
  private var prefixes: [String: [Int]] = [XML.Namespace.xml.uri: [0]]
  private var generated = 0

  /// The number of declared namespaces, to restore the scope after an element.
  var mark: Int { declared.count }

  /// Removes the declarations of an element.
  ///
  /// - Parameter mark: The value of ``mark`` before the element.
  mutating func close(to mark: Int) {
    while declared.count > mark {
      let namespace = declared.removeLast()
      positions[namespace.prefix]?.removeLast()
      prefixes[namespace.uri]?.removeLast()
    }
  }

  /// Returns the start tag of an element, and adds its declarations to the scope.
  ///
  /// - Throws: ``XMLError`` for a name that XML cannot contain, for two attributes of the same name,
  ///   and for namespaces that cannot be declared.
  mutating func open(_ element: XML) throws(XMLError) -> Tag {
    var tag = Tag()
    let mark = mark
    for namespace in element.namespaces {
      try declare(namespace, in: &tag, since: mark)
    }
    tag.element = try qualified(element.name, isAttribute: false, &tag, since: mark)
    var names = Set<XML.Name>()
    for attribute in element.attributes {
      if element.attributes.count > 1, !names.insert(attribute.name).inserted {
        throw XMLError(
          .notRepresentable,
          "an element has two attributes \(attribute.name.local.debugDescription)")
      }
      tag.attributes.append(try qualified(attribute.name, isAttribute: true, &tag, since: mark))
    }
    return tag
  }

  private mutating func declare(
    _ namespace: XML.Namespace, in tag: inout Tag, since mark: Int
  ) throws(XMLError) {
    if namespace.uri == XML.Namespace.xml.uri, namespace.prefix == "xml" { return }
    if !namespace.prefix.isEmpty { try XMLNameSyntax.check(namespace.prefix) }
    // Source: Namespaces in XML 1.0, sections 3 and 5.
    let isReserved =
      ["xml", "xmlns"].contains(namespace.prefix) || namespace.uri == XML.Namespace.xml.uri
      || namespace.uri == "http://www.w3.org/2000/xmlns/"
    let isTaken = isDeclared(namespace.prefix, since: mark)
    guard !isReserved, !isTaken, !namespace.uri.isEmpty || namespace.prefix.isEmpty else {
      throw XMLError(
        .notRepresentable,
        "the prefix \(namespace.prefix.debugDescription) cannot be declared for this namespace")
    }
    tag.declarations.append(namespace)
    positions[namespace.prefix, default: []].append(declared.count)
    prefixes[namespace.uri, default: []].append(declared.count)
    declared.append(namespace)
  }

  /// Returns a name with its prefix, and declares its namespace if necessary.
  private mutating func qualified(
    _ name: XML.Name, isAttribute: Bool, _ tag: inout Tag, since mark: Int
  ) throws(XMLError) -> String {
    try XMLNameSyntax.check(name.local)
    guard let namespace = name.namespace, !namespace.uri.isEmpty else {
      guard !isAttribute, uri(of: "") != "" else {
        guard !isAttribute || name.local != "xmlns" else {
          throw XMLError(.notRepresentable, "an attribute has the name \"xmlns\"")
        }
        return name.local
      }
      // The name is in no namespace, so it cannot be where a default namespace applies.
      guard !isDeclared("", since: mark) else {
        throw XMLError(
          .notRepresentable,
          "the element \(name.local) in no namespace declares a default namespace")
      }
      try declare(XML.Namespace(""), in: &tag, since: mark)
      return name.local
    }
    let canBeDefault = !isAttribute
    if uri(of: namespace.prefix) == namespace.uri, canBeDefault || !namespace.prefix.isEmpty {
      return prefixed(name.local, namespace.prefix, &tag)
    }
    // A prefix of the scope, unless another one is wanted and free.
    let isFree =
      (canBeDefault || !namespace.prefix.isEmpty) && !isDeclared(namespace.prefix, since: mark)
      && !tag.used.contains(namespace.prefix)
    if isFree {
      try declare(namespace, in: &tag, since: mark)
      return prefixed(name.local, namespace.prefix, &tag)
    }
    if let prefix = visiblePrefix(of: namespace.uri, canBeDefault: canBeDefault) {
      return prefixed(name.local, prefix, &tag)
    }
    var prefix = ""
    repeat {
      generated += 1
      prefix = "ns\(generated)"
    } while uri(of: prefix) != nil && uri(of: prefix) != ""
    try declare(XML.Namespace(namespace.uri, prefix: prefix), in: &tag, since: mark)
    return prefixed(name.local, prefix, &tag)
  }

  private func prefixed(_ local: String, _ prefix: String, _ tag: inout Tag) -> String {
    tag.used.insert(prefix)
    return prefix.isEmpty ? local : "\(prefix):\(local)"
  }

  /// The URI of a prefix.
  ///
  /// Empty for the default namespace if there is none, `nil` for an unknown prefix.
  private func uri(of prefix: String) -> String? {
    positions[prefix]?.last.map { declared[$0].uri } ?? (prefix.isEmpty ? "" : nil)
  }

  private func isDeclared(_ prefix: String, since mark: Int) -> Bool {
    positions[prefix]?.last.map { $0 >= mark } ?? false
  }

  /// Returns the last prefix of a namespace that no later declaration hides.
  private func visiblePrefix(of uri: String, canBeDefault: Bool) -> String? {
    for position in (prefixes[uri] ?? []).reversed() {
      let prefix = declared[position].prefix
      if positions[prefix]?.last == position, canBeDefault || !prefix.isEmpty { return prefix }
    }
    return nil
  }
}

/// The syntax of names without a colon.
enum XMLNameSyntax {
  /// Refuses a text that is not a name.
  ///
  /// Source: Namespaces in XML 1.0, section 3; Extensible Markup Language (XML) 1.0, section 2.3.
  ///
  /// - Parameter name: The name.
  /// - Throws: ``XMLError`` with the code `notRepresentable`.
  static func check(_ name: String) throws(XMLError) {
    let scalars = name.unicodeScalars
    guard let first = scalars.first, isStart(first), scalars.dropFirst().allSatisfy(isPart) else {
      let start = String(scalars.prefix(40))
      throw XMLError(.notRepresentable, "\(start.debugDescription) is not a name without a prefix")
    }
  }

  /// Whether a name can start with a character.
  static func isStart(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x41...0x5A, 0x61...0x7A, 0x5F: true
    case 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x2FF, 0x370...0x37D, 0x37F...0x1FFF, 0x200C...0x200D,
      0x2070...0x218F, 0x2C00...0x2FEF, 0x3001...0xD7FF, 0xF900...0xFDCF, 0xFDF0...0xFFFD,
      0x10000...0xEFFFF:
      true
    default: false
    }
  }

  private static func isPart(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x2D, 0x2E, 0x30...0x39, 0xB7, 0x300...0x36F, 0x203F...0x2040: true
    default: isStart(scalar)
    }
  }
}
