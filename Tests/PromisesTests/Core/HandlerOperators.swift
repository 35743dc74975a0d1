import Promises
import TestSupport

/// An operator with a closure that runs once after a promise has settled.
enum HandlerOperator: CaseIterable, Sendable {
  case done, fail, failOfType, onCancel, always, alwaysWithResult
  case tap, tapPromise, then, thenPromise, thenAsync, map, compactMap, validate
  case ensure, ensurePromise
  case recover, recoverPromise, recoverType, recoverTypePromise, recoverCase, recoverCasePromise
  case retry, reduce, when, settled, firstly, promiseAsync

  /// Where a closure without isolation runs.
  enum Place {
    /// The context of the promise.
    case context
    /// The thread that settles the promise or attaches the closure.
    case inline
    case main
    /// A task.
    case task
  }

  /// The outcome of the promise after which the closure runs.
  var outcome: Result<Int, any Error> {
    switch self {
    case .fail, .failOfType, .recover, .recoverPromise, .recoverType, .recoverTypePromise,
      .recoverCase, .recoverCasePromise, .retry:
      .failure(TestError())
    case .onCancel: .failure(CancellationError())
    default: .success(1)
    }
  }

  var placeWithoutIsolation: Place {
    switch self {
    case .map, .compactMap, .validate, .retry, .when, .settled, .firstly: .inline
    case .reduce: .main
    case .thenAsync, .promiseAsync: .task
    default: .context
    }
  }

  /// Whether the closure runs before the call of the operator returns if it is isolated to the
  /// caller's actor and the promise has settled.
  var startsImmediately: Bool { self == .when || self == .settled || self == .firstly }

  /// Whether the closure runs after the promise has settled.
  ///
  /// The others do not use the promise.
  var usesPromise: Bool { self != .reduce && self != .firstly && self != .promiseAsync }

  /// Whether there is a variant with a context.
  var hasContext: Bool { self != .thenAsync }
}

/// An object of the main actor, with handlers that use its state.
@MainActor
final class Display {
  let log = Log<Bool>()
  private(set) var visits = 0

  func visit() {
    MainActor.preconditionIsolated()
    visits += 1
    log.append(true)
  }

  private func number() -> Int {
    visit()
    return 1
  }

  private func promise() -> Promise<Int> { .fulfilled(number()) }

  func attach(
    _ handler: HandlerOperator, to promise: Promise<Int>, scheduler: any Scheduler = .live
  ) {
    switch handler {
    case .done: promise.done { _ in self.visit() }
    case .fail: promise.fail { _ in self.visit() }
    case .failOfType: promise.fail(TestError.self) { _ in self.visit() }
    case .onCancel: promise.onCancel { self.visit() }
    case .always: promise.always { self.visit() }
    case .alwaysWithResult: promise.always { _ in self.visit() }
    case .tap: _ = promise.tap { _ in self.visit() }
    case .tapPromise: _ = promise.tap { _ in self.promise() }
    case .then: _ = promise.then { _ in self.number() }
    case .thenPromise: _ = promise.then { _ in self.promise() }
    case .thenAsync: _ = promise.then { _ async in self.number() }
    case .map: _ = promise.map { _ in self.number() }
    case .compactMap: _ = promise.compactMap { _ in Optional(self.number()) }
    case .validate: _ = promise.validate { _ in self.number() == 1 }
    case .ensure: _ = promise.ensure { self.visit() }
    case .ensurePromise: _ = promise.ensure { self.promise() }
    case .recover: _ = promise.recover { _ in self.number() }
    case .recoverPromise: _ = promise.recover { _ in self.promise() }
    case .recoverType: _ = promise.recover(TestError.self) { _ in self.number() }
    case .recoverTypePromise: _ = promise.recover(TestError.self) { _ in self.promise() }
    case .recoverCase: _ = promise.recover(TestError()) { self.number() }
    case .recoverCasePromise: _ = promise.recover(TestError()) { self.promise() }
    case .retry:
      _ = retry(.immediate(limit: 1), scheduler: scheduler) { $0 == 1 ? promise : self.promise() }
    case .reduce: _ = reduce([1], 0) { _, _ in self.promise() }
    case .when: _ = when([1, 2], concurrency: 1) { $0 == 1 ? promise : self.promise() }
    case .settled: _ = settled([1, 2], concurrency: 1) { $0 == 1 ? promise : self.promise() }
    case .firstly: _ = Promises.firstly { self.promise() }
    case .promiseAsync: _ = Promise { () async in self.number() }
    }
  }

