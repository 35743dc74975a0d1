import CatenaSystem

/// Waits for all promises to be fulfilled.
///
/// As soon as one promise is rejected, the result is rejected too, and the other promises are
/// cancelled unless they have other consumers. Cancelling the result cancels all promises that have
/// no other consumer. Time and memory are linear in the number of promises.
///
/// - Parameters:
///   - promises: The promises. An empty array fulfils the result with an empty array.
///   - context: The context of the result. `nil` uses the context of the first promise.
///   - file: The source file of the caller, for diagnostics.
///   - line: The source line of the caller, for diagnostics.
/// - Returns: A promise for all values, in the order of `promises`. It is rejected with the first
///   error that occurs.
public func when<Value: Sendable>(
  _ promises: [Promise<Value>], on context: ExecutionContext? = nil,
  file: StaticString = #fileID, line: UInt = #line
) -> Promise<[Value]> {
  let countdown = Countdown(promises.count)
  return .gathering(promises, on: context, at: CallSite(file, line), empty: .success([])) {
    member, result in
    if let error = member.error { return result.settle(rejecting: error, by: .consumer) }
    guard countdown.countDown() else { return false }
    return result.settle(fulfilling: promises.map { $0.fulfilledValue }, by: .upstream)
  }
}

/// Returns a promise for the result of `collect`, which runs when all promises have settled.
///
/// If `failsFast` is `true`, the first error rejects the promise instead.
func gather<First, each Other, Collected>(
  _ first: Promise<First>, _ others: repeat Promise<each Other>,
  on context: ExecutionContext?, at site: CallSite, failsFast: Bool,
  _ collect: @escaping @Sendable () -> Collected
) -> Promise<Collected> {
  var members: [any Upstream] = [first]
  repeat members.append(each others)
  let countdown = Countdown(members.count)
  let result = Promise<Collected>(waitingFor: nil, on: context ?? first.context, at: site)

  func attach<Member>(to member: Promise<Member>) {
    member.attach(
      .everything,
      Reaction(for: result) { member, result in
        let result = Promise<Collected>.from(result)
        if failsFast, let error = Promise<Member>.from(member).error {
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

/// Waits for promises of different types to be fulfilled.
func values<First, each Other>(
  of first: Promise<First>, _ others: repeat Promise<each Other>,
  on context: ExecutionContext?, at site: CallSite
) -> Promise<(First, repeat each Other)> {
  gather(first, repeat each others, on: context, at: site, failsFast: true) {
    (first.fulfilledValue, repeat (each others).fulfilledValue)
  }
}

/// Waits for promises of different types to settle.
func outcomes<First, each Other>(
  of first: Promise<First>, _ others: repeat Promise<each Other>,
  on context: ExecutionContext?, at site: CallSite
) -> Promise<(Result<First, any Error>, repeat Result<each Other, any Error>)> {
  gather(first, repeat each others, on: context, at: site, failsFast: false) {
    (first.outcome, repeat (each others).outcome)
  }
}

extension Promise {
  /// Returns a promise that waits for all members.
  ///
  /// - Parameters:
  ///   - members: The promises to wait for.
  ///   - context: The context of the new promise. `nil` uses the context of the first member.
  ///   - site: The source location of the new promise.
  ///   - empty: The outcome without members.
  ///   - react: The closure that runs inline for each member that settles, with the new promise. It
  ///     returns whether it has settled the new promise.
  /// - Returns: The new promise. It is pending until `react` settles it.
  static func gathering<Member>(
    _ members: [Promise<Member>], on context: ExecutionContext?, at site: CallSite,
    empty: Result<Value, any Error>,
    _ react: @escaping @Sendable (_ member: Promise<Member>, _ result: Promise) -> Bool
  ) -> Promise {
    let context = context ?? members.first?.context ?? .main
    let result = Promise(waitingFor: nil, on: context, at: site)
    guard !members.isEmpty else {
      _ = result.settle { try empty.get() }
      return result
    }
    // One closure serves all members, so that a member needs no allocation.
    let work: Reaction.Work = { member, result in react(.from(member), .from(result)) }
    for member in members { member.attach(.everything, Reaction(for: result, work)) }
    result.wait(for: UpstreamGroup(members))
    return result
  }

  /// Makes `upstream` the upstream of this promise, in place of one that has settled.
  ///
  /// Must be called after attaching to `upstream`. A settled member of a group can settle this promise
  /// during its attachment, which cancels the group. The group would then remove other consumers from
  /// the members that have not counted this promise yet.
  func wait(for upstream: any Upstream) {
    var previous: (any Upstream)?
    let isWaiting = lock.withLock {
      guard !isSettled else { return false }
      previous = machine.upstream.take()
      machine.upstream = upstream
      return true
    }
    // Released after unlocking, because this may run a user's `deinit`.
    withExtendedLifetime(previous) {}
    if !isWaiting { Trampoline.depart(from: upstream) }
  }
}

/// A thread-safe counter that detects the last of a fixed number of events.
final class Countdown: Sendable {
  private let remaining: Atomic<Int>

  init(_ count: Int) { remaining = Atomic(count) }

  /// Counts one event.
  ///
  /// Returns `true` for the last event.
  func countDown() -> Bool { remaining.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 }
}
