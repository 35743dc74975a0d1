/// The error of a text that is not acceptable XML, or of a tree that cannot be written as XML.
///
/// ``description`` contains names of the document, but neither text nor values of attributes.
public struct XMLError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure.
  public enum Code: Sendable, Hashable {
    /// The text is empty, or not well-formed.
    case notWellFormed
    /// The document has a document type declaration, which is refused before it is parsed.
    ///
    /// Such a declaration can name files and expand a small document without limit.
    case documentType
    /// The bytes are not text in their encoding, or the encoding is not supported.
    case encoding
    /// The document exceeds one of the ``XML/Limits``.
    case limitExceeded
    /// A text has a character that XML cannot contain, or a comment, a processing instruction or a
    /// name has a text that it cannot contain.
    case notRepresentable
    /// libxml2 cannot parse, because there is no memory.
    case parserFailed
  }

  /// The kind of failure.
  public var code: Code
  /// The details as part of a sentence.
  public var reason: String
  /// The line, from 1.
  ///
  /// `nil` if the error has no position.
  public var line: Int?
  /// The column, from 1, in bytes of UTF-8.
  ///
  /// `nil` if the error has no position.
  public var column: Int?

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - code: The kind of failure.
  ///   - reason: The details as part of a sentence.
  ///   - line: The line, from 1. `nil` for an error without a position.
  ///   - column: The column, from 1. `nil` for an error without a position.
  public init(_ code: Code, _ reason: String, line: Int? = nil, column: Int? = nil) {
    self.code = code
    self.reason = reason
    self.line = line
    self.column = column
  }

  /// The details with the position, such as `line 3, column 7: the end tag does not match`.
  public var description: String {
    guard let line else { return reason }
    return "line \(line)\(column.map { ", column \($0)" } ?? ""): \(reason)"
  }
}

extension XML {
  /// The limits for documents that are parsed.
  ///
  /// A document that exceeds a limit is refused with ``XMLError/Code/limitExceeded``.
  public struct Limits: Sendable, Hashable {
    /// The limit for the size of the document in bytes, as received and in UTF-8.
    public var bytes: Int
    /// The limit for elements within elements.
    ///
    /// A limit above ``maximumDepth`` counts as that, and the error of a deeper document says so.
    public var depth: Int
    /// The limit for the attributes of an element, and for the declarations of namespaces that apply
    /// to an element.
    ///
    /// The time of the parser is quadratic in this number.
    public var attributes: Int
    /// The limit for the number of elements, texts, comments, processing instructions and
    /// attributes.
    public var nodes: Int

    /// Creates limits.
    ///
    /// - Parameters:
    ///   - bytes: The size of the document.
    ///   - depth: The depth of elements. More than ``maximumDepth`` counts as that.
    ///   - attributes: The attributes of an element.
    ///   - nodes: The nodes of the document.
    public init(
      bytes: Int = 32 << 20, depth: Int = maximumDepth, attributes: Int = 256,
      nodes: Int = 1_000_000
    ) {
      self.bytes = bytes
      self.depth = depth
      self.attributes = attributes
      self.nodes = nodes
    }

    /// The depth of the deepest tree that can be parsed and written.
    ///
    /// Releasing a tree takes about 360 bytes of the stack for each level.
    public static let maximumDepth = 512

    /// 32 MiB, a depth of 512, 256 attributes of an element, and 1,000,000 nodes.
    public static let standard = Limits()
  }
}
