import Dispatch
import Promises

/// When a promise under test settles, seen from the code that attaches to it.
package enum Moment: CaseIterable, Sendable {
  /// Before anything is attached.
  case already
  /// Right after, on the same thread.
  case immediate
  /// Later, on another thread.
  case eventual
}

/// A promise with an outcome laid down beforehand, that settles at a given moment.
package struct Subject<Value: Sendable>: Sendable {
  package let promise: Promise<Value>
  private let moment: Moment
  private let settle: @Sendable () -> Void

  package init(_ outcome: Result<Value, any Error>, _ moment: Moment) {
    let (promise, resolver) = Promise<Value>.pending()
    self.promise = promise
    self.moment = moment
    settle = { resolver.resolve(outcome) }
    if moment == .already { settle() }
  }

  /// To be called once everything is attached.
  package func ready() {
    switch moment {
    case .already: break
    case .immediate: settle()
    case .eventual: DispatchQueue.global().async(execute: settle)
    }
  }
}

/// Runs `body` with a promise that settles with `outcome`, at each moment in turn.
package func atEachMoment<Value: Sendable, Result: Sendable>(
  _ outcome: Swift.Result<Value, any Error>, _ moment: Moment,
  _ body: (Promise<Value>) -> Promise<Result>
) async -> Swift.Result<Result, any Error> {
  let subject = Subject(outcome, moment)
  let promise = body(subject.promise)
  subject.ready()
  return await promise.result
}
