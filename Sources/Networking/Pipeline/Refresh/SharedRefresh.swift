import Promises
import Synchronization

/// Runs a refresh for however many callers wait for it, and breaks it off when all of them have gone.
final class SharedRefresh: Sendable {
  private let machine = Mutex(RefreshMachine())

  /// What a caller notes before it is sent.
  var epoch: Int { machine.withLock { $0.epoch } }

  /// Whether one of its refreshes is still under way.
  ///
  /// - Parameter round: a refresh, of this one or another; nil is none.
  /// - Returns: whether a request that was made inside of it, and now waited for a refresh, would wait for itself.
  func isUnderWay(_ round: RefreshRound?) -> Bool {
    guard let round, round.shared === self else { return false }
    return machine.withLock { $0.isUnderWay(round.number) }
  }

  /// A promise that a caller may go again.
  ///
  /// - Parameters:
  ///   - epoch: what the caller noted before it was sent.
  ///   - start: starts a refresh, if one is due; runs here and now.
  /// - Returns: a promise rejected with the refresh's error; cancelling it leaves the refresh to the
  ///   others that wait for it.
  func ready(
    since epoch: Int, _ start: @escaping @Sendable () throws -> Promise<Void>
  ) -> Promise<Void> {
    let pending = Promise<Void>.pending(on: .inline)
    let action = machine.withLock { $0.refused(sentIn: epoch) { pending.promise } }
    guard case .start(let number) = action else {
      // Nobody waits for it, and nobody is to hear that it was abandoned.
      pending.resolver.fulfill()
      return wait(action, since: epoch, start)
    }
    // Attached first, so that it is known before any who waited ask again.
    pending.promise.always(on: .inline) { _ in self.machine.withLock { $0.abandoned(number) } }
    let ready = wait(.join(pending.promise), since: epoch, start)
    run(number, start, for: pending.resolver)
    return ready
  }

  private func wait(
    _ action: RefreshMachine.Action, since epoch: Int,
    _ start: @escaping @Sendable () throws -> Promise<Void>
  ) -> Promise<Void> {
    switch action {
    case .fail(let error): .rejected(error)
    case .join(let promise):
      // Either it has failed, and asking again tells that, or all the others have gone and broken it off
      // just before this one came.
      promise.recover(on: .inline, policy: .allErrors) { _ in self.ready(since: epoch, start) }
    case .resend, .start: .fulfilled(())
    }
  }

  private func run(
    _ number: Int, _ start: () throws -> Promise<Void>, for resolver: Resolver<Void>
  ) {
    // A promise of its own, as cancelling the user's would take it from others that have it.
    let round = RefreshRound(shared: self, number: number)
    let work = firstly { try RefreshRound.$current.withValue(round) { try start() } }.map {}
    resolver.onCancel { work.cancel() }
    work.always(on: .inline) { result in
      let failure: (any Error)? = if case .failure(let error) = result { error } else { nil }
      self.machine.withLock { $0.ended(number, failure) }
      resolver.resolve(result)
    }
  }
}
