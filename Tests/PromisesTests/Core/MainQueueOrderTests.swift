import Dispatch
import Promises
import TestGate
import TestSupport
import Testing

/// Handlers on the main queue follow one another in one block of the queue, and stay in order.
@Suite(.gated)
struct MainQueueOrderTests {
  private let log = Log<String>()

  /// Appends an entry to the log in a block of its own, after the current block of the main queue.
  private func endOfBlock() {
    DispatchQueue.main.async { [log] in log.append("end of block") }
  }

  @Test func theStepsOfAChainRunInOneBlock() async {
    let (promise, resolver) = Promise<Int>.pending()
    promise
      .then { [log] _ in
        endOfBlock()
        log.append("value")
      }
      .map { [log] in log.append("inline") }
      .then { [log] in
        log.append("promise")
        return Promise.fulfilled(1)
      }
      .recover { _ in 0 }
      .tap { [log] _ in log.append("tap") }
      .done { [log] _ in log.append("done") }
      .always { [log] in log.append("always") }
    resolver.fulfill(1)
    let expected = ["value", "inline", "promise", "tap", "done", "always", "end of block"]
    #expect(await log.entries(expected.count) == expected)
  }

  @Test func atMostAHundredHandlersRunInOneBlock() async throws {
    let (promise, resolver) = Promise<Int>.pending()
    var last = promise
    for number in 1...250 {
      last = last.then { [log] value in
        log.append("\(number)")
        DispatchQueue.main.async { log.append("end of block after \(number)") }
        return value
      }
    }
    resolver.fulfill(1)
    let entries = await log.entries(500)
    for number in 1...150 {
      let end = try #require(entries.firstIndex(of: "end of block after \(number)"))
      let next = try #require(entries.firstIndex(of: "\(number + 100)"))
      #expect(end < next)
    }
    withExtendedLifetime(last) {}
  }

  /// In the second case, all handlers become due at the same time.
  @Test(arguments: [true, false])
  func slowHandlersDoNotRunInOneBlock(_ isChain: Bool) async throws {
    let (start, resolver) = Promise<Void>.pending()
    let first = start.then { [log] in
      DispatchQueue.main.async { log.append("end of block") }
      return 1
    }
    var last = first
    for number in 2...20 {
      last = (isChain ? last : first).then { [log] value in
        let end = ContinuousClock.now + .milliseconds(5)
        while ContinuousClock.now < end {}
        log.append("\(number)")
        return value
      }
    }
    resolver.fulfill()
    let entries = await log.entries(20)
    #expect(entries.filter { $0 != "end of block" } == (2...20).map { "\($0)" })
    let end = try #require(entries.firstIndex(of: "end of block"))
    let later = try #require(entries.firstIndex(of: "9"))
    #expect(end < later)
    withExtendedLifetime(last) {}
  }

  @Test func aLateHandlerDoesNotOvertakeOneThatWaitsInTheMainQueue() async {
    let (start, startResolver) = Promise<Void>.pending()
    let (shared, resolver) = Promise<Int>.pending()
    shared.done { [log] _ in log.append("early") }
    start
      .then { resolver.fulfill(1) }
      .done(on: .inline) { [log] in shared.done { _ in log.append("late") } }
    startResolver.fulfill()
    #expect(await log.entries(2) == ["early", "late"])
  }

  @Test(arguments: [ExecutionContext.main, .inline].indices)
  func aPromiseThatAdoptsOneWithAWaitingHandlerDoesNotOvertakeIt(_ index: Int) async {
    let (start, startResolver) = Promise<Void>.pending()
    let (shared, resolver) = Promise<Int>.pending()
    shared.done { [log] _ in log.append("early") }
    start
      .then { resolver.fulfill(1) }
      .then(on: [ExecutionContext.main, .inline][index]) { shared }
      .done { [log] _ in log.append("adopted") }
    startResolver.fulfill()
    #expect(await log.entries(2) == ["early", "adopted"])
  }

  @Test(arguments: 0..<3)
  func handlersInDifferentContextsOnTheMainQueueStayInOrder(_ index: Int) async {
    let contexts = [
      ExecutionContext.custom { DispatchQueue.main.async(execute: $0) },
      TestScheduler().context(for: .main),
      .queue(.main),
    ]
    let (start, resolver) = Promise<Void>.pending()
    start.then { 1 }
      .done(on: contexts[index]) { [log] _ in log.append("first") }
      .done { [log] _ in log.append("second") }
      .always(on: contexts[index]) { [log] in log.append("third") }
      .always { [log] in log.append("fourth") }
    resolver.fulfill()
    #expect(await log.entries(4) == ["first", "second", "third", "fourth"])
  }

