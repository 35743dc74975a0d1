import Dispatch
import Mocking
import Networking
import Promises
import TestGate
import TestSupport
import Testing

/// Monitors, loggers and progress handlers that are written in the code of an actor.
@Suite(.gated)
@MainActor
struct EventIsolationTests {
  private let fixture = EventFixture()
  private let log = MainActorLog<String>()
  private let whole = [
    "queued", "started", "sending", "served by mock", "request sent", "head 200",
    "body of 5 bytes", "finished with 200",
  ]

  private func client() -> Networking<Request> {
    fixture.client { Route(nil, "/{rest*}", .text("hello")) }
  }

  // MARK: Monitors

  @Test func aMonitorRunsOnTheActorOfItsCodeInOrder() async {
    let client = client()
    client.addMonitor { event in log.append("\(event.kind)") }
    for _ in 0..<3 { _ = client.request(.get("boards")) }
    await fixture.time.advance(by: .zero)
    #expect(log.entries == whole + whole + whole && log.isOfMainQueue)
  }

  private actor History {
    private(set) var kinds: [String] = []

    func observe(_ client: Networking<Request>) {
      client.addMonitor { event in self.kinds.append("\(event.kind)") }
    }
  }

  @Test func aMonitorOfAnotherActorRunsThereInOrder() async {
    let client = client()
    let history = History()
    await history.observe(client)
    for _ in 0..<3 { _ = client.request(.get("boards")) }
    await fixture.time.advance(by: .zero)
    #expect(await history.kinds == whole + whole + whole)
  }

  @Test func aMonitorThatIsRemovedOnItsActorIsNotCalledAgain() async {
    let client = client()
    let registration = client.addMonitor { event in log.append("\(event.kind)") }
    // This test occupies the actor until it waits, so that all events are pending.
    _ = client.request(.get("boards"))
    registration.remove()
    await mainQueueHasRun()
    #expect(log.entries.isEmpty)
  }

  @Test func theActorDoesOtherWorkBetweenBatchesOfEvents() async {
    let client = client()
    client.addMonitor { [weak client] event in
      log.append("\(event.kind)")
      guard log.entries.count == 1 else { return }
      DispatchQueue.main.async { MainActor.assumeIsolated { log.append("other work") } }
      // Its events occur before the first batch ends.
      _ = client?.request(.get("boards"))
    }
    _ = client.request(.get("boards"))
    await fixture.time.advance(by: .zero)
    #expect(log.entries == whole + ["other work"] + whole)
  }

  // MARK: Loggers

  @Test func aLoggerRunsOnTheActorOfItsCodeInOrder() async {
    let client = fixture.client { configuration in
      configuration.logging = LoggingConfiguration(
        .info, to: ClosureLogger { entry in log.append(entry.category.rawValue) })
      configuration.logging.errorLogger = ClosureLogger { _ in log.append("error logger") }
    } routes: {
      Route(.get, "/boards", .text("hello"))
      Route(.get, "/broken", .failure(.connectionLost))
    }
    _ = client.request(.get("boards"))
    client.request(.get("broken")).fail { _ in }
    await fixture.time.advance(by: .zero)
    #expect(log.entries == ["request", "response", "request", "error logger"])
    #expect(log.isOfMainQueue)
  }

  // MARK: Progress

  @Test func aProgressHandlerRunsOnTheActorOfItsCode() async {
    let client = client()
    // All changes occur before this test waits, so that they are reported at once.
    _ = client.request(
      .get("boards"), .onProgress { progress in log.append("\(progress.received.bytes)") })
    await fixture.time.advance(by: .zero)
    #expect(log.entries == ["5"] && log.isOfMainQueue)
  }

  @Test func aProgressHandlerWithoutAnActorRunsInTheContextOfTheClient() async {
    let client = client()
    let queue = LabelledQueue()
    client.callbackContext = queue.context
    let places = Log<Bool>()
    let handler: TransferProgress.Handler = { _ in places.append(queue.isCurrent) }
    _ = client.request(.get("boards"), .onProgress(handler))
    await fixture.time.advance(by: .zero)
    #expect(!places.entries.isEmpty && places.entries.allSatisfy { $0 })
  }
}
