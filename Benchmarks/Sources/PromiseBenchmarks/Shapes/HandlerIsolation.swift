import Dispatch
import Promises

// Steps without `on:`, which run on the actor in whose code they are written. The reference attaches
// the same steps with `on:`.

extension Shape {
  /// Steps that are written in code without isolation, and run in the context of their promise.
  static func stepsWithoutIsolation(_ steps: Int) -> Shape {
    let one = opaque(1)
    return Shape(
      name: "\(steps) then, nonisolated", operations: 2000 / steps,
      catena: Contender(expecting: 1 + steps) {
        let (promise, resolver) = Promise<Int>.pending(on: .inline)
        var last = promise
        for _ in 0..<steps { last = last.then { $0 &+ 1 } }
        resolver.fulfill(one)
        return last
      } read: {
        $0.settledValue
      },
      reference: Contender(expecting: 1 + steps) {
        let (promise, resolver) = Promise<Int>.pending(on: .inline)
        var last = promise
        for _ in 0..<steps { last = last.then(on: .inline) { $0 &+ 1 } }
        resolver.fulfill(one)
        return last
      } read: {
        $0.settledValue
      },
      comparison: .explicitContext,
      budgets: budgetsWithoutContext(steps, ratio: 1.4))
  }

  /// Steps of the main actor, compared with steps on the main queue.
  ///
  /// The operation runs on the main thread and ends with the last step.
  static func stepsOfTheMainActor(_ steps: Int) -> Shape {
    let one = opaque(1)
    return Shape(
      name: "\(steps) then, main actor", operations: 2000 / steps,
      catena: Contender(expecting: 1 + steps) {
        MainActor.assumeIsolated { MainActorChain.withoutContext(steps, from: one) }
      } read: {
        $0.settledValue
      },
      reference: Contender(expecting: 1 + steps) {
        MainActor.assumeIsolated { MainActorChain.withContext(steps, from: one) }
      } read: {
        $0.settledValue
      },
      comparison: .explicitContext,
      budgets: budgetsWithoutContext(steps, ratio: 1.4))
  }

  /// Steps of an actor, compared with steps on a serial queue.
  ///
  /// The steps run on another thread. The measuring thread attaches them, and waits for the last.
  static func stepsOfAnActor(_ steps: Int) -> Shape {
    let one = opaque(1)
    let queue = DispatchQueue(label: "steps")
    let adder = Adder()
    guard let add = try? Promise({ await adder.step() }).wait() else {
      preconditionFailure("the actor returns its step")
    }
    return Shape(
      name: "\(steps) then, actor", operations: 2000 / steps,
      catena: Contender(expecting: 1 + steps) {
        chain(steps, from: one) { $0.then(add) }
      } read: {
        $0.settledValue
      },
      reference: Contender(expecting: 1 + steps) {
        chain(steps, from: one) { $0.then(on: .queue(queue)) { $0 &+ 1 } }
      } read: {
        $0.settledValue
      },
      comparison: .explicitContext,
      budgets: budgetsWithoutContext(steps, ratio: 2))
  }

  /// The budgets of steps without `on:`.
  ///
  /// - Parameters:
  ///   - steps: The number of steps.
  ///   - ratio: The limit for the ratio of their time to that of steps with `on:`.
  /// - Returns: The budgets for the time and the allocations.
  private static func budgetsWithoutContext(_ steps: Int, ratio: Double) -> [Budget] {
    [
      .ratio(atMost: ratio), .additionalTime(atMost: 50, steps: steps),
      .additionalAllocations(atMost: 1, steps: steps),
    ]
  }

  /// Attaches steps to a pending promise, settles it, and waits for the last step.
  private static func chain(
    _ steps: Int, from value: Int, attaching step: (Promise<Int>) -> Promise<Int>
  ) -> Promise<Int> {
    let (promise, resolver) = Promise<Int>.pending()
    let hasEnded = DispatchSemaphore(value: 0)
    var last = promise
    for _ in 0..<steps { last = step(last) }
    last.always(on: .inline) { hasEnded.signal() }
    resolver.fulfill(value)
    hasEnded.wait()
    return last
  }
}

/// Chains on the main queue, which return when the last step has run.
@MainActor
private enum MainActorChain {
  static func withoutContext(_ steps: Int, from value: Int) -> Promise<Int> {
    let (promise, resolver) = Promise<Int>.pending()
    var last = promise
    for _ in 0..<steps { last = last.then { $0 &+ 1 } }
    resolver.fulfill(value)
    _ = try? last.wait()
    return last
  }

  static func withContext(_ steps: Int, from value: Int) -> Promise<Int> {
    let (promise, resolver) = Promise<Int>.pending()
    var last = promise
    for _ in 0..<steps { last = last.then(on: .main) { $0 &+ 1 } }
    resolver.fulfill(value)
    _ = try? last.wait()
    return last
  }
}

/// An actor with a step that uses its state.
private actor Adder {
  typealias Step = @Sendable @isolated(any) (_ value: Int) throws -> Int

  private var increment = 1

  /// Returns a step that is isolated to the actor.
  func step() -> Step { isolated { $0 &+ self.increment } }

  private func isolated(@_inheritActorContext _ step: @escaping Step) -> Step { step }
}
