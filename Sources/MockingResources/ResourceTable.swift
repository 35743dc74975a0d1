import CatenaSystem
import Foundation
import Mocking
import Networking

/// An item of a resource.
///
/// A class, because lists copy the items, and a reference is copied faster.
final class ResourceItem: Sendable {
  /// The id as text, as in a path.
  let id: String
  let json: JSON
  /// The JSON text.
  let text: Data
  /// The entity tag, a hash of the text.
  let tag: String

  init(id: String, json: JSON, text: Data) {
    self.id = id
    self.json = json
    self.text = text
    tag = EntityTag.of(text)
  }

  /// Returns the text of an id, or `nil` if the value cannot be an id.
  ///
  /// An id is an integer or a string of 1 to 256 bytes. The integer 1 and the string `1` are equal
  /// ids.
  static func id(of json: JSON?) -> String? {
    switch json {
    case .string(let text): (1...256).contains(text.utf8.count) ? text : nil
    case let number?: number.int.map(String.init)
    case nil: nil
    }
  }
}

/// Strong entity tags.
///
/// Source: RFC 9110 section 8.8.3.
enum EntityTag {
  /// Returns the tag of a representation: its checksum.
  static func of(_ text: some Sequence<UInt8>) -> String {
    "\"\(Checksum(text).text)\""
  }

  /// Returns whether a tag is in a list of tags, such as the value of `If-Match`.
  ///
  /// - Parameters:
  ///   - tag: The tag of the current representation. `nil` if there is none.
  ///   - list: The values of the field. `*` matches every representation.
  ///   - isWeak: Whether weak tags match too.
  /// - Returns: Whether the tag is in the list.
  static func matches(_ tag: String?, _ list: [String], isWeak: Bool) -> Bool {
    guard let tag else { return false }
    return list.flatMap { $0.split(separator: ",") }.contains { member in
      let text = String(member).trimmingOptionalWhitespace
      return text == "*" || text == tag || (isWeak && text == "W/\(tag)")
    }
  }
}

