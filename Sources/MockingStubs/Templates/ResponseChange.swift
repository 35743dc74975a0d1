import Mocking
import MockingResources
import MockingTemplates
import Networking

/// A change of the items of a resource by a response, in a stub file.
struct ResponseChange: Sendable {
  /// The items that are changed.
  enum Target: Sendable {
    /// The item with an id. It must exist.
    case id(Template)
    /// All items that have the values of members.
    case members([(name: String, value: Template)])
  }

  enum Action: Sendable {
    case create(Template)
    /// Applies a merge patch, which may use the current item.
    case update(Target, with: Template)
    case delete(Target)
  }

  /// The path of the resource.
  let path: String
  let action: Action
  /// The list for whose elements the change is repeated.
  ///
  /// `nil` changes the resource once.
  var list: Template?
  /// The condition under which the change is made.
  var condition: Template?
  /// Whether the changed item is the next constant of the response.
  var hasName = false

  /// The maximum number of changes of one response.
  private static let maximumCount = 10_000

  /// Makes the changes of a response in order.
  ///
  /// - Parameters:
  ///   - changes: The changes.
  ///   - items: The items of the resources.
  ///   - rendering: The state of the rendering, which receives the named items.
  /// - Throws: ``ChangeRefusal`` of the first change that is refused, or ``TemplateRenderError``.
  static func apply(
    _ changes: [ResponseChange], to items: TransactionItems,
    _ rendering: inout TemplateRendering
  ) throws {
    var count = 0
    for change in changes {
      var results: [JSON] = []
      if let list = change.list {
        var refusal: (any Error)?
        let list = try list.value(&rendering)
        _ = try rendering.forEach(in: list) { rendering throws(TemplateRenderError) in
          guard refusal == nil else { return }
          do {
            results += try change.apply(to: items, &rendering, &count)
          } catch {
            refusal = error
          }
        }
        if let refusal { throw refusal }
      } else {
        results = try change.apply(to: items, &rendering, &count)
      }
      guard change.hasName else { continue }
      rendering.constants.append(
        change.isSingle ? results.first ?? .null : .array(results))
    }
  }

  /// Whether the change affects at most one item.
  private var isSingle: Bool {
    guard list == nil else { return false }
    switch action {
    case .create, .update(.id, _), .delete(.id): return true
    case .update(.members, _), .delete(.members): return false
    }
  }

  /// Makes the change, and returns the changed items.
  private func apply(
    to items: TransactionItems, _ rendering: inout TemplateRendering, _ count: inout Int
  ) throws -> [JSON] {
    if let condition, !(try condition.holds(&rendering)) { return [] }
    guard items.key(at: path) != nil else { throw TemplateRenderError.unknownResource(path) }
    switch action {
    case .create(let item):
      try Self.count(&count)
      return [try items.create(try item.value(&rendering), at: path)]
    case .update(let target, let patch):
      return try ids(of: target, items, &rendering).map { id in
        try Self.count(&count)
        // The element of the inner loop is the current item.
        let patch = try rendering.withElement(items.item(id, at: path) ?? .null) {
          rendering throws(TemplateRenderError) in try patch.value(&rendering)
        }
        return try items.update(id, at: path, with: patch)
      }
    case .delete(let target):
      return try ids(of: target, items, &rendering).map { id in
        try Self.count(&count)
        return try items.delete(id, at: path)
      }
    }
  }

  private static func count(_ count: inout Int) throws(TemplateRenderError) {
    count += 1
    guard count <= maximumCount else { throw .tooManyElements }
  }

  /// Returns the ids of the items to change.
  private func ids(
    of target: Target, _ items: TransactionItems, _ rendering: inout TemplateRendering
  ) throws -> [JSON] {
    switch target {
    case .id(let id): return [try id.value(&rendering)]
    case .members(let members):
      let list = items.items(at: path)
      try rendering.charge(16 + 16 * members.count, times: list.count)
      var wanted: [(name: String, value: JSON)] = []
      for member in members { wanted.append((member.name, try member.value.value(&rendering))) }
      let key = items.key(at: path) ?? ""
      return list.filter { item in
        wanted.allSatisfy { item[$0.name].isTemplateEqual(to: $0.value) }
      }.map { $0[key] }
    }
  }
}
