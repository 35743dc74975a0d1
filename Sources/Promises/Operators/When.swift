import Synchronization

/// Waits for all of a number of promises.
///
/// As soon as one is rejected so is the result, and the others are cancelled unless somebody else
/// waits for them. Cancelling the result does the same. Work and memory grow linearly with the number.
///
/// - Parameters:
///   - promises: the promises; none fulfils with an empty array.
///   - file: where the new promise was made, for diagnostics.
///   - line: where the new promise was made, for diagnostics.
/// - Returns: a promise of all values, in the order of `promises`, rejected with the first error to
///   come. It carries the context of the first of them.
public func when<Value>(
  _ promises: [Promise<Value>], file: StaticString = #fileID, line: UInt = #line
) -> Promise<[Value]> {
  guard !promises.isEmpty else { return .fulfilled([], file: file, line: line) }
  let countdown = Countdown(promises.count)
  return .gathering(promises, at: CallSite(file, line)) { member, result in
    if let error = member.error { return result.settle(rejecting: error, by: .consumer) }
    guard countdown.countDown() else { return false }
    return result.settle(fulfilling: promises.map { $0.fulfilledValue }, by: .upstream)
  }
}

/// Waits for several promises of different types.
///
/// ```swift
/// let (profile, orders) = try await when(fetch(Profile()), fetch(Orders())).value
/// ```
///
/// As soon as one is rejected so is the result, and the others are cancelled unless somebody else
/// waits for them. Cancelling the result does the same.
///
/// - Parameters:
///   - first: a promise, whose context the result carries.
///   - second: another.
///   - others: any number of others.
///   - file: where the new promise was made, for diagnostics.
///   - line: where the new promise was made, for diagnostics.
/// - Returns: a promise of a tuple of the values, rejected with the first error to come.
public func when<First, Second, each Other>(
  _ first: Promise<First>, _ second: Promise<Second>, _ others: repeat Promise<each Other>,
  file: StaticString = #fileID, line: UInt = #line
) -> Promise<(First, Second, repeat each Other)> {
  gather(first, second, repeat each others, at: CallSite(file, line), endsWithFirstError: true) {
    (first.fulfilledValue, second.fulfilledValue, repeat (each others).fulfilledValue)
  }
}

/// The promise of what `collect` makes of several promises once all have settled, or, if asked for,
/// of the first error.
func gather<First, each Other, Collected>(
  _ first: Promise<First>, _ others: repeat Promise<each Other>,
  at site: CallSite, endsWithFirstError: Bool, _ collect: @escaping @Sendable () -> Collected
) -> Promise<Collected> {
  var members: [any Upstream] = [first]
  repeat members.append(each others)
  let countdown = Countdown(members.count)
  let result = Promise<Collected>(waitingFor: nil, on: first.context, at: site)

  func attach<Member>(to member: Promise<Member>) {
    member.attach(
      .everything,
      Reaction(for: result) { member, result in
        let result = Promise<Collected>.from(result)
        if endsWithFirstError, let error = Promise<Member>.from(member).error {
          return result.settle(rejecting: error, by: .consumer)
        }
        return countdown.countDown() && result.settle(fulfilling: collect(), by: .upstream)
      })
  }
  attach(to: first)
  repeat attach(to: each others)
  result.wait(for: UpstreamGroup(members))
  return result
}

extension Promise {
  /// A promise that waits for all of a number of others, and carries the context of the first.
  ///
  /// - Parameters:
  ///   - members: what it waits for; at least one.
  ///   - site: where it was made.
  ///   - react: runs inline for each member that settles, with the promise made here; returns whether
  ///     it has settled that.
  /// - Returns: the promise, pending until `react` settles it.
  static func gathering<Member>(
    _ members: [Promise<Member>], at site: CallSite,
    _ react: @escaping @Sendable (_ member: Promise<Member>, _ result: Promise) -> Bool
  ) -> Promise {
    let result = Promise(waitingFor: nil, on: members.first?.context ?? .main, at: site)
    // One closure serves every member, so a member costs no allocation.
    let work: Reaction.Work = { member, result in react(.from(member), .from(result)) }
    for member in members { member.attach(.everything, Reaction(for: result, work)) }
    result.wait(for: UpstreamGroup(members))
    return result
  }

  /// Makes `group`, to whose every member this promise has been attached, what it waits for.
  ///
  /// Not before it has been attached to all: a member that has settled already may settle this promise
  /// too, which would then leave members that it has not come to, at the cost of somebody else's claim.
  func wait(for group: UpstreamGroup) {
    let isWaiting = machine.withLock { machine in
      guard !isSettled else { return false }
      machine.upstream = group
      return true
    }
    if !isWaiting { Trampoline.notify(group) }
  }
}

/// Tells the last of a number of events, from whatever threads they come.
final class Countdown: Sendable {
  private let remaining: Atomic<Int>

  init(_ count: Int) {
    remaining = Atomic(count)
  }

  /// Counts one event; true for the last.
  func countDown() -> Bool {
    remaining.subtract(1, ordering: .acquiringAndReleasing).newValue == 0
  }
}