  /// Attaches a closure with a context, which therefore has no isolation.
  func attach(_ handler: HandlerOperator, to promise: Promise<Int>, on queue: LabelledQueue) {
    let log = log
    let context = queue.context
    @Sendable func visit() { log.append(queue.isCurrent) }
    @Sendable func number() -> Int {
      visit()
      return 1
    }
    @Sendable func step() -> Promise<Int> { .fulfilled(number()) }
    switch handler {
    case .done: promise.done(on: context) { _ in visit() }
    case .fail: promise.fail(on: context) { _ in visit() }
    case .failOfType: promise.fail(TestError.self, on: context) { _ in visit() }
    case .onCancel: promise.onCancel(on: context) { visit() }
    case .always: promise.always(on: context) { visit() }
    case .alwaysWithResult: promise.always(on: context) { _ in visit() }
    case .tap: _ = promise.tap(on: context) { _ in visit() }
    case .tapPromise: _ = promise.tap(on: context) { _ in step() }
    case .then: _ = promise.then(on: context) { _ in number() }
    case .thenPromise: _ = promise.then(on: context) { _ in step() }
    case .thenAsync: break
    case .map: _ = promise.map(on: context) { _ in number() }
    case .compactMap: _ = promise.compactMap(on: context) { _ in Optional(number()) }
    case .validate: _ = promise.validate(on: context) { _ in number() == 1 }
    case .ensure: _ = promise.ensure(on: context) { visit() }
    case .ensurePromise: _ = promise.ensure(on: context) { step() }
    case .recover: _ = promise.recover(on: context) { _ in number() }
    case .recoverPromise: _ = promise.recover(on: context) { _ in step() }
    case .recoverType: _ = promise.recover(TestError.self, on: context) { _ in number() }
    case .recoverTypePromise: _ = promise.recover(TestError.self, on: context) { _ in step() }
    case .recoverCase: _ = promise.recover(TestError(), on: context) { number() }
    case .recoverCasePromise: _ = promise.recover(TestError(), on: context) { step() }
    case .retry: _ = retry(.immediate(limit: 1), on: context) { $0 == 1 ? promise : step() }
    case .reduce: _ = reduce([1], 0, on: context) { _, _ in step() }
    case .when: _ = when([1, 2], concurrency: 1, on: context) { $0 == 1 ? promise : step() }
    case .settled: _ = settled([1, 2], concurrency: 1, on: context) { $0 == 1 ? promise : step() }
    case .firstly: _ = Promises.firstly(on: context) { step() }
    case .promiseAsync: _ = Promise(on: context) { number() }
    }
  }
}

/// An actor with handlers that use its state.
actor Worker {
  let log = Log<Bool>()
  private(set) var visits = 0
  private(set) var numbers: [Int] = []

  func visit() {
    preconditionIsolated()
    visits += 1
    log.append(true)
  }

  private func number() -> Int {
    visit()
    return 1
  }

  private func promise() -> Promise<Int> { .fulfilled(number()) }

  func attach(
    _ handler: HandlerOperator, to promise: Promise<Int>, scheduler: any Scheduler = .live
  ) {
    switch handler {
    case .done: promise.done { _ in self.visit() }
    case .fail: promise.fail { _ in self.visit() }
    case .failOfType: promise.fail(TestError.self) { _ in self.visit() }
    case .onCancel: promise.onCancel { self.visit() }
    case .always: promise.always { self.visit() }
    case .alwaysWithResult: promise.always { _ in self.visit() }
    case .tap: _ = promise.tap { _ in self.visit() }
    case .tapPromise: _ = promise.tap { _ in self.promise() }
    case .then: _ = promise.then { _ in self.number() }
    case .thenPromise: _ = promise.then { _ in self.promise() }
    case .thenAsync: _ = promise.then { _ async in self.number() }
    case .map: _ = promise.map { _ in self.number() }
    case .compactMap: _ = promise.compactMap { _ in Optional(self.number()) }
    case .validate: _ = promise.validate { _ in self.number() == 1 }
    case .ensure: _ = promise.ensure { self.visit() }
    case .ensurePromise: _ = promise.ensure { self.promise() }
    case .recover: _ = promise.recover { _ in self.number() }
    case .recoverPromise: _ = promise.recover { _ in self.promise() }
    case .recoverType: _ = promise.recover(TestError.self) { _ in self.number() }
    case .recoverTypePromise: _ = promise.recover(TestError.self) { _ in self.promise() }
    case .recoverCase: _ = promise.recover(TestError()) { self.number() }
    case .recoverCasePromise: _ = promise.recover(TestError()) { self.promise() }
    case .retry:
      _ = retry(.immediate(limit: 1), scheduler: scheduler) { $0 == 1 ? promise : self.promise() }
    case .reduce: _ = reduce([1], 0) { _, _ in self.promise() }
    case .when: _ = when([1, 2], concurrency: 1) { $0 == 1 ? promise : self.promise() }
    case .settled: _ = settled([1, 2], concurrency: 1) { $0 == 1 ? promise : self.promise() }
    case .firstly: _ = Promises.firstly { self.promise() }
    case .promiseAsync: _ = Promise { () async in self.number() }
    }
  }

  /// Attaches a handler that appends `number` to ``numbers``.
  func append(_ number: Int, after promise: Promise<Int>) {
    switch number % 3 {
    case 0: promise.done { _ in self.record(number) }
    case 1: promise.always { self.record(number) }
    default: _ = promise.map { _ in self.record(number) }
    }
  }

  private func record(_ number: Int) {
    numbers.append(number)
    log.append(true)
  }
}
