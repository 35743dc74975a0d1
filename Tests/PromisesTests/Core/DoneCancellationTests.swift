import Dispatch
import Promises
import TestGate
import TestSupport
import Testing

/// The promise of a `done` is a consumer like every derived promise: cancelling a chain ends its work
/// wherever a `done` stands in it, and a `done` keeps the work of others running.
@Suite(.gated)
struct DoneCancellationTests {
  /// A chain with a handler that logs `done`.
  enum Chain: CaseIterable, Sendable {
    case done, doneMap, mapDone, doneDone, doneFailAlways, alwaysDoneMap, doneThenDone, onDoneTap

    func attach(to promise: Promise<Int>, _ log: Log<String>) -> Promise<Int> {
      let handler = { @Sendable (_: Int) in log.append("done") }
      return switch self {
      case .done: promise.done(on: .inline, handler)
      case .doneMap: promise.done(on: .inline, handler).map { $0 }
      case .mapDone: promise.map { $0 }.done(on: .inline, handler)
      case .doneDone: promise.done(on: .inline, handler).done(handler)
      case .doneFailAlways: promise.done(on: .inline, handler).fail { _ in }.always {}
      case .alwaysDoneMap: promise.always {}.done(on: .inline, handler).fail { _ in }.map { $0 }
      case .doneThenDone: promise.done(handler).then { Promise.fulfilled($0) }.done { _ in }
      case .onDoneTap: promise.on(.inline).done(handler).tap { _ in }
      }
    }
  }

  /// The way in which the consumer at the end of a chain leaves.
  enum Departure: CaseIterable, Sendable {
    case cancel, bag, releasedBag, timeout, task, when, race, any, settled, step

    func leave(_ chain: Promise<Int>) async {
      switch self {
      case .cancel: chain.cancel()
      case .bag:
        let bag = CancellationBag()
        chain.cancelled(by: bag)
        bag.cancelAll()
      case .releasedBag: chain.cancelled(by: CancellationBag())
      case .timeout:
        let time = TestScheduler()
        chain.timeout(.seconds(1), scheduler: time).fail { _ in }
        await time.advance(by: .seconds(1))
      case .task:
        let task = Task { try await chain.value }
        task.cancel()
        _ = await task.result
      case .when: Promises.when([chain, .rejected(TestError())]).fail { _ in }
      case .race: Promises.race([chain, .fulfilled(1)]).fail { _ in }
      case .any: Promises.any([chain, .fulfilled(1)]).fail { _ in }
      case .settled: Promises.settled([chain]).cancel()
      case .step: Promise.fulfilled(1).then(on: .inline) { _ in chain }.cancel()
      }
    }
  }

  @Test(arguments: Chain.allCases, Departure.allCases)
  func theWorkOfAChainEndsWithItsLastConsumer(_ chain: Chain, _ departure: Departure) async {
    let log = Log<String>()
    let (source, resolver) = Promise<Int>.pending(on: .inline)
    resolver.onCancel { log.append("stopped") }
    let last = chain.attach(to: source, log)
    await departure.leave(last)
    resolver.fulfill(7)
    #expect(log.entries == ["stopped"])
    #expect(last.isCancelled)
  }

  @Test(arguments: Chain.allCases, Departure.allCases)
  func aDoneKeepsTheWorkWhenAnotherChainEnds(_ chain: Chain, _ departure: Departure) async {
    let (log, other) = (Log<String>(), Log<String>())
    let (source, resolver) = Promise<Int>.pending(on: .inline)
    resolver.onCancel { log.append("stopped") }
    source.done { log.append("\($0)") }.fail { _ in log.append("failed") }
    await departure.leave(chain.attach(to: source, other))
    resolver.fulfill(7)
    #expect(log.entries == ["7"])
    #expect(other.entries.isEmpty)
  }

  @Test(arguments: Chain.allCases)
  func aReleasedChainRunsToItsEnd(_ chain: Chain) {
    let log = Log<String>()
    let (source, resolver) = Promise<Int>.pending(on: .inline)
    do { _ = chain.attach(to: source, log) }
    source.map { $0 }.cancel()
    resolver.fulfill(7)
    #expect(log.entries.allSatisfy { $0 == "done" } && !log.entries.isEmpty)
  }

  @Test func theHandlersOfACancelledChainReceiveTheCancellation() {
    let log = Log<String>()
    let (source, resolver) = Promise<Int>.pending(on: .inline)
    resolver.onCancel { log.append("stopped") }
    source.fail(policy: .allErrors) { _ in log.append("source") }
    source.done { _ in log.append("done") }
      .fail(policy: .allErrors) { _ in log.append("fail") }
      .fail { _ in log.append("default") }
      .always { log.append("always") }
      .cancel()
    #expect(log.entries == ["stopped", "fail", "always", "source"])
  }

  @Test func cancellingTheSourceReachesAllChains() {
    let log = Log<String>()
    let (source, resolver) = Promise<Int>.pending(on: .inline)
    for number in 1...2 {
      source.done { _ in log.append("done") }.always { log.append("always \(number)") }
    }
    source.cancel()
    resolver.fulfill(7)
    #expect(log.entries == ["always 1", "always 2"])
  }

  /// The promise has settled before its handler runs, so nothing can cancel it any more.
  @Test func aHandlerCannotCancelItsOwnPromise() {
    let log = Log<String>()
    let (source, resolver) = Promise<Int>.pending(on: .inline)
    let (own, ownResolver) = Promise<Promise<Int>>.pending(on: .inline)
    let chain = source.done { _ in
      own.currentValue?.cancel()
      log.append("done")
    }
    ownResolver.fulfill(chain)
    resolver.fulfill(7)
    #expect(log.entries == ["done"])
    #expect(chain.currentValue == 7)
  }

  @Test func theStepsAfterADoneRunAfterItsHandler() {
    let log = Log<String>()
    let (source, resolver) = Promise<Int>.pending(on: .inline)
    source.done { _ in log.append("1") }.map { _ in log.append("4") }
      .done { log.append("6") }
    source.map { _ in log.append("2") }.done { log.append("5") }
    source.done { _ in log.append("3") }
    resolver.fulfill(7)
    #expect(log.entries == ["1", "2", "3", "4", "5", "6"])
  }

  @Test func aStepThatIsAttachedDuringAHandlerRunsAfterIt() async {
    let (log, attached) = (Log<String>(), DispatchSemaphore(value: 0))
    let (source, resolver) = Promise<Int>.pending(on: .inline)
    let chain = source.done { _ in
      log.append("handling")
      attached.wait()
      log.append("handled")
    }
    DispatchQueue.global().async { resolver.fulfill(7) }
    _ = await log.entries(1)
    chain.done { _ in log.append("next") }
    attached.signal()
    #expect(await log.entries(3) == ["handling", "handled", "next"])
  }

  @Test func aPromiseThatFollowsItsOwnDoneIsACycle() {
    let (promise, resolver) = Promise<Int>.pending(on: .inline)
    let chain = promise.done { _ in }.done { _ in }.fail { _ in }
    resolver.resolve(chain)
    #expect(promise.currentError as? PromiseError == .cycle)
    #expect(chain.currentError as? PromiseError == .cycle)
  }
}
