/// A place in a tree of parameters under construction; containers of an encoder share it.
final class ParameterNode {
  private var content = Content.empty
  /// Whether the names have no order of their own.
  var sortsNames = false

  private enum Content {
    case empty
    case value(Parameters)
    case array([ParameterNode])
    case dictionary(names: [String], nodes: [String: ParameterNode])
  }

  /// How many elements an array has.
  var count: Int {
    if case .array(let nodes) = content { nodes.count } else { 0 }
  }

  /// Makes this a leaf.
  func set(_ value: Parameters) { content = .value(value) }

  /// Makes this an array unless it is one.
  func beginArray() {
    if case .array = content { return }
    content = .array([])
  }

  /// Makes this a dictionary unless it is one.
  func beginDictionary() {
    if case .dictionary = content { return }
    content = .dictionary(names: [], nodes: [:])
  }

  /// A new last element.
  func append() -> ParameterNode {
    let node = ParameterNode()
    guard case .array(var nodes) = content else { return node }
    content = .empty  // So that the array has one owner and is not copied.
    nodes.append(node)
    content = .array(nodes)
    return node
  }

  /// The place of a name, which is made when it is not there.
  func member(_ name: String) -> ParameterNode {
    guard case .dictionary(var names, var nodes) = content else { return ParameterNode() }
    if let node = nodes[name] { return node }
    let node = ParameterNode()
    content = .empty
    names.append(name)
    nodes[name] = node
    content = .dictionary(names: names, nodes: nodes)
    return node
  }

  /// What stands here; a value that has encoded nothing is an empty dictionary, as in JSON.
  var parameters: Parameters {
    switch content {
    case .empty: return [:]
    case .value(let value): return value
    case .array(let nodes): return .array(nodes.map(\.parameters))
    case .dictionary(let names, let nodes):
      var members: Parameters.Members = [:]
      for name in sortsNames ? names.sorted() : names {
        members[name] = nodes[name]?.parameters
      }
      return .dictionary(members)
    }
  }
}