/// The items of a resource in the order of their creation, with indexes of ids and unique members.
package struct ResourceTable: Sendable {
  /// The items; `nil` in place of a removed one.
  private var slots: [ResourceItem?] = []
  private var positions: [String: Int] = [:]
  /// The id of the item with some values, for each group of unique members.
  private var owners: [[JSON: String]]
  private let unique: [[String]]
  /// The pattern of the ids.
  ///
  /// `nil` if another rule makes them.
  private let pattern: IDPattern?
  /// The rule that ``ResourceOptions/IDRule/automatic`` has found, or `nil` if no item had an id yet.
  var idRule: ResourceOptions.IDRule?
  /// The last number that an id used.
  var counter: Int
  /// The number of changes.
  private(set) var revision = 0
  var order = MemberOrder()

  static let maximumCounter = 1 << 53

  /// Creates an empty table.
  ///
  /// - Parameters:
  ///   - unique: The groups of members whose values are unique together.
  ///   - ids: The rule for the ids.
  ///   - counter: The last number that an id used.
  init(
    unique: [[String]] = [], ids: ResourceOptions.IDRule = .counter, counter: Int = 0
  ) {
    pattern = if case .pattern(let text) = ids { IDPattern(text) } else { nil }
    self.unique = unique.sorted { $0.lexicographicallyPrecedes($1) }
    owners = Array(repeating: [:], count: unique.count)
    self.counter = min(max(counter, 0), Self.maximumCounter)
  }

  var count: Int { positions.count }

  /// The items in order.
  var items: [ResourceItem] { slots.compactMap { $0 } }

  /// Returns whether two tables have the same items and the same unique members.
  func hasSameItems(as other: ResourceTable) -> Bool {
    unique == other.unique && items.map(\.json) == other.items.map(\.json)
  }

  subscript(id: String) -> ResourceItem? { positions[id].flatMap { slots[$0] } }

  /// Returns the first group of unique members of an item whose values another item has.
  func conflict(of json: JSON, id: String) -> [String]? {
    for (index, members) in unique.enumerated() {
      guard let value = Self.value(of: members, in: json), let owner = owners[index][value],
        owner != id
      else { continue }
      return members
    }
    return nil
  }

  /// Returns the values of a group of members, or `nil` if one of them is `null` or missing.
  private static func value(of members: [String], in json: JSON) -> JSON? {
    if members.count == 1 {
      let value = json[members[0]]
      return value.isNull ? JSON?.none : value
    }
    let values = members.map { json[$0] }
    return values.contains(where: \.isNull) ? JSON?.none : .array(values)
  }

  /// Adds an item whose id is new.
  mutating func insert(_ item: ResourceItem) {
    positions[item.id] = slots.count
    slots.append(item)
    own(item)
    reserve(.string(item.id))
    revision += 1
  }

  /// Excludes a number from the ids of later items.
  mutating func reserve(_ id: JSON) {
    let number = id.int ?? id.string.flatMap { pattern?.number(in: $0) ?? Int($0) }
    if let number, number > counter, number <= Self.maximumCounter { counter = number }
  }

  /// Replaces the item with the same id.
  mutating func replace(_ item: ResourceItem) {
    guard let position = positions[item.id], let old = slots[position] else { return }
    disown(old)
    slots[position] = item
    own(item)
    revision += 1
  }

  /// Removes an item.
  mutating func remove(_ id: String) {
    guard let position = positions.removeValue(forKey: id), let old = slots[position] else {
      return
    }
    disown(old)
    slots[position] = nil
    revision += 1
    // Amortized: a compaction moves fewer items than have been removed since the last one.
    if slots.count > 32, positions.count < slots.count / 2 {
      slots = slots.filter { $0 != nil }
      for (position, item) in slots.enumerated() {
        if let item { positions[item.id] = position }
      }
    }
  }

  /// Continues the number of changes of another table, so that a change of the table is noticed.
  mutating func follow(_ other: ResourceTable) {
    revision = max(revision, other.revision) + 1
    idRule = idRule ?? other.idRule
  }

  /// Returns these items, with a number of changes after that of another table.
  func following(_ other: ResourceTable) -> ResourceTable {
    var table = self
    table.follow(other)
    return table
  }

  /// Returns the items of another table with the same unique members, and its last number.
  func taking(_ other: ResourceTable) -> ResourceTable {
    var table = self
    (table.slots, table.positions, table.owners) = (other.slots, other.positions, other.owners)
    table.counter = max(counter, other.counter)
    table.idRule = other.idRule ?? idRule
    table.revision = other.revision
    table.order.learn(other.order)
    return table
  }

  /// Returns the next free id of a rule.
  mutating func nextID(_ rule: ResourceOptions.IDRule, _ values: TemplateValues) -> JSON? {
    switch rule {
    case .automatic: return nextID(idRule ?? .counter, values)
    case .client: return nil
    case .uuid: return .string(Self.uuid(values))
    case .counter:
      repeat { counter += 1 } while positions[String(counter)] != nil
      return .int(counter)
    case .pattern(let text):
      let pattern = pattern ?? IDPattern(text)
      while true {
        counter += 1
        let id = pattern.id(counter) { Self.uuid(values) }
        if positions[id] == nil { return .string(id) }
      }
    }
  }

  static func uuid(_ values: TemplateValues) -> String { values.uuid().uuidString.lowercased() }

  private mutating func own(_ item: ResourceItem) {
    for (index, members) in unique.enumerated() {
      if let value = Self.value(of: members, in: item.json) { owners[index][value] = item.id }
    }
  }

  private mutating func disown(_ item: ResourceItem) {
    for (index, members) in unique.enumerated() {
      guard let value = Self.value(of: members, in: item.json), owners[index][value] == item.id
      else { continue }
      owners[index][value] = nil
    }
  }
}
