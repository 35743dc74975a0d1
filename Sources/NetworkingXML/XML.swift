// Bodies of XML are bodies of requests and responses, so a file that imports this module has both.
@_exported public import Networking

/// An element of an XML document: a name, attributes, and content.
///
/// A namespace is a function that creates elements, so that code has the shape of the document:
///
/// ```swift
/// let shop = XML.Namespace("urn:example:shop", prefix: "s")
/// let order = shop("order", ["id": 7]) {
///   shop("item", ["sku": "A1"]) { "Kite" }
///   XML("note") { "As a gift" }          // in no namespace
/// }
/// print(try order.text(.indented))
/// ```
///
/// Steps of names and positions select elements within an element: `order["item"]?.string`. Two
/// elements are equal if their names, attributes and content are equal. Prefixes and ``namespaces``
/// are not compared.
///
/// All functions of this module take a constant part of the stack, whatever the depth of the tree.
/// Only releasing a tree is recursive, which is safe down to ``Limits/maximumDepth`` on threads with
/// 512 KiB of stack.
///
/// Source: Extensible Markup Language (XML) 1.0, fifth edition; Namespaces in XML 1.0, third edition.
public struct XML: Sendable {
  /// The name, with its namespace.
  public var name: Name
  /// The attributes in order, without declarations of namespaces.
  public var attributes: [Attribute]
  /// The namespaces that the start tag declares, in order.
  ///
  /// The namespaces of names are declared where they are needed, without an entry here. An entry is
  /// useful for a prefix that occurs only in text, such as `xsd:int`, or to declare a namespace
  /// once for several elements. An empty URI with an empty prefix removes the default namespace.
  public var namespaces: [Namespace]
  /// The content in order.
  public var children: [Node]

  /// Creates an element.
  ///
  /// ```swift
  /// XML("item", in: shop, ["sku": sku, "gift": isGift ? true : nil]) { "Kite" }
  /// ```
  ///
  /// - Parameters:
  ///   - name: The name without a prefix.
  ///   - namespace: The namespace. `nil` for none.
  ///   - attributes: The names and values of the attributes. `nil` values are omitted.
  ///   - content: The content: elements, nodes, text and numbers.
  public init(
    _ name: String, in namespace: Namespace? = nil,
    _ attributes: KeyValuePairs<Name, (any LosslessStringConvertible)?> = [:],
    @Builder content: () -> [Node] = { [] }
  ) {
    self.init(
      Name(name, in: namespace),
      attributes: attributes.compactMap { name, value in
        value.map { Attribute(name, XML.text(of: $0)) }
      },
      children: content())
  }

  /// Creates an element of its parts.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - attributes: The attributes in order.
  ///   - namespaces: The namespaces that the start tag declares.
  ///   - children: The content in order.
  public init(
    _ name: Name, attributes: [Attribute] = [], namespaces: [Namespace] = [],
    children: [Node] = []
  ) {
    self.name = name
    self.attributes = attributes
    self.namespaces = namespaces
    self.children = children
  }

  /// The text of a value.
  ///
  /// The numbers without a Swift literal have their names of XML Schema.
  ///
  /// Source: XML Schema Part 2: Datatypes, section 3.2.5.
  static func text(of value: any LosslessStringConvertible) -> String {
    guard let number = value as? any BinaryFloatingPoint & LosslessStringConvertible,
      !number.isFinite
    else { return String(value) }
    return number.isNaN ? "NaN" : number.sign == .minus ? "-INF" : "INF"
  }
}

extension XML: Hashable {
  /// Returns whether two elements have equal names, attributes and content.
  public static func == (left: XML, right: XML) -> Bool {
    zip(XMLNodes([.element(left)]), XMLNodes([.element(right)])).allSatisfy { left, right in
      guard case (.element(let left), .element(let right)) = (left, right) else {
        return left == right
      }
      return left.name == right.name && left.attributes == right.attributes
        && left.children.count == right.children.count
    }
  }

