import CatenaSystem
import Promises
import TestSupport

/// A graph of real promises that performs the steps of stories, on any number of threads.
///
/// All handlers run inline.
final class GraphRunner: Sendable {
  /// A record of a promise, for the checks after a concurrent story.
  struct Node: Sendable {
    let promise: Promise<Int>
    let step: GraphStep
    /// The number of the step that created the promise.
    let number: Int
    /// The indices of the promises that this one consumes.
    var inputs: [Int]
    /// The inputs that a resolver may have bound this promise to; the call has no effect if the
    /// promise had settled.
    var boundInputs: Set<Int> = []
    /// The inputs that were pending after this promise had been attached.
    var pendingInputs: Set<Int> = []
    var isExplicitlyCancelled = false
    /// The steps that attached `always` handlers.
    var alwaysSteps: [Int] = []

    /// The inputs that this promise does not cancel, because they are promises of an action.
    var uncancelledInputs: ArraySlice<Int> {
      if case .ensure = step { inputs.dropFirst() } else { [] }
    }
  }

  private struct State {
    var nodes: [Node] = []
    var sources: [(index: Int, resolver: Resolver<Int>)] = []
    var events: [GraphEvent] = []
  }

  private struct Failure: Error {
    let step: Int
  }

  let time = TestScheduler()
  private let state = Mutex(State())

  var nodes: [Node] { state.withLock { $0.nodes } }
  var events: [GraphEvent] { state.withLock { $0.events } }
  var outcomes: [GraphOutcome?] { nodes.map { Self.outcome(of: $0.promise) } }

  /// Performs a step, except for an advance of the time.
  func perform(_ step: GraphStep, number: Int) {
    switch step {
    case .source: addSource(step, number)
    case .map(let index, let handler):
      derive(step, number, from: [index]) { inputs, _ in
        inputs[0].map(on: .inline) { value in
          try self.run(handler, number)
          return value &+ 1
        }
      }
    case .tap(let index, let handler):
      derive(step, number, from: [index]) { inputs, _ in
        inputs[0].tap(on: .inline) { _ in try self.run(handler, number) }
      }
    case .then(let index, let handler):
      derive(step, number, from: [index]) { inputs, own in
        inputs[0].then(on: .inline) { _ in try self.follow(handler, number, own) }
      }
    case .recover(let index, let handler):
      derive(step, number, from: [index]) { inputs, _ in
        inputs[0].recover(on: .inline) { _ -> Int in
          try self.run(handler, number)
          return number
        }
      }
    case .recoverByPromise(let index, let handler):
      derive(step, number, from: [index]) { inputs, own in
        inputs[0].recover(on: .inline) { _ -> Promise<Int> in
          try self.follow(handler, number, own)
        }
      }
    case .ensure(let index, let handler):
      derive(step, number, from: [index]) { inputs, own in
        inputs[0].ensure(on: .inline) { try self.follow(handler, number, own) }
      }
    case .when(let members):
      derive(step, number, from: members) { inputs, _ in
        Promises.when(inputs).map(on: .inline) { $0.reduce(0, &+) }
      }
    case .settled(let members):
      derive(step, number, from: members) { inputs, _ in
        Promises.settled(inputs).map(on: .inline) { $0.count { (try? $0.get()) != nil } }
      }
    case .any(let members): derive(step, number, from: members) { inputs, _ in any(inputs) }
    case .race(let members): derive(step, number, from: members) { inputs, _ in race(inputs) }
    case .timeout(let index, let seconds):
      derive(step, number, from: [index]) { inputs, _ in
        inputs[0].timeout(.seconds(seconds), scheduler: self.time)
      }
    case .done(let index, let handler):
      derive(step, number, from: [index]) { inputs, _ in
        inputs[0].done(on: .inline) { value in
          self.record(.done(step: number, value))
          self.perform(handler.effect)
        }
      }
    case .always(let index): addAlways(index, number)
    case .cancel(let index): cancel(index)
    case .fulfill(let index): fulfill(index)
    case .reject(let index): source(index).resolver.reject(Failure(step: number))
    case .bind(let index, let other):
      let source = source(index)
      let target = state.withLock { state in
        let target = other % state.nodes.count
        state.nodes[source.index].inputs.append(target)
        state.nodes[source.index].boundInputs.insert(target)
        return state.nodes[target].promise
      }
      source.resolver.resolve(target)
    case .advance: break
    }
  }

