extension XML {
  /// A part of the content of an element.
  public enum Node: Sendable, Hashable {
    /// An element.
    case element(XML)
    /// Text, which is escaped when it is written.
    case text(String)
    /// Text that is written as a CDATA section.
    ///
    /// A text that contains `]]>` is written as several sections.
    case cdata(String)
    /// A comment.
    ///
    /// The text must not contain `--` or end with `-`.
    case comment(String)
    /// A processing instruction.
    ///
    /// The text must not contain `?>`.
    case instruction(target: String, text: String)

    /// The element, or `nil` for any other node.
    public var element: XML? {
      if case .element(let element) = self { element } else { nil }
    }

    /// The text of a text node or a CDATA section, or `nil` for any other node.
    public var string: String? {
      switch self {
      case .text(let text), .cdata(let text): text
      default: nil
      }
    }
  }

  /// A builder of content: elements, nodes, text, numbers and Booleans, with `if`, `switch` and
  /// `for`.
  ///
  /// `nil` adds nothing.
  @resultBuilder
  public enum Builder {
    /// Adds an element.
    public static func buildExpression(_ element: XML?) -> [Node] {
      element.map { [.element($0)] } ?? []
    }

    /// Adds a node.
    public static func buildExpression(_ node: Node) -> [Node] { [node] }

    /// Adds text, or the text of a number or a Boolean.
    public static func buildExpression(_ value: (any LosslessStringConvertible)?) -> [Node] {
      value.map { [.text(XML.text(of: $0))] } ?? []
    }

    /// Adds elements.
    public static func buildExpression(_ elements: [XML]) -> [Node] { elements.map(Node.element) }

    /// Adds nodes.
    public static func buildExpression(_ nodes: [Node]) -> [Node] { nodes }

    /// Joins the nodes of the statements.
    public static func buildBlock(_ parts: [Node]...) -> [Node] { parts.flatMap(\.self) }

    /// Adds the nodes of an `if` without an `else`.
    public static func buildOptional(_ nodes: [Node]?) -> [Node] { nodes ?? [] }

    /// Adds the nodes of the first branch.
    public static func buildEither(first nodes: [Node]) -> [Node] { nodes }

    /// Adds the nodes of the second branch.
    public static func buildEither(second nodes: [Node]) -> [Node] { nodes }

    /// Joins the nodes of a loop.
    public static func buildArray(_ parts: [[Node]]) -> [Node] { parts.flatMap(\.self) }
  }
}

// MARK: - Documents

extension XML {
  /// A document: the root element, and the comments and processing instructions around it.
  ///
  /// The first step of a path is the name of the root: `document["Envelope", "Body", 0]`.
  public struct Document: Sendable, Hashable {
    /// The comments and processing instructions before the root.
    public var prolog: [Node]
    /// The root element.
    public var root: XML
    /// The comments and processing instructions after the root.
    public var epilog: [Node]

    /// Creates a document.
    ///
    /// - Parameters:
    ///   - root: The root element.
    ///   - prolog: The comments and processing instructions before the root.
    ///   - epilog: The comments and processing instructions after the root.
    public init(_ root: XML, prolog: [Node] = [], epilog: [Node] = []) {
      self.prolog = prolog
      self.root = root
      self.epilog = epilog
    }

    /// Returns the element at the end of a path from the document.
    ///
    /// The first step is the name of the root or the position 0.
    ///
    /// - Parameter path: The names and positions.
    /// - Returns: The element, or `nil` if there is none.
    public subscript(path: Step...) -> XML? {
      guard let first = path.first, XML.child(of: [.element(root)], at: first) != nil else {
        return nil
      }
      return root.element(at: path.dropFirst())
    }

    /// Returns the elements of a name anywhere in the document, the root included, in document
    /// order.
    ///
    /// - Parameters:
    ///   - name: The name without a prefix.
    ///   - namespace: The namespace. `nil` finds names in any namespace and in none.
    /// - Returns: The elements.
    public func all(_ name: String, in namespace: Namespace? = nil) -> [XML] {
      XML.all(name, namespace, in: [.element(root)])
    }

    /// Returns the first element of a name anywhere in the document, in document order.
    ///
    /// - Parameters:
    ///   - name: The name without a prefix.
    ///   - namespace: The namespace. `nil` finds names in any namespace and in none.
    /// - Returns: The element, or `nil` if there is none.
    public func first(_ name: String, in namespace: Namespace? = nil) -> XML? {
      XML.first(name, namespace, in: [.element(root)])
    }
  }
}
