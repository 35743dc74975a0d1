import Foundation
import Mocking
import MockingDocuments
import Networking

extension ResourceOptions.IDRule {
  /// Returns the rule that makes ids like those of a list, or `nil` if the list has none.
  static func like(_ ids: [JSON]) -> Self? {
    let ids = ids.filter { ResourceItem.id(of: $0) != nil }
    let texts = ids.compactMap(\.string)
    guard !ids.isEmpty else { return nil }
    guard texts.count == ids.count else { return .counter }
    let areNumbers = texts.allSatisfy { text in
      text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        && Int(text).map { $0 <= ResourceTable.maximumCounter } == true
    }
    return areNumbers ? numberText : .uuid
  }

  /// The rule for texts of numbers.
  static let numberText = Self.pattern("{counter}")

  /// The rules that ``automatic`` tries, in this order.
  fileprivate static let kinds = [Self.counter, .uuid, numberText]
}

/// The ids of new items.
extension ResourceData {
  /// Creates an item with the next id.
  ///
  /// - Parameters:
  ///   - members: The members without an id.
  ///   - table: The items. The item is not added.
  ///   - definition: The resource.
  ///   - values: The source of random ids.
  /// - Returns: The item.
  /// - Throws: ``ResourceProblem`` if it violates the options.
  static func newItem(
    _ members: [String: JSON], in table: inout ResourceTable, _ definition: ResourceDefinition,
    _ values: TemplateValues
  ) throws(ResourceProblem) -> ResourceItem {
    let options = definition.options
    let counter = table.counter
    var members = members
    var failure: ResourceProblem?
    for rule in rules(for: table, definition) {
      members[options.key] = table.nextID(rule, values)
      do throws(ResourceProblem) {
        let item = try item(.dictionary(members), definition, table.order)
        if options.ids == .automatic { table.idRule = rule }
        return item
      } catch {
        table.counter = counter
        failure = failure ?? error
        // Another id would not mend another member.
        guard error.isAbout(options.key) else { throw error }
      }
    }
    throw failure ?? .invalid([])
  }

  /// Returns the rules of which the first one is used whose ids the type of the resource can decode.
  private static func rules(
    for table: ResourceTable, _ definition: ResourceDefinition
  ) -> [ResourceOptions.IDRule] {
    let options = definition.options
    guard options.ids == .automatic else { return [options.ids] }
    let others = ResourceOptions.IDRule.kinds.filter {
      $0 != table.idRule && ($0 != .counter || options.types[options.key] != .string)
    }
    let rules = (table.idRule.map { [$0] } ?? []) + others
    return definition.decode == nil ? Array(rules.prefix(1)) : rules
  }

  /// Returns the id in the path of a request as the value of the item that the request creates.
  ///
  /// - Parameters:
  ///   - id: The id.
  ///   - json: The item without an id.
  ///   - index: The index of the resource.
  /// - Returns: A number if the resource has such ids, or else a string.
  func value(ofID id: String, for json: JSON, in index: Int) -> JSON {
    let (definition, table) = (definitions[index], tables[index])
    let options = definition.options
    let rule = options.ids == .automatic ? table.idRule : options.ids
    guard rule ?? .counter == .counter, let number = Int(id) else { return .string(id) }
    guard rule == nil, definition.decode != nil else { return .int(number) }
    var item = json
    item[options.key] = .int(number)
    do throws(ResourceProblem) {
      _ = try Self.item(item, definition, table.order)
    } catch {
      if error.isAbout(options.key) { return .string(id) }
    }
    return .int(number)
  }
}

extension ResourceProblem {
  /// Returns whether a member is invalid.
  ///
  /// The key of a decoding error may be spelled in another way than in JSON, such as `userId` for
  /// `user_id`.
  fileprivate func isAbout(_ member: String) -> Bool {
    func plain(_ text: String) -> String { text.lowercased().replacing("_", with: "") }
    let name = plain("\([.member(member)] as JSONValuePath)")
    return errors.contains { plain("\($0.path)") == name }
  }
}
