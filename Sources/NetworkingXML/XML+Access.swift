extension XML {
  /// A step of a path: the name of an element, or its position among the elements of its parent.
  ///
  /// Literals of strings and integers are steps: `envelope["Body", 0]` is the first element within
  /// the first `Body`. A name selects the first element of that name, in any namespace and in none.
  public enum Step: Sendable, Hashable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    /// The first element of a name.
    ///
    /// With `nil` for the namespace, the element may be in any namespace or in none.
    case name(String, in: Namespace? = nil)
    /// The element at a position, from 0, among the elements of any name.
    case index(Int)

    /// Creates a step to the first element of a name.
    public init(stringLiteral name: String) { self = .name(name) }

    /// Creates a step to the element at a position.
    public init(integerLiteral index: Int) { self = .index(index) }
  }

  /// Returns the element at the end of a path from this element.
  ///
  /// - Parameter path: The names and positions.
  /// - Returns: The element, or `nil` if there is none.
  public subscript(path: Step...) -> XML? { element(at: path[...]) }

  /// The value of an attribute.
  ///
  /// `nil` if there is none. Assigning a value replaces the value or appends an attribute. Assigning `nil` removes it.
  ///
  /// - Parameter name: The name. A string literal is a name in no namespace.
  public subscript(attribute name: Name) -> String? {
    get { attributes.first { $0.name == name }?.value }
    set {
      let index = attributes.firstIndex { $0.name == name }
      switch (index, newValue) {
      case (let index?, let value?): attributes[index].value = value
      case (let index?, nil): attributes.remove(at: index)
      case (nil, let value?): attributes.append(Attribute(name, value))
      case (nil, nil): break
      }
    }
  }

  /// The elements of the content, in order.
  public var elements: [XML] { children.compactMap(\.element) }

  /// Returns the elements of a name among the content, in order.
  ///
  /// - Parameters:
  ///   - name: The name without a prefix.
  ///   - namespace: The namespace. `nil` finds names in any namespace and in none.
  /// - Returns: The elements.
  public func elements(_ name: String, in namespace: Namespace? = nil) -> [XML] {
    children.compactMap { node in
      guard case .element(let element) = node, element.isNamed(name, namespace) else { return nil }
      return element
    }
  }

  /// Returns the elements of a name anywhere within this element, in document order.
  ///
  /// - Parameters:
  ///   - name: The name without a prefix.
  ///   - namespace: The namespace. `nil` finds names in any namespace and in none.
  /// - Returns: The elements. An element may be within another one of them.
  public func all(_ name: String, in namespace: Namespace? = nil) -> [XML] {
    Self.all(name, namespace, in: children)
  }

  /// Returns the first element of a name anywhere within this element, in document order.
  ///
  /// - Parameters:
  ///   - name: The name without a prefix.
  ///   - namespace: The namespace. `nil` finds names in any namespace and in none.
  /// - Returns: The element, or `nil` if there is none.
  public func first(_ name: String, in namespace: Namespace? = nil) -> XML? {
    Self.first(name, namespace, in: children)
  }
}

// MARK: - Typed access

extension XML {
  /// The text of this element and of all elements within it, without comments and processing
  /// instructions.
  ///
  /// Source: XML Path Language (XPath) 1.0, section 5.2.
  public var string: String {
    // Fast path: most elements with text have a single node.
    if children.count == 1, let string = children[0].string { return string }
    var text = ""
    for node in XMLNodes(children) { text += node.string ?? "" }
    return text
  }

  /// The text as an integer, or `nil` if it is not an integer that fits into `Int`.
  ///
  /// White space around the number is ignored.
  public var int: Int? { value() }

  /// The text as a number, or `nil` if it is not one.
  ///
  /// White space around the number is ignored. `INF`, `-INF` and `NaN` are numbers.
  public var double: Double? {
    switch trimmedString {
    case "INF": .infinity
    case "-INF": -.infinity
    case "NaN": .nan
    case let text: text.utf8.allSatisfy(Self.mayBeInDecimal) ? Double(text) : nil
    }
  }

  /// The text as a Boolean, or `nil` if it is not one.
  ///
  /// `true` and `1` are true, `false` and `0` are false. White space around the text is ignored.
  public var bool: Bool? {
    switch trimmedString {
    case "true", "1": true
    case "false", "0": false
    default: nil
    }
  }

  /// Returns the text as a value of a type that can be created from text.
  ///
  /// - Parameter type: The type, such as `UInt8.self`.
  /// - Returns: The value of the text without the white space around it, or `nil` if the text has
  ///   another form.
  public func value<Value: LosslessStringConvertible>(as type: Value.Type = Value.self) -> Value? {
    Value(trimmedString)
  }

  /// Whether the element has the attribute `xsi:nil` with the value `true` or `1`.
  ///
  /// Source: XML Schema Part 1: Structures, section 2.6.2.
  public var isNil: Bool {
    ["true", "1"].contains(self[attribute: Name("nil", in: .xsi)])
  }

  private var trimmedString: String {
    let text = string
    let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
    guard let first = text.utf8.firstIndex(where: { !isSpace($0) }),
      let last = text.utf8.lastIndex(where: { !isSpace($0) })
    else { return "" }
    return String(text[first...last])
  }

  /// Swift reads hexadecimal numbers and names of infinity, which XML Schema does not have.
  private static func mayBeInDecimal(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "+"),
      UInt8(ascii: "-"), UInt8(ascii: "e"), UInt8(ascii: "E"):
      true
    default: false
    }
  }
}

// MARK: - Search

extension XML {
  func element(at path: ArraySlice<Step>) -> XML? {
    var element = self
    for step in path {
      guard let next = Self.child(of: element.children, at: step) else { return nil }
      element = next
    }
    return element
  }

  static func child(of nodes: [Node], at step: Step) -> XML? {
    var position = 0
    for case .element(let element) in nodes {
      switch step {
      case .name(let name, let namespace):
        if element.isNamed(name, namespace) { return element }
      case .index(let index):
        if position == index { return element }
        position += 1
      }
    }
    return nil
  }

  static func all(_ name: String, _ namespace: Namespace?, in nodes: [Node]) -> [XML] {
    XMLNodes(nodes).compactMap { node in
      guard case .element(let element) = node, element.isNamed(name, namespace) else { return nil }
      return element
    }
  }

  static func first(_ name: String, _ namespace: Namespace?, in nodes: [Node]) -> XML? {
    for case .element(let element) in XMLNodes(nodes) where element.isNamed(name, namespace) {
      return element
    }
    return nil
  }

  func isNamed(_ name: String, _ namespace: Namespace?) -> Bool {
    self.name.local == name && (namespace == nil || self.name.namespace == namespace)
  }
}

/// Nodes and all nodes within them, in document order.
///
/// A sequence instead of a recursion, because a tree can be deeper than the stack of a thread
/// allows.
struct XMLNodes: Sequence, IteratorProtocol {
  /// The nodes that are left of each level, the innermost last.
  private var levels: [IndexingIterator<[XML.Node]>]

  init(_ nodes: [XML.Node]) {
    levels = [nodes.makeIterator()]
  }

  mutating func next() -> XML.Node? {
    while let last = levels.indices.last {
      guard let node = levels[last].next() else {
        levels.removeLast()
        continue
      }
      if case .element(let element) = node { levels.append(element.children.makeIterator()) }
      return node
    }
    return nil
  }
}
