/// A dictionary that knows the order in which its values were used.
///
/// Every operation takes constant time.
package struct RecentlyUsed<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  /// A value, and its neighbours in the order of use.
  private struct Node {
    var value: Value
    var cost: Int
    var older: Key?
    var newer: Key?
  }

  private var nodes: [Key: Node] = [:]
  /// The key of the value that has not been used for the longest time.
  private(set) var oldest: Key?
  private var newest: Key?
  /// The sum of the costs.
  package private(set) var cost = 0

  /// Makes a dictionary without values.
  package init() {}

  /// The number of values.
  package var count: Int { nodes.count }

  /// The values, unordered.
  var values: [Value] { nodes.values.map(\.value) }

  func contains(_ key: Key) -> Bool { nodes[key] != nil }

  /// Returns a value, and makes it the newest one.
  package mutating func use(_ key: Key) -> Value? {
    // Fast path: the value that was used last.
    if newest == key { return nodes[key]?.value }
    guard let node = unlink(key) else { return nil }
    append(key, node.value, node.cost)
    return node.value
  }

  /// Adds a value as the newest one, in place of an earlier one.
  package mutating func insert(_ value: Value, for key: Key, cost: Int) {
    _ = unlink(key)
    append(key, value, cost)
  }

  /// Removes a value.
  package mutating func remove(_ key: Key) -> Value? { unlink(key)?.value }

  /// Removes the oldest values until the limits are met, and returns them.
  package mutating func evict(count limit: Int, cost costLimit: Int) -> [Value] {
    var evicted: [Value] = []
    while cost > costLimit || nodes.count > limit, let oldest, let value = remove(oldest) {
      evicted.append(value)
    }
    return evicted
  }

  private mutating func unlink(_ key: Key) -> Node? {
    guard let node = nodes.removeValue(forKey: key) else { return nil }
    if let older = node.older { nodes[older]?.newer = node.newer } else { oldest = node.newer }
    if let newer = node.newer { nodes[newer]?.older = node.older } else { newest = node.older }
    cost -= node.cost
    return node
  }

  private mutating func append(_ key: Key, _ value: Value, _ cost: Int) {
    if let newest { nodes[newest]?.newer = key } else { oldest = key }
    nodes[key] = Node(value: value, cost: cost, older: newest)
    newest = key
    self.cost += cost
  }
}
