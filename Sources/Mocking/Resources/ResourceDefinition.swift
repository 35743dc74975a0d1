import Foundation
import Networking

/// The path of a resource, with the members that its variables determine.
struct ResourcePath: Sendable {
  /// A variable of the path.
  struct Binding: Sendable {
    let variable: String
    /// The member that contains the id of the parent.
    let member: String
    /// The normalized path of the parent.
    let parent: String
  }

  /// The template of the list.
  let list: String
  /// The template of an item.
  let item: String
  /// The variable of ``item`` with the id.
  let idVariable: String
  /// The variables in order.
  let bindings: [Binding]
  /// The path with all variables replaced by `{}`.
  let normalized: String

  init(_ template: String, _ foreignKeys: [String: String]) {
    var normalized = ""
    var bindings: [Binding] = []
    for segment in template.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      guard segment.hasPrefix("{"), segment.hasSuffix("}") else {
        normalized += "/\(segment)"
        continue
      }
      let name = String(segment.dropFirst().dropLast())
      bindings.append(
        Binding(variable: name, member: foreignKeys[name] ?? "\(name)Id", parent: normalized))
      normalized += "/{}"
    }
    self.normalized = normalized
    self.bindings = bindings
    var idVariable = "id"
    while bindings.contains(where: { $0.variable == idVariable }) { idVariable += "_" }
    self.idVariable = idVariable
    list = template
    item = "\(template)/{\(idVariable)}"
  }
}

/// The paths and options of a resource in its store.
struct ResourceDefinition: Sendable {
  /// The paths; the first one identifies the resource in a file.
  let paths: [ResourcePath]
  let options: ResourceOptions
  /// Throws a `DecodingError` for an item that is no value of the resource's type.
  ///
  /// `nil` accepts every object.
  let decode: (@Sendable (_ item: Data) throws -> Void)?

  init(
    _ path: String, _ options: ResourceOptions,
    decode: (@Sendable (_ item: Data) throws -> Void)? = nil
  ) {
    paths = ([path] + options.nestedPaths).map { ResourcePath($0, options.foreignKeys) }
    self.options = options
    self.decode = decode
  }

  var name: String { paths[0].list }

  /// The members that contain the ids of parents.
  var foreignKeys: Set<String> { Set(paths.flatMap(\.bindings).map(\.member)) }
}

extension ResourceData {
  /// Returns the member that should contain the id of a parent but does not, and the path of the
  /// parent, or `nil` if an item belongs to parents.
  ///
  /// An item without the member is valid if it can be reached by a path without parents.
  func orphaned(_ json: JSON, in index: Int) -> (member: String, parent: String)? {
    let definition = definitions[index]
    let isReachable = definition.paths.contains { $0.bindings.isEmpty }
    for path in definition.paths {
      for binding in path.bindings {
        guard let parent = self.index(at: binding.parent) else { continue }
        let value = json[binding.member]
        if value.isNull, isReachable { continue }
        let id = ResourceItem.id(of: value)
        if id.flatMap({ tables[parent][$0] }) == nil {
          return (binding.member, definitions[parent].name)
        }
      }
    }
    return nil
  }
}
