import CatenaSystem
package import Promises

/// The work in progress that callers with equal keys share, and the callers of each.
///
/// ```
/// none --enter--> starting --began--> running --ended--> none
///                 starting, running --last caller left--> none
/// ```
///
/// The machine counts the callers itself instead of relying on their promises. So a caller that
/// arrives while the last one leaves finds no work and starts another.
package struct SharingMachine<
  Key: Hashable & Sendable, Output: Sendable, Work: Sendable, Shared: Sendable
>: Sendable {
  /// The registration of a caller.
  package struct Ticket: Sendable {
    /// The number of the work, which distinguishes works of the same key.
    fileprivate let number: Int
    /// The number of the caller of the work.
    package let caller: Int
  }

  private struct ActiveWork {
    let key: Key
    let shared: Shared
    var callers: [Int: Resolver<Output>]
    var work: Work?
    var lastCaller = 0

    mutating func join(_ caller: Resolver<Output>) -> (number: Int, shared: Shared) {
      lastCaller += 1
      callers[lastCaller] = caller
      return (lastCaller, shared)
    }
  }

  private var active: [Int: ActiveWork] = [:]
  /// The works that further callers join.
  private var numbersByKey: [Key: Int] = [:]
  private var lastNumber = 0

  /// Makes a machine without work.
  package init() {}

  /// The number of works in progress.
  var count: Int { active.count }

  /// Adds a caller.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - caller: The resolver of the caller's promise.
  ///   - shared: The value that all callers of new work get.
  /// - Returns: The registration of the caller, and whether it is the first one, which has to start
  ///   the work.
  package mutating func enter(
    _ key: Key, _ caller: Resolver<Output>, sharing shared: @autoclosure () -> Shared
  ) -> (ticket: Ticket, shared: Shared, isFirst: Bool) {
    if let number = numbersByKey[key], let joined = active[number]?.join(caller) {
      return (Ticket(number: number, caller: joined.number), joined.shared, false)
    }
    lastNumber += 1
    let shared = shared()
    active[lastNumber] = ActiveWork(key: key, shared: shared, callers: [0: caller])
    numbersByKey[key] = lastNumber
    return (Ticket(number: lastNumber, caller: 0), shared, true)
  }

  /// Returns the work of a caller, if it has been started.
  func work(of ticket: Ticket) -> Work? { active[ticket.number]?.work }

  /// Records that the work has been started.
  ///
  /// - Returns: Whether a caller still waits for it. Otherwise it is to be cancelled.
  package mutating func began(_ ticket: Ticket, _ work: Work) -> Bool {
    active[ticket.number]?.work = work
    return active[ticket.number] != nil
  }

  /// Removes a caller that has been cancelled.
  ///
  /// - Returns: The resolver, which is to be released after unlocking, and whether no caller waits any
  ///   more. Then the work is to be cancelled. It is `nil` if it has not begun; ``began(_:_:)`` then
  ///   returns `false`.
  package mutating func left(
    _ ticket: Ticket
  ) -> (caller: Resolver<Output>?, isAbandoned: Bool, work: Work?) {
    let caller = active[ticket.number]?.callers.removeValue(forKey: ticket.caller)
    guard active[ticket.number]?.callers.isEmpty == true else { return (caller, false, nil) }
    return (caller, true, remove(ticket.number)?.work)
  }

  /// Removes work that has ended.
  ///
  /// - Returns: Its callers, in the order in which they arrived.
  package mutating func ended(_ ticket: Ticket) -> [Resolver<Output>] {
    guard let callers = remove(ticket.number)?.callers else { return [] }
    guard callers.count > 1 else { return Array(callers.values) }
    return callers.sortedByPositions { $0.key < $1.key }.map(\.value)
  }

  /// Returns whether further callers join the work.
  package func isJoinable(_ ticket: Ticket) -> Bool {
    active[ticket.number].map { numbersByKey[$0.key] } == ticket.number
  }

  /// Lets further callers of a key start new work.
  ///
  /// `nil` stands for all keys.
  package mutating func close(_ key: Key?) {
    if let key { numbersByKey[key] = nil } else { numbersByKey = [:] }
  }

  private mutating func remove(_ number: Int) -> ActiveWork? {
    guard let ended = active.removeValue(forKey: number) else { return nil }
    if numbersByKey[ended.key] == number { numbersByKey[ended.key] = nil }
    return ended
  }
}