  @Test func aHandlerThatIsDispatchedByAnotherDoesNotOvertakeTheWaitingHandlers() async {
    let (start, resolver) = Promise<Void>.pending()
    let shared = start.then { 1 }
    shared
      .done { [log] _ in
        log.append("first")
        shared.done { _ in log.append("fourth") }
        shared.map { $0 }.done { _ in log.append("fifth") }
      }
      .done { [log] _ in log.append("second") }
      .done { [log] _ in log.append("third") }
    resolver.fulfill()
    #expect(await log.entries(5) == ["first", "second", "third", "fourth", "fifth"])
  }

  // MARK: Handlers that follow others in a block

  /// A promise whose handlers on the main queue run in a block of their own, or follow another handler.
  private func promise(followsHandler: Bool) -> (promise: Promise<Void>, resolver: Resolver<Void>) {
    let (start, resolver) = Promise<Void>.pending()
    return (followsHandler ? start.tap { _ in } : start, resolver)
  }

  @Test(arguments: [true, false])
  func inlineHandlersRunWithinTheHandlerThatSettles(_ followsHandler: Bool) async throws {
    let (start, resolver) = promise(followsHandler: followsHandler)
    let result = start.then { [log] () -> String in
      let (promise, resolver) = Promise<Int>.pending()
      promise.done(on: .inline) { _ in log.append("inline") }
      resolver.fulfill(1)
      log.append("returned")
      return Promise.fulfilled(3).map(on: .inline) { "\($0)" }.currentValue ?? "pending"
    }
    resolver.fulfill()
    #expect(try await result.value == "3")
    #expect(log.entries == ["inline", "returned"])
  }

  @Test(arguments: [true, false])
  func aHandlerMayBlockUntilAnotherQueueHasRunAHandler(_ followsHandler: Bool) async throws {
    let (start, resolver) = promise(followsHandler: followsHandler)
    let hasRun = DispatchSemaphore(value: 0)
    let result = start.then { () -> Bool in
      let (promise, resolver) = Promise<Int>.pending()
      promise.done(on: .background) { _ in hasRun.signal() }
      resolver.fulfill(1)
      return hasRun.wait(timeout: .now() + 10) == .success
    }
    resolver.fulfill()
    #expect(try await result.value)
  }

  @Test(arguments: [true, false])
  func aHandlerMayBlockUntilALaterHandlerOfItsPromiseHasRunElsewhere(
    _ followsHandler: Bool
  ) async throws {
    let (start, resolver) = promise(followsHandler: followsHandler)
    let hasRun = DispatchSemaphore(value: 0)
    let result = start.then { hasRun.wait(timeout: .now() + 10) == .success }
    start.map(on: .inline) { 1 }.done(on: .background) { _ in hasRun.signal() }
    resolver.fulfill()
    #expect(try await result.value)
  }

  // MARK: After the call that attaches

  @Test(arguments: [true, false])
  func aHandlerRunsAfterTheCallInAnInlineHandlerHasReturned(_ isSettled: Bool) async {
    let (start, startResolver) = Promise<Void>.pending()
    start.then { 1 }.done(on: .inline) { [log] _ in attachAndReturn(isSettled, log) }
    startResolver.fulfill()
    #expect(await log.entries(2) == ["returned", "handler"])
  }

  @Test(arguments: [true, false])
  func aHandlerRunsAfterTheCallInAMainQueueHandlerHasReturned(_ isSettled: Bool) async {
    let (start, startResolver) = Promise<Void>.pending()
    start.then { 1 }.then { [log] _ in attachAndReturn(isSettled, log) }
      .done { [log] in log.append("next") }
    startResolver.fulfill()
    let entries = await log.entries(3)
    #expect(entries.first == "returned")
    #expect(entries.sorted() == ["handler", "next", "returned"])
  }

  /// Attaches a handler to a promise that has settled, or that settles immediately afterwards.
  private func attachAndReturn(_ isSettled: Bool, _ log: Log<String>) {
    let subject = TestPromise(.success(1), isSettled ? .settled : .immediate)
    subject.promise.done { _ in log.append("handler") }
    subject.settle()
    log.append("returned")
  }

  @Test func theMainQueueAsADispatchQueueIsTheMainContext() async {
    let (start, resolver) = Promise<Void>.pending()
    start.on(.queue(.main))
      .then { [log] in
        endOfBlock()
        log.append("first")
      }
      .done { [log] in log.append("second") }
    resolver.fulfill()
    #expect(await log.entries(3) == ["first", "second", "end of block"])
  }
}
