import Dispatch
import TestGate
import TestSupport
import Testing

@testable import Promises

/// The diagnostics hook is process-wide, so each test filters the reports by its own source lines.
@Suite(.gated)
struct PromiseDiagnosticsTests {
  private static let log: Log<PromiseEvent> = {
    let log = Log<PromiseEvent>()
    PromiseDiagnostics.handler = { log.append($0) }
    return log
  }()

  init() {
    _ = Self.log
  }

  /// Returns the reports about promises created between two lines of this file.
  ///
  /// Reports of long-pending promises are left out, except for the test that enables them, because
  /// they include the promises of all tests.
  private func reports(from start: UInt, to end: UInt = #line) -> [PromiseEvent] {
    allReports(from: start, to: end).filter {
      if case .neverSettled(_, .some) = $0 { false } else { true }
    }
  }

  private func allReports(from start: UInt, to end: UInt = #line) -> [PromiseEvent] {
    Self.log.entries.filter {
      $0.site.file == #fileID && $0.site.line > Int(start) && $0.site.line < Int(end)
    }
  }

  @Test func theModulesOfThePackageAreKnownByTheirWholeNames() {
    let own: [StaticString] = [
      "Promises/A.swift", "Networking/A.swift", "NetworkingStreams/A.swift",
      "NetworkingValues/A.swift",
      "NetworkingTransfers/A.swift", "NetworkingOAuth2/A.swift", "MockingRecordings/A.swift",
    ]
    #expect(own.allSatisfy { CallSite($0, 1).isInternal })
    let others: [StaticString] = ["NetworkingKit/A.swift", "App/Networking/A.swift"]
    #expect(others.map { CallSite($0, 1).isInternal } == [false, false])
  }

