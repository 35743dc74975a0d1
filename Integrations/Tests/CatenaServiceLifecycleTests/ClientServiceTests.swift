import CatenaServiceLifecycle
import Foundation
import Logging
import Mocking
import ServiceLifecycle
import ServiceLifecycleTestKit
import Synchronization
import Testing

struct ClientServiceTests {
  /// The texts of a test, in their order.
  private final class Log: Sendable {
    private let texts = Mutex<[String]>([])
    var entries: [String] { texts.withLock { $0 } }
    func append(_ text: String) { texts.withLock { $0.append(text) } }
  }

  /// A client over mocks that hold each response until it is released.
  private struct Fixture {
    let time = TestScheduler()
    let client: Networking<Request>
    let service: ClientService

    init(mode: RequestMode = .async, configure: (Networking<Request>) -> Void = { _ in }) {
      let transport = MockTransport(scheduler: time) {
        Route(.get, "/{path*}", .text("ok").delayed(by: .seconds(5)))
      }
      client = Networking<Request>(
        baseURL: URL(string: "https://api.example.com"), mode: mode, transport: transport)
      client.callbackContext = .inline
      configure(client)
      service = ClientService(client)
    }
  }

  @Test func callsThatWereMadeBeforeEndNormally() async throws {
    let fixture = Fixture(mode: .sync)
    // The second and the third one wait in the queue.
    let calls = (1...3).map { fixture.client.request(.get("boards/\($0)")) }
    let log = Log()
    try await testGracefulShutdown { trigger in
      async let run: Void = {
        await fixture.service.run()
        log.append("ended")
      }()
      trigger.triggerGracefulShutdown()
      await fixture.time.advance(by: .seconds(10))
      #expect(log.entries.isEmpty)
      await fixture.time.advance(by: .seconds(5))
      for call in calls { _ = try await call.value }
      await run
    }
    #expect(log.entries == ["ended"])
    #expect(fixture.service.activeCalls == 0)
  }

  @Test func callsAfterTheShutdownAreRejected() async throws {
    let fixture = Fixture()
    await testGracefulShutdown { trigger in
      trigger.triggerGracefulShutdown()
      await fixture.service.run()
      let result = await fixture.client.request(.get("boards")).result
      #expect(throws: ShutdownError.self) { try result.get() }
      let copied = await fixture.client.copy().request(.get("boards")).result
      #expect(throws: ShutdownError.self) { try copied.get() }
    }
  }

  @Test(arguments: 0..<20) func callMadeDirectlyBeforeTheShutdownIsAwaited(_: Int) async throws {
    // Its first event may not have arrived when the shutdown begins: the first flush waits for that.
    let fixture = Fixture()
    let log = Log()
    try await testGracefulShutdown { trigger in
      trigger.triggerGracefulShutdown()
      let call = fixture.client.request(.get("boards"))
      call.done(on: .inline) { _ in log.append("response") }
      async let run: Void = {
        await fixture.service.run()
        log.append("ended")
      }()
      // The delay of the response is registered, and passes only now.
      await fixture.time.advance(by: .seconds(5))
      _ = try await call.value
      await run
    }
    #expect(log.entries == ["response", "ended"])
  }

  @Test func monitorsHaveAllEventsAtTheEnd() async throws {
    let log = Log()
    let fixture = Fixture { client in
      client.addMonitor { event in if event.isFinal { log.append("\(event.kind)") } }
    }
    let call = fixture.client.request(.get("boards"))
    try await testGracefulShutdown { trigger in
      async let run: Void = fixture.service.run()
      trigger.triggerGracefulShutdown()
      await fixture.time.advance(by: .seconds(5))
      _ = try await call.value
      await run
    }
    #expect(log.entries == ["finished with 200"])
  }

  @Test func cancellationEndsTheCalls() async throws {
    let fixture = Fixture()
    let call = fixture.client.request(.get("boards"))
    let task = Task { await fixture.service.run() }
    task.cancel()
    await task.value
    let cancelled = await call.result
    #expect(throws: CancellationError.self) { try cancelled.get() }
    let result = await fixture.client.request(.get("boards")).result
    #expect(throws: ShutdownError.self) { try result.get() }
  }

  @Test func cancellationDoesNotWaitForAReader() async throws {
    let fixture = Fixture()
    let response = fixture.client.stream(.get("boards"))
    await fixture.time.advance(by: .seconds(5))
    let unread = try await response.value
    let task = Task { await fixture.service.run() }
    task.cancel()
    await task.value
    withExtendedLifetime(unread) {}
  }

  @Test func earlierHookStillRuns() async throws {
    let log = Log()
    let fixture = Fixture { client in
      client.beforeEach = { request in
        log.append("hook")
        return request
      }
    }
    let call = fixture.client.request(.get("boards"))
    await fixture.time.advance(by: .seconds(5))
    _ = try await call.value
    #expect(log.entries == ["hook"])
  }

  @Test func groupEndsTheClientAfterItsUsers() async throws {
    let fixture = Fixture()
    let log = Log()
    struct User: Service {
      let client: Networking<Request>
      let log: Log
      func run() async throws {
        try? await gracefulShutdown()
        // The client still works while its users end.
        log.append("\(try await client.request(.get("last")).value.status)")
      }
    }
    let group = ServiceGroup(
      configuration: .init(
        services: [
          .init(service: fixture.service),
          .init(service: User(client: fixture.client, log: log)),
        ], logger: Logger(label: "test")))
    async let run: Void = group.run()
    await group.triggerGracefulShutdown()
    while log.entries.isEmpty {
      await fixture.time.advance(by: .seconds(5))
      await Task.yield()
    }
    try await run
    #expect(log.entries == ["200"])
  }
}
