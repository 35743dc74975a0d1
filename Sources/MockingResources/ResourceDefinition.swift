package import Foundation
import MockingDocuments
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
    /// Whether the id is a text, although it may have only digits.
    let isText: Bool
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
  /// Whether the items have no members for ``bindings``.
  let sharesItems: Bool

  init(_ template: String, _ options: ResourceOptions) {
    var normalized = ""
    var bindings: [Binding] = []
    for segment in template.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      guard segment.hasPrefix("{"), segment.hasSuffix("}") else {
        normalized += "/\(segment)"
        continue
      }
      let name = String(segment.dropFirst().dropLast())
      let member = options.foreignKeys[name] ?? "\(name)Id"
      bindings.append(
        Binding(
          variable: name, member: member, parent: normalized,
          isText: options.types[member] == .string))
      normalized += "/{}"
    }
    self.normalized = normalized
    self.bindings = bindings
    sharesItems = options.sharesItems
    var idVariable = "id"
    while bindings.contains(where: { $0.variable == idVariable }) { idVariable += "_" }
    self.idVariable = idVariable
    list = template
    item = "\(template)/{\(idVariable)}"
  }
}

/// The paths and options of a resource in its store.
package struct ResourceDefinition: Sendable {
  /// The paths; the first one identifies the resource in a file.
  let paths: [ResourcePath]
  let options: ResourceOptions
  /// Throws a `DecodingError` for an item that is no value of the resource's type.
  ///
  /// `nil` accepts every object.
  let decode: (@Sendable (_ item: Data) throws -> Void)?

  /// Creates a resource.
  package init(
    _ path: String, _ options: ResourceOptions,
    decode: (@Sendable (_ item: Data) throws -> Void)? = nil
  ) {
    var options = options
    options.nestedPaths = options.nestedPaths.map(PathTemplate.rooted)
    options.references = options.references.mapValues(PathTemplate.rooted)
    paths = ([PathTemplate.rooted(path)] + options.nestedPaths).map {
      ResourcePath($0.bracedVariables, options)
    }
    self.options = options
    self.decode = decode
  }

  /// The path that identifies the resource.
  package var name: String { paths[0].list }

  /// The members that contain the ids of parents.
  var foreignKeys: Set<String> { Set(paths.flatMap(\.bindings).map(\.member)) }
}

extension String {
  /// The path with `{user}` in place of each segment `:user`.
  package var bracedVariables: String {
    split(separator: "/", omittingEmptySubsequences: false).map { segment in
      let name = segment.dropFirst()
      let isName = name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
      return segment.hasPrefix(":") && !name.isEmpty && isName ? "{\(name)}" : String(segment)
    }.joined(separator: "/")
  }
}

/// A member whose value is not the id of an existing item of another resource.
struct BrokenReference {
  let member: String
  /// The path of the other resource.
  let resource: String

  /// The error in a request that sets the member.
  var problem: ResourceProblem.Detail {
    .init(
      path: [.member(member)], text: "must be the id of an item of \(resource)")
  }
}

extension ResourceData {
  /// Returns the members that the variables of a path determine.
  ///
  /// - Throws: ``ResourceProblem`` with the status 404 if a parent does not exist.
  func bound(
    _ path: ResourcePath, _ variables: [String: String]
  ) throws(ResourceProblem) -> Bound {
    var bound: Bound = []
    for binding in path.bindings {
      let id = variables[binding.variable] ?? ""
      guard let parent = indexes[binding.parent], !definitions[parent].options.sharesItems,
        !definitions[parent].options.allowsMissingParents || tables[parent][id] != nil
      else {
        // Without a parent and a type, the kind of the id is unknown.
        let number = binding.isText ? nil : Int(id)
        bound.append((binding.member, number.map { .int($0) } ?? .string(id)))
        continue
      }
      // The parent may have other names for the members that its own path determines.
      let own = definitions[parent].paths.first { $0.normalized == binding.parent }?.bindings ?? []
      guard let item = tables[parent][id],
        Self.matches(item.json, zip(own, bound).map { ($0.member, $1.value) })
      else { throw .missing(id) }
      bound.append((binding.member, item.json[definitions[parent].options.key]))
    }
    return path.sharesItems ? [] : bound
  }

  /// Returns whether an item belongs to the parents of a path.
  static func matches(_ json: JSON, _ bound: Bound) -> Bool {
    bound.allSatisfy { member, value in
      ResourceItem.id(of: json[member]) == ResourceItem.id(of: value)
    }
  }

  /// Returns the references of an item to parents and to other items that do not exist.
  ///
  /// An item without the id of a parent is valid if it can be reached by a path without parents.
  ///
  /// - Parameters:
  ///   - json: The item.
  ///   - index: The index of its resource.
  ///   - current: The item that it replaces. Members with an equal value are not checked, because the
  ///     item of another resource may have been deleted since.
  ///   - bound: The members that the path of the request determines, which are not checked.
  /// - Returns: The references, in the order of the members' names.
  func brokenReferences(
    of json: JSON, in index: Int, replacing current: JSON? = nil, _ bound: Bound = []
  ) -> [BrokenReference] {
    let definition = definitions[index]
    let isReachable = definition.paths.contains { $0.bindings.isEmpty }
    var targets: [String: (table: Int, isParent: Bool)] = [:]
    for (member, path) in definition.options.references {
      if let table = self.index(at: path) { targets[member] = (table, false) }
    }
    for binding in definition.paths.flatMap(\.bindings) {
      if let table = self.index(at: binding.parent) { targets[binding.member] = (table, true) }
    }
    return targets.sorted { $0.key < $1.key }.compactMap { member, target in
      let value = json[member]
      if let current, current[member] == value { return nil }
      // An item that is reached by the path of the request needs no other parent.
      let isRequired = target.isParent && !isReachable && bound.isEmpty
      guard !bound.contains(where: { $0.member == member }), isRequired || !value.isNull,
        !refers(value, to: target.table, allowsList: !target.isParent)
      else { return nil }
      return BrokenReference(member: member, resource: definitions[target.table].name)
    }
  }

  /// Returns whether a value is the id of an existing item, or an array of such ids.
  private func refers(_ value: JSON, to table: Int, allowsList: Bool) -> Bool {
    if allowsList, case .array(let ids) = value {
      return ids.allSatisfy { refers($0, to: table, allowsList: false) }
    }
    return ResourceItem.id(of: value).flatMap { tables[table][$0] } != nil
  }

  /// Returns the first initial item of a resource with a reference to an item that does not exist.
  ///
  /// - Parameter path: The path of the resource.
  /// - Returns: The index of the item and the reference, or `nil` if there is none.
  func brokenReference(at path: String) -> (index: Int, reference: BrokenReference)? {
    guard let index = self.index(at: path) else { return nil }
    let options = definitions[index].options
    for (position, item) in tables[index].items.enumerated() {
      let broken = brokenReferences(of: item.json, in: index)
      // Items whose parents are gone are kept by choice.
      let reference = broken.first {
        options.onParentDelete != .keep || options.references[$0.member] != nil
      }
      if let reference { return (position, reference) }
    }
    return nil
  }

  /// Returns the member of a resource that refers to items of a resource that does not exist.
  ///
  /// - Parameter path: The path of the resource.
  /// - Returns: The member and the path to which it refers, or `nil` if there is none.
  func unknownReference(at path: String) -> (member: String, resource: String)? {
    guard let index = self.index(at: path) else { return nil }
    return definitions[index].options.references.sorted { $0.key < $1.key }
      .first { self.index(at: $0.value) == nil }.map { (member: $0.key, resource: $0.value) }
  }
}
