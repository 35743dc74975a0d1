import Foundation
import Mocking
import MockingDocuments
import Networking

/// A value of a JSON or YAML document with its position in the text.
///
/// The members of an object keep their order.
struct DocumentNode: Sendable {
  enum Content: Sendable {
    case scalar
    case array([DocumentNode])
    case object([Member])
  }

  struct Member: Sendable {
    let name: String
    /// The offset of the name in bytes.
    let offset: Int
    let value: DocumentNode
  }

  let content: Content
  /// The value without positions.
  let json: JSON
  /// The offset of the first byte.
  let offset: Int
  /// The approximate size of the value in bytes, with that of each alias.
  let size: Int
  /// The number of levels below this node.
  let height: Int
  /// The positions of the members of a large object by their names, of which ``subscript(_:)`` is asked often.
  ///
  /// Empty for a small object and any other value.
  private let positions: [String: Int]

  /// The number of members from which an object has ``positions``.
  private static let largeCount = 32

  /// Creates a node for a value that is neither an array nor an object.
  init(scalar: JSON, offset: Int) {
    content = .scalar
    json = scalar
    self.offset = offset
    size = scalar.totalSize
    height = 0
    positions = [:]
  }

  init(array elements: [DocumentNode], offset: Int) {
    content = .array(elements)
    json = .array(elements.map(\.json))
    self.offset = offset
    size = elements.reduce(8) { $0 + $1.size }
    height = 1 + (elements.map(\.height).max() ?? 0)
    positions = [:]
  }

  /// Creates a node for an object, whose names must be unique.
  init(object members: [Member], offset: Int) {
    content = .object(members)
    json = .dictionary(
      Dictionary(members.map { ($0.name, $0.value.json) }, uniquingKeysWith: { first, _ in first }))
    self.offset = offset
    size = members.reduce(8) { $0 + $1.name.utf8.count + $1.value.size }
    height = 1 + (members.map(\.value.height).max() ?? 0)
    positions =
      members.count < Self.largeCount
      ? [:]
      : Dictionary(
        members.enumerated().map { ($0.element.name, $0.offset) },
        uniquingKeysWith: { first, _ in first })
  }

  private init(_ node: DocumentNode, offset: Int) {
    content = node.content
    json = node.json
    self.offset = offset
    size = node.size
    height = node.height
    positions = node.positions
  }

  /// Returns the node at another position, as the value of an alias.
  func moved(to offset: Int) -> DocumentNode { DocumentNode(self, offset: offset) }

  // MARK: Access

  /// The members of an object in their order.
  ///
  /// Empty for any other value.
  var members: [Member] {
    if case .object(let members) = content { members } else { [] }
  }

  /// The elements of an array.
  ///
  /// Empty for any other value.
  var elements: [DocumentNode] {
    if case .array(let elements) = content { elements } else { [] }
  }

  /// Returns the value of a member of an object, or `nil` if there is none.
  subscript(name: String) -> DocumentNode? {
    guard case .object(let members) = content else { return nil }
    guard positions.isEmpty else { return positions[name].map { members[$0].value } }
    return members.first { $0.name == name }?.value
  }

  /// Returns the node at a path of names and indexes, or `nil` if there is none.
  func node(at path: [String]) -> DocumentNode? {
    var node = self
    for step in path {
      switch node.content {
      case .object:
        guard let next = node[step] else { return nil }
        node = next
      case .array(let elements):
        guard let index = Int(step), elements.indices.contains(index) else { return nil }
        node = elements[index]
      case .scalar: return nil
      }
    }
    return node
  }

  /// Returns the offset of a value, or of the innermost value on the path that exists.
  func offset(at path: [String]) -> Int {
    for count in stride(from: path.count, through: 0, by: -1) {
      if let node = node(at: Array(path.prefix(count))) { return node.offset }
    }
    return offset
  }
}

/// An error in the text of a document.
struct DocumentSyntaxError: Error, Hashable {
  /// The offset in bytes.
  let offset: Int
  let reason: String
}
