import Promises

/// Who waits before a barrier, who is behind it, and what holds it down.
struct BarrierMachine {
  /// What a change lets happen; the resolvers are called after unlocking.
  struct Effects {
    /// To be fulfilled, in order.
    var released: [Resolver<Void>] = []
    /// To be rejected as cancelled: what waits for nothing any more.
    var dropped: Resolver<Void>?
  }

  private var lastID = 0
  private var holds: Set<Int> = []
  /// Holds that wait for what is in flight.
  private var draining: [Int: Resolver<Void>] = [:]
  /// Requests that wait.
  private var waiting: [Int: Resolver<Void>] = [:]
  private var inFlight: Set<Int> = []

  /// A number for a request or a hold.
  mutating func nextID() -> Int {
    lastID += 1
    return lastID
  }

  /// A request comes.
  ///
  /// - Parameters:
  ///   - id: its number.
  ///   - resolver: lets it go, when it has to wait.
  /// - Returns: true when it may go on at once.
  mutating func enter(_ id: Int, _ resolver: @autoclosure () -> Resolver<Void>) -> Bool {
    guard holds.isEmpty else {
      waiting[id] = resolver()
      return false
    }
    inFlight.insert(id)
    return true
  }

  /// A request has ended, before or behind the barrier.
  mutating func leave(_ id: Int) -> Effects {
    if let resolver = waiting.removeValue(forKey: id) { return Effects(dropped: resolver) }
    guard inFlight.remove(id) != nil, inFlight.isEmpty else { return Effects() }
    return Effects(released: takeInOrder(&draining))
  }

  /// The barrier comes down.
  ///
  /// - Parameters:
  ///   - id: the hold's number.
  ///   - resolver: called when what is in flight has ended; nil when that is no matter.
  /// - Returns: the same resolver when there is nothing to wait for.
  mutating func hold(_ id: Int, _ resolver: Resolver<Void>?) -> Effects {
    holds.insert(id)
    guard let resolver else { return Effects() }
    guard !inFlight.isEmpty else { return Effects(released: [resolver]) }
    draining[id] = resolver
    return Effects()
  }

  /// A hold has ended; with the last one everybody is let go.
  mutating func release(_ id: Int) -> Effects {
    holds.remove(id)
    var effects = Effects(dropped: draining.removeValue(forKey: id))
    guard holds.isEmpty else { return effects }
    inFlight.formUnion(waiting.keys)
    effects.released = takeInOrder(&waiting)
    return effects
  }

  private func takeInOrder(_ resolvers: inout [Int: Resolver<Void>]) -> [Resolver<Void>] {
    defer { resolvers = [:] }
    return resolvers.sorted { $0.key < $1.key }.map(\.value)
  }
}
