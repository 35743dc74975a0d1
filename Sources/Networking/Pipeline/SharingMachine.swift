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
    fileprivate let active: ActiveWork
    /// The number of the caller of the work.
    package let caller: Int
  }

  /// A work, which the tickets of its callers refer to.
  ///
  /// `@unchecked Sendable` because the lock of the machine protects all variables.
  fileprivate final class ActiveWork: @unchecked Sendable {
    let key: Key
    let shared: Shared
    @exclusivity(unchecked) var callers: [Int: Resolver<Output>]
    @exclusivity(unchecked) var work: Work?
    @exclusivity(unchecked) var lastCaller = 0
    @exclusivity(unchecked) var hasEnded = false

    init(_ key: Key, _ shared: Shared, _ first: Resolver<Output>) {
      (self.key, self.shared, callers) = (key, shared, [0: first])
    }
  }

  /// The works that further callers join.
  private var joinable: [Key: ActiveWork] = [:]
  /// The number of works in progress.
  private(set) var count = 0

  /// Makes a machine without work.
  package init() {}

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
    if let active = joinable[key] {
      active.lastCaller += 1
      active.callers[active.lastCaller] = caller
      return (Ticket(active: active, caller: active.lastCaller), active.shared, false)
    }
    let active = ActiveWork(key, shared(), caller)
    joinable[key] = active
    count += 1
    return (Ticket(active: active, caller: 0), active.shared, true)
  }

  /// Returns the work of a caller, if it has been started.
  func work(of ticket: Ticket) -> Work? { ticket.active.work }

  /// Records that the work has been started.
  ///
  /// - Returns: Whether a caller still waits for it. Otherwise it is to be cancelled.
  package mutating func began(_ ticket: Ticket, _ work: Work) -> Bool {
    if !ticket.active.hasEnded { ticket.active.work = work }
    return !ticket.active.hasEnded
  }

  /// Removes a caller that has been cancelled.
  ///
  /// - Returns: The resolver, which is to be released after unlocking, and whether no caller waits any
  ///   more. Then the work is to be cancelled. It is `nil` if it has not begun; ``began(_:_:)`` then
  ///   returns `false`.
  package mutating func left(
    _ ticket: Ticket
  ) -> (caller: Resolver<Output>?, isAbandoned: Bool, work: Work?) {
    let active = ticket.active
    let caller = active.callers.removeValue(forKey: ticket.caller)
    guard !active.hasEnded, active.callers.isEmpty else { return (caller, false, nil) }
    return (caller, true, end(active))
  }

  /// Removes work that has ended.
  ///
  /// - Returns: Its callers, in the order in which they arrived.
  package mutating func ended(_ ticket: Ticket) -> [Resolver<Output>] {
    let active = ticket.active
    guard !active.hasEnded else { return [] }
    _ = end(active)
    let callers = active.callers
    active.callers = [:]
    guard callers.count > 1 else { return Array(callers.values) }
    return callers.sortedByPositions { $0.key < $1.key }.map(\.value)
  }

  /// Returns whether further callers join the work.
  package func isJoinable(_ ticket: Ticket) -> Bool {
    joinable[ticket.active.key] === ticket.active
  }

  /// Lets further callers of a key start new work.
  ///
  /// `nil` stands for all keys.
  package mutating func close(_ key: Key?) {
    if let key { joinable[key] = nil } else { joinable = [:] }
  }

  private mutating func end(_ active: ActiveWork) -> Work? {
    active.hasEnded = true
    count -= 1
    if let index = joinable.index(forKey: active.key), joinable[index].value === active {
      joinable.remove(at: index)
    }
    return active.work.take()
  }
}