  @Test func anUnhandledRejectionIsReportedWithItsLine() {
    let start: UInt = #line
    _ = Promise<Int>.rejected(TestError("lost"))
    let reports = reports(from: start)
    #expect(
      reports.map(\.description) == [
        "unhandled rejection of the promise created at PromisesTests/PromiseDiagnosticsTests.swift:\(start + 1): TestError(lost)"
      ])
  }

  @Test func onCancelDoesNotHandleAFailure() {
    let start: UInt = #line
    Promise<Int>.rejected(TestError("lost")).onCancel(on: .inline) {}
    Promise<Int>.rejected(CancellationError()).onCancel(on: .inline) {}
    #expect(reports(from: start).map(\.site.line) == [Int(start) + 1])
  }

  @Test(arguments: Timing.allCases)
  func theLastPromiseOfAChainIsReported(_ timing: Timing) async {
    let start: UInt = #line
    let (finished, finish) = Promise<Void>.pending()
    do {
      let subject = TestPromise(Result<Int, any Error>.failure(TestError()), timing)
      _ = subject.promise.done(on: .inline) { _ in }
        .map { $0 }
        .always { _ in finish.fulfill(()) }
        .then { _ in }
      subject.settle()
    }
    try? await finished.value
    _ = await Self.log.entries(1)
    #expect(reports(from: start).allSatisfy { $0.site.line == Int(start) + 7 })
  }

  /// The promises of `done` and the one on which it was called are one rejection, which is reported
  /// once if no handler of any of them handles it.
  @Test(arguments: DoneGraph.allCases, [false, true])
  func aRejectionThatDoneObservesIsReportedOnceUnlessItIsHandled(
    _ graph: DoneGraph, _ isEarly: Bool
  ) {
    let error = TestError("\(graph) \(isEarly)")
    let line: UInt
    do {
      let (promise, resolver) = Promise<Int>.pending(on: .inline)
      line = #line - 1
      if isEarly { resolver.reject(error) }
      let late = graph.attach(to: promise)
      if !isEarly { resolver.reject(error) }
      late()
    }
    let sites = Self.log.entries.compactMap { event -> CallSite? in
      guard case .unhandledRejection(let reported as TestError, let site) = event else {
        return nil
      }
      return reported == error ? site : nil
    }
    switch graph.report {
    case .none: #expect(sites.isEmpty)
    case .source: #expect(sites.map(\.line) == [Int(line)])
    case .step: #expect(sites.count == 1 && sites.first?.line != Int(line))
    }
  }

  enum DoneGraph: CaseIterable, Sendable {
    case done, doneDone, twoDones, doneKept, doneFailOfAnotherType
    case doneFail, doneDoneFail, failDone, doneBesideFail, doneDoneBesideFail, doneBesideLateFail
    case doneLateFail, doneDoneLateFailOfTheFirst, doneFailBesideDone, doneAlways, doneAwaited
    case doneRecover, doneFailOfTheType, doneAdopted
    case doneMap, doneBesideMap, doneDoneMap

    enum Report { case none, source, step }

    /// The promise that is reported.
    var report: Report {
      switch self {
      case .done, .doneDone, .twoDones, .doneKept, .doneFailOfAnotherType: .source
      case .doneMap, .doneBesideMap, .doneDoneMap: .step
      default: .none
      }
    }

    /// Attaches the handlers, and returns a closure that runs after the rejection.
    func attach(to promise: Promise<Int>) -> () -> Void {
      switch self {
      case .done: promise.done { _ in }
      case .doneDone: promise.done { _ in }.done { _ in }
      case .twoDones:
        promise.done { _ in }
        promise.done { _ in }.done { _ in }
      case .doneKept:
        let kept = promise.done { _ in }.done { _ in }
        return { #expect(kept.isRejected) }
      case .doneFailOfAnotherType: promise.done { _ in }.fail(PromiseError.self) { _ in }
      case .doneFail: promise.done { _ in }.fail { _ in }
      case .doneDoneFail: promise.done { _ in }.done { _ in }.done { _ in }.fail { _ in }
      case .failDone: promise.fail { _ in }.done { _ in }
      case .doneBesideFail:
        promise.done { _ in }
        promise.fail { _ in }
      case .doneDoneBesideFail:
        promise.done { _ in }.done { _ in }
        promise.fail { _ in }
      case .doneBesideLateFail:
        promise.done { _ in }.done { _ in }
        return { promise.fail { _ in } }
      case .doneLateFail:
        let chain = promise.done { _ in }
        return { chain.fail { _ in } }
      case .doneDoneLateFailOfTheFirst:
        let chain = promise.done { _ in }
        chain.done { _ in }
        return { chain.fail { _ in } }
      case .doneFailBesideDone:
        promise.done { _ in }.fail { _ in }
        promise.done { _ in }
      case .doneAlways: promise.done { _ in }.always {}
      case .doneAwaited:
        let chain = promise.done { _ in }
        return { _ = try? chain.wait(timeout: .zero) }
      case .doneRecover: _ = promise.done { _ in }.recover { _ in 0 }
      case .doneFailOfTheType: promise.done { _ in }.fail(TestError.self) { _ in }
      case .doneAdopted:
        let (other, resolver) = Promise<Int>.pending(on: .inline)
        resolver.resolve(promise.done { _ in })
        other.fail { _ in }
      case .doneMap: _ = promise.done { _ in }.map { $0 }
      case .doneBesideMap:
        promise.done { _ in }
        _ = promise.map { $0 }
      case .doneDoneMap: _ = promise.done { _ in }.done { _ in }.map { $0 }
      }
      return {}
    }
  }

  @Test func onlyAFailForTheTypeOfTheErrorHandlesARejection() {
    let start: UInt = #line
    Promise<Int>.rejected(TestError()).fail(TestError.self, on: .inline) { _ in }
    Promise<Int>.rejected(TestError()).fail(PromiseError.self, on: .inline) { _ in }
    Promise<Int>.rejected(TestError()).map { $0 }.fail(TestError.self, on: .inline) { _ in }
    #expect(reports(from: start).map(\.site.line) == [Int(start) + 2])
  }

  /// The promise that adopts a rejection must be handled instead.
  @Test func adoptedRejectionsAreNotReported() {
    let start: UInt = #line
    do {
      let step = Promise.fulfilled(1).then(on: .inline) { _ -> Promise<Int> in
        .rejected(TestError())
      }
      step.fail(on: .inline) { _ in }
      let (promise, resolver) = Promise<Int>.pending()
      resolver.resolve(.rejected(TestError()))
      promise.fail(on: .inline) { _ in }
      let (late, lateResolver) = Promise<Int>.pending()
      let (bound, boundResolver) = Promise<Int>.pending()
      boundResolver.resolve(late)
      lateResolver.reject(TestError())
      bound.fail(on: .inline) { _ in }
    }
    #expect(reports(from: start).isEmpty)
  }

  @Test func handledRejectionsAreNotReported() async {
    let start: UInt = #line
    do {
      Promise<Int>.rejected(TestError()).fail(on: .inline) { _ in }
      Promise<Int>.rejected(TestError()).always(on: .inline) { _ in }
      Promise<Int>.rejected(TestError()).map { $0 }.asVoid().fail(on: .inline) { _ in }
      _ = Promise<Int>.rejected(TestError()).recover(on: .inline) { _ in 0 }
      _ = await Promise<Int>.rejected(TestError()).result
      _ = try? await Promise<Int>.rejected(TestError()).value
      await onThread(stackSize: 1 << 20) { _ = try? Promise<Int>.rejected(TestError()).wait() }
      _ = settled([Promise<Int>.rejected(TestError())])
      Promise.fulfilled(1).then(on: .inline) { _ in Promise<Int>.rejected(TestError()) }
        .fail(on: .inline) { _ in }
      _ = any([Promise<Int>.rejected(TestError()), .fulfilled(1)])
      Promise<Int>.rejected(CancellationError()).done(on: .inline) { _ in }
      let (promise, resolver) = Promise<Int>.pending()
      promise.cancel()
      withExtendedLifetime(resolver) {}
    }
    #expect(reports(from: start).isEmpty)
  }

  @Test func anAbandonedResolverRejectsAndIsReported() async {
    let start: UInt = #line
    let promise = Promise<Int>.pending().promise
    let result = await promise.map { $0 }.result
    #expect(result.failure() == PromiseError.abandoned)
    #expect(
      reports(from: start).map(\.description) == [
        "the promise created at PromisesTests/PromiseDiagnosticsTests.swift:\(start + 1) was abandoned: its resolver or handler was released before settling it"
      ])
  }

  @Test func aResolverThatSettledOrWasCancelledOrAdoptedAPromiseIsNotReported() {
    let start: UInt = #line
    let (other, otherResolver) = Promise<Int>.pending()
    do {
      Promise<Int>.pending().resolver.fulfill(1)
      let cancelled = Promise<Int>.pending()
      cancelled.promise.cancel()
      Promise<Int>.pending().resolver.resolve(other)
    }
    otherResolver.fulfill(1)
    #expect(reports(from: start).isEmpty)
  }

  @Test func aHandlerDiscardedByItsContextAbandonsItsPromise() async {
    let start: UInt = #line
    let next = Promise.fulfilled(1).then(on: .custom { _ in }) { $0 }
    #expect(await next.result.failure() == PromiseError.abandoned)
    #expect(reports(from: start).map(\.site.line) == [Int(start) + 1])
  }

  @Test func aThrowingInitializerDoesNotCountAsAbandoned() async {
    let start: UInt = #line
    let promise = Promise<Int> { (_: Resolver<Int>) in throw TestError("thrown") }
    #expect(await promise.result.failure() == TestError("thrown"))
    #expect(reports(from: start).isEmpty)
  }

  @Test func aLongPendingPromiseIsReportedOnce() async {
    let time = TestScheduler()
    PromiseDiagnostics.watchPending(longerThan: .seconds(60), scheduler: time)
    defer { PromiseDiagnostics.watchPending(longerThan: nil) }
    let start: UInt = #line
    let (_, resolver) = Promise<Int>.pending()
    let (_, quick) = Promise<Int>.pending()
    await time.advance(by: .seconds(59))
    quick.fulfill(1)
    #expect(allReports(from: start).isEmpty)
    await time.advance(by: .seconds(3600))
    #expect(
      allReports(from: start).map(\.description) == [
        "the promise created at PromisesTests/PromiseDiagnosticsTests.swift:\(start + 1) is still pending after 60.0 seconds"
      ])
    resolver.fulfill(1)
    // Without an observer, promises created earlier are not reported either.
    let (_, unreported) = Promise<Int>.pending()
    PromiseDiagnostics.watchPending(longerThan: nil)
    let (_, unobserved) = Promise<Int>.pending()
    await time.advance(by: .seconds(3600))
    #expect(allReports(from: start).count == 1)
    unreported.fulfill(1)
    unobserved.fulfill(1)
  }

  @Test func aLongErrorIsTruncatedTo200Characters() {
    let start: UInt = #line
    let error = TestError(String(repeating: "x", count: 5000))
    _ = Promise<Int>.rejected(error)
    let text = reports(from: start).first?.description ?? ""
    #expect(text.hasSuffix(":\(start + 2): \("\(error)".prefix(200))"))
  }

  @Test func aRejectionThatFollowsFromAnAbandonedPromiseIsReportedOnce() {
    let start: UInt = #line
    do { _ = Promise<Int>.pending().promise.map(on: .inline) { $0 } }
    let reports = reports(from: start)
    #expect(reports.count == 1)
    if case .abandoned? = reports.first {} else { Issue.record("\(reports)") }
  }

  @Test func aCallSiteIsItsFileAndItsLine() {
    let sites = [1, 2].flatMap { line in
      (["A/a.swift", "B/a.swift"] as [StaticString]).map { CallSite($0, line) }
    }
    for (index, site) in sites.enumerated() {
      #expect(sites.filter { $0 == site } == [sites[index]])
      #expect(site == CallSite(index % 2 == 0 ? "A/a.swift" : "B/a.swift", UInt(index / 2 + 1)))
    }
    #expect(Set(sites + sites).count == 4)
    #expect(Set(sites.map(\.hashValue)).count == 4)
    #expect(sites.last?.description == "B/a.swift:2")
  }

  @Test func everyOperatorReportsTheLineOfItsCaller() async {
    let start: UInt = #line
    do {
      let time = TestScheduler()
      let rejected = Promise<Int>.rejected(TestError())
      _ = rejected.delay(.seconds(1), scheduler: time)
      _ = rejected.timeout(.seconds(1), scheduler: time)
      _ = rejected.on(.inline)
      _ = rejected.tap(on: .inline) { _ in }
      _ = rejected.compactMap { $0 }
      _ = rejected.validate(where: { _ in true })
      _ = rejected.asVoid()
      _ = rejected.recover(TestError.self, on: .inline) { _ in throw TestError() }
      _ = when([rejected])
      _ = when(rejected, rejected)
      _ = race([rejected])
      _ = any([rejected])
      _ = when([1], concurrency: 1) { _ in rejected }
      _ = retry(.immediate(limit: 1), scheduler: time) { _ in rejected }
      _ = firstly { throw TestError() } as Promise<Int>
    }
    let lines = reports(from: start).map(\.site.line)
    #expect(lines == Array((Int(start) + 4)...(Int(start) + 18)))
  }

  @Test func aHandlerIsReleasedOutsideTheLock() async {
    let start: UInt = #line
    let log = Self.log
    PromiseDiagnostics.handler = { [unhandled = Promise<Int>.rejected(TestError())] event in
      withExtendedLifetime(unhandled) { log.append(event) }
    }
    PromiseDiagnostics.handler = { log.append($0) }
    // A test on another thread may be inside the first handler, and is then the one that releases it.
    var count = 0
    repeat { count = await log.entries(count + 1).count } while reports(from: start).isEmpty
    #expect(reports(from: start).count == 1)
  }

  @Test func anErrorPassedToAUsedResolverIsReported() {
    let start: UInt = #line
    for isDelivered in [true, false] {
      let (promise, resolver) = Promise<Int>.pending()
      resolver.fulfill(1)
      let (other, otherResolver) = Promise<Int>.pending()
      if isDelivered { otherResolver.reject(TestError()) }
      resolver.resolve(other)
      otherResolver.reject(TestError())
      withExtendedLifetime(promise) {}
    }
    #expect(reports(from: start).count == 2)
  }
}