  /// Fulfils all sources that are pending, and ends all timeouts.
  func finish() async {
    let sources = state.withLock { $0.sources.map(\.resolver) }
    for source in sources { source.fulfill(0) }
    await time.run()
    // Marks rejections as handled, so that they are not reported.
    for node in nodes { node.promise.fail(on: .inline, policy: .allErrors) { _ in } }
  }

  private func addSource(_ step: GraphStep, _ number: Int) {
    let (promise, resolver) = Promise<Int>.pending(on: .inline)
    resolver.onCancel { self.record(.stopped(step: number)) }
    state.withLock { state in
      state.sources.append((state.nodes.count, resolver))
      state.nodes.append(Node(promise: promise, step: step, number: number, inputs: []))
    }
  }

  /// Adds a promise that `operation` derives from others.
  ///
  /// The operation receives the index that the new promise will have, once it is known. A handler
  /// that runs before that returns cannot be the last step of a cycle.
  private func derive(
    _ step: GraphStep, _ number: Int, from members: [Int],
    _ operation: (_ inputs: [Promise<Int>], _ own: OwnIndex) -> Promise<Int>
  ) {
    let inputs = state.withLock { state in
      members.map { ($0 % state.nodes.count, state.nodes[$0 % state.nodes.count].promise) }
    }
    let own = OwnIndex()
    let promise = operation(inputs.map(\.1), own)
    let pendingInputs = inputs.filter { $0.1.isPending }.map(\.0)
    state.withLock { state in
      own.index.withLock { $0.index = state.nodes.count }
      let added = own.index.withLock { $0.inputs }
      state.nodes.append(
        Node(
          promise: promise, step: step, number: number, inputs: inputs.map(\.0) + added,
          pendingInputs: Set(pendingInputs)))
    }
  }

  /// The index of a promise whose handler may run before the promise is in the list.
  private final class OwnIndex: Sendable {
    let index = Mutex<(index: Int?, inputs: [Int])>((nil, []))
  }

  private func follow(
    _ handler: GraphHandler, _ number: Int, _ own: OwnIndex
  ) throws -> Promise<Int> {
    try run(handler, number)
    return state.withLock { state in
      let inner = handler.inner % state.nodes.count
      own.index.withLock { own in
        if let index = own.index {
          state.nodes[index].inputs.append(inner)
        } else {
          own.inputs.append(inner)
        }
      }
      return state.nodes[inner].promise
    }
  }

  private func run(_ handler: GraphHandler, _ number: Int) throws {
    record(.ran(step: number))
    perform(handler.effect)
    if handler.isThrowing { throw Failure(step: number) }
  }

  private func perform(_ effect: GraphHandler.Effect) {
    switch effect {
    case .none: break
    case .cancel(let index): cancel(index)
    case .fulfill(let index): fulfill(index)
    }
  }

  private func addAlways(_ index: Int, _ number: Int) {
    let (index, promise) = find(index)
    state.withLock { $0.nodes[index].alwaysSteps.append(number) }
    promise.always(on: .inline) { self.record(.always(step: number, Self.outcome($0))) }
  }

  private func cancel(_ index: Int) {
    let promise = state.withLock { state in
      let index = index % state.nodes.count
      state.nodes[index].isExplicitlyCancelled = true
      return state.nodes[index].promise
    }
    promise.cancel()
  }

  private func fulfill(_ index: Int) {
    let (resolver, value) = state.withLock { state in
      (state.sources[index % state.sources.count].resolver, index % state.sources.count)
    }
    resolver.fulfill(value)
  }

  private func find(_ index: Int) -> (index: Int, promise: Promise<Int>) {
    state.withLock { state in
      let index = index % state.nodes.count
      return (index, state.nodes[index].promise)
    }
  }

  private func source(_ index: Int) -> (index: Int, resolver: Resolver<Int>) {
    state.withLock { $0.sources[index % $0.sources.count] }
  }

  private func record(_ event: GraphEvent) {
    state.withLock { $0.events.append(event) }
  }

  // MARK: Outcomes

  static func outcome(of promise: Promise<Int>) -> GraphOutcome? {
    switch promise.state {
    case .pending: nil
    case .fulfilled(let value): .value(value)
    case .rejected(let error): outcome(.failure(error))
    }
  }

  private static func outcome(_ result: Result<Int, any Error>) -> GraphOutcome {
    switch result {
    case .success(let value): .value(value)
    case .failure(let error as Failure): .failed(step: error.step)
    case .failure(is CancellationError): .cancelled
    case .failure(let error as AggregateError): .allRejected(count: error.errors.count)
    case .failure(PromiseError.cycle): .cycle
    case .failure(PromiseError.timedOut): .timedOut
    case .failure(let error): .unexpected("\(error)")
    }
  }
}
