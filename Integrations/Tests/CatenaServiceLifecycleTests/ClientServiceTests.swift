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

    /// Waits until the shutdown has begun.
    func waitForShutdown() async {
      while !service.isShuttingDown { await Task.yield() }
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
      await fixture.waitForShutdown()
      await fixture.time.advance(by: .seconds(10))
      #expect(log.entries.isEmpty)
      await fixture.time.advance(by: .seconds(5))
      for call in calls { _ = try await call.value }
      await run
    }
    #expect(log.entries == ["ended"])
    #expect(fixture.service.activeCalls == 0)
  }

  @Test(arguments: [true, false])
  func callsAfterTheShutdownAreRejected(hasHook: Bool) async throws {
    struct Witness: Interceptor {
      let log: Log
      func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
        log.append("interceptor")
        return next(exchange)
      }
    }
    let log = Log()
    let fixture = Fixture { $0.interceptors.append(Witness(log: log)) }
    if !hasHook { fixture.client.beforeEach = nil }
    await testGracefulShutdown { trigger in
      trigger.triggerGracefulShutdown()
      await fixture.service.run()
    }
    for client in [fixture.client, fixture.client.copy()] {
      let result = await client.request(.get("boards")).result
      #expect(throws: ShutdownError.self) { try result.get() }
    }
    #expect(log.entries.isEmpty)
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
      // Without the first flush, the service would end here.
      for _ in 1...2_000 { await Task.yield() }
      await fixture.client.flush()
      await fixture.time.advance(by: .seconds(5))
      _ = try await call.value
      await run
    }
    #expect(log.entries == ["response", "ended"])
  }

  @Test func slowMonitorsHaveAllEventsAtTheEnd() async throws {
    let log = Log()
    let gate = DispatchSemaphore(value: 0)
    let fixture = Fixture { client in
      client.addMonitor { event in
        guard event.isFinal else { return }
        gate.wait()
        log.append("\(event.kind)")
      }
    }
    let call = fixture.client.request(.get("boards"))
    try await testGracefulShutdown { trigger in
      async let run: Void = {
        await fixture.service.run()
        log.append("ended")
      }()
      trigger.triggerGracefulShutdown()
      await fixture.waitForShutdown()
      // The service passes its first flush, before the monitor is held.
      for _ in 1...2_000 { await Task.yield() }
      await fixture.client.flush()
      await fixture.time.advance(by: .seconds(5))
      _ = try await call.value
      while fixture.service.activeCalls > 0 { await Task.yield() }
      // Without the last flush, the service would end here.
      for _ in 1...2_000 { await Task.yield() }
      gate.signal()
      await run
    }
    #expect(log.entries == ["finished with 200", "ended"])
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
    // A body that is larger than the buffers.
    let server = try MockServer { Route(.get, "/", .bytes(64 << 20)) }
    let client = Networking<Request>(baseURL: server.url)
    let service = ClientService(client)
    let unread = try await client.stream(.get("/")).value
    await client.flush()
    #expect(service.activeCalls == 1)
    let task = Task { await service.run() }
    task.cancel()
    await task.value
    #expect(service.activeCalls == 1)
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
        log.append("started")
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
    while log.entries.isEmpty { await Task.yield() }
    await group.triggerGracefulShutdown()
    while log.entries.count < 2 {
      await fixture.time.advance(by: .seconds(5))
      await Task.yield()
    }
    try await run
    #expect(log.entries == ["started", "200"])
  }
}