  /// Feeds the name, the attributes and the content to a hasher.
  public func hash(into hasher: inout Hasher) {
    for node in XMLNodes([.element(self)]) {
      guard case .element(let element) = node else {
        hasher.combine(node)
        continue
      }
      hasher.combine(element.name)
      hasher.combine(element.attributes)
      hasher.combine(element.children.count)
    }
  }
}

extension XML: CustomStringConvertible {
  /// The element as text, as ``text(_:)`` returns it.
  ///
  /// If the element cannot be written, it is the name of the element.
  public var description: String { (try? text()) ?? name.description }
}

// MARK: - Names

extension XML {
  /// A namespace, and the prefix with which names in it are written.
  ///
  /// Namespaces are equal if their URIs are equal.
  ///
  /// Calling a namespace creates an element in it: `soap("Body")`.
  public struct Namespace: Sendable, Hashable, CustomStringConvertible {
    /// The URI, which is compared as text.
    public var uri: String
    /// The prefix.
    ///
    /// Empty for the default namespace. An attribute in such a namespace gets another prefix.
    public var prefix: String

    /// Creates a namespace.
    ///
    /// - Parameters:
    ///   - uri: The URI.
    ///   - prefix: The prefix. Empty for the default namespace.
    public init(_ uri: String, prefix: String = "") {
      self.uri = uri
      self.prefix = prefix
    }

    /// The namespace of `xml:lang` and `xml:space`, which needs no declaration.
    public static let xml = Namespace("http://www.w3.org/XML/1998/namespace", prefix: "xml")
    /// The namespace of `xsi:type` and `xsi:nil`.
    public static let xsi = Namespace(
      "http://www.w3.org/2001/XMLSchema-instance", prefix: "xsi")
    /// The namespace of the types of XML Schema.
    public static let xsd = Namespace("http://www.w3.org/2001/XMLSchema", prefix: "xsd")

    /// Creates an element in this namespace.
    ///
    /// - Parameters:
    ///   - name: The name without a prefix.
    ///   - attributes: The names and values of the attributes. `nil` values are omitted.
    ///   - content: The content: elements, nodes, text and numbers.
    /// - Returns: The element.
    public func callAsFunction(
      _ name: String, _ attributes: KeyValuePairs<Name, (any LosslessStringConvertible)?> = [:],
      @Builder content: () -> [Node] = { [] }
    ) -> XML {
      XML(name, in: self, attributes, content: content)
    }

    /// Returns whether the URIs are equal.
    public static func == (left: Namespace, right: Namespace) -> Bool { left.uri == right.uri }

    /// Feeds the URI to a hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(uri) }

    /// The URI.
    public var description: String { uri }
  }

  /// The name of an element or an attribute: a local name in a namespace or in none.
  ///
  /// A string literal is a name in no namespace. Prefixes are not compared.
  public struct Name: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name without a prefix.
    public var local: String
    /// The namespace.
    ///
    /// `nil` for none.
    public var namespace: Namespace?

    /// Creates a name.
    ///
    /// - Parameters:
    ///   - local: The name without a prefix.
    ///   - namespace: The namespace. `nil` for none.
    public init(_ local: String, in namespace: Namespace? = nil) {
      self.local = local
      self.namespace = namespace
    }

    /// Creates a name in no namespace.
    public init(stringLiteral local: String) { self.init(local) }

    /// The name with the URI of its namespace in braces, such as `{urn:example:shop}order`.
    public var description: String { (namespace.map { "{\($0.uri)}" } ?? "") + local }
  }

  /// An attribute.
  public struct Attribute: Sendable, Hashable {
    /// The name, with its namespace.
    public var name: Name
    /// The value.
    public var value: String

    /// Creates an attribute.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - value: The value, in which every character has its own meaning.
    public init(_ name: Name, _ value: String) {
      self.name = name
      self.value = value
    }
  }
}
