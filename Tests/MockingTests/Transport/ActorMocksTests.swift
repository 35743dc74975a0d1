import CatenaSystem
import Dispatch
import Foundation
import Mocking
import TestGate
import TestSupport
import Testing

@testable import Promises

/// Closures of mocks that run on an actor, because they are written in its code or marked with it.
///
/// The requests are made off the main actor, unless a test says otherwise.
@Suite(.gated)
struct ActorMocksTests {
  /// A backend whose state belongs to the main actor.
  @MainActor private final class Backend {
    private(set) var names: [String] = []
    private(set) var wasOffTheMainQueue = false

    nonisolated init() {}

    /// Returns a provider whose closure is isolated to the main actor without an annotation.
    func provider(
      scheduler: any Scheduler = .live, strict: Bool? = nil, _ mock: Mock? = .text("a")
    ) -> MockProvider<NameAPI> {
      MockProvider(scheduler: scheduler, strict: strict) { endpoint in
        self.note("\(endpoint)")
        return mock
      }
    }

    func note(_ name: String) {
      names.append(name)
      if !isOnMainQueue { wasOffTheMainQueue = true }
    }

    /// The number of calls, all of which were on the main queue.
    var count: Int? { wasOffTheMainQueue ? nil : names.count }
  }

  private let backend = Backend()
  private let network = FakeTransport { _ in .response(299) }

  @Test func theClosureOfAProviderRunsOnItsActor() async throws {
    let networking = Networking(mockProvider: await backend.provider())
    #expect(try await networking.request(.name).toString().value == "a")
    #expect(await backend.names == ["name"])
    #expect(await backend.count == 1)
  }

  @MainActor @Test func theClosureRunsDirectlyForARequestOnItsActor() async throws {
    let networking = Networking(mockProvider: backend.provider(), transport: network)
    let response = networking.request(.name)
    #expect(backend.names == ["name"])
    #expect(try await response.toString().value == "a")
  }

  private actor Shelf {
    private var count = 0

    func provider() -> MockProvider<NameAPI> {
      MockProvider { _ in
        self.count += 1
        return .text("\(self.count)")
      }
    }
  }

  @Test func theClosureRunsOnAnActorThatIsNotTheMainActor() async throws {
    var configuration = NetworkingConfiguration()
    // The actor shares the threads of all tests, so it may take longer than the default of 60 s.
    configuration.idleTimeout = nil
    let networking = Networking(
      mockProvider: await Shelf().provider(), configuration: configuration)
    #expect(try await networking.request(.name).toString().value == "1")
    #expect(try await networking.request(.name).toString().value == "2")
  }

  /// Returns a transport whose mock is selected on the main actor after `isStarted` is signalled.
  private func transport(selectingAfter isStarted: DispatchSemaphore) -> (any Transport)? {
    let provider = MockProvider<NameAPI> { @MainActor _ in
      isStarted.wait()
      return .text("a")
    }
    return provider.transport(for: .name, real: network)
  }

  @Test func theClosureRunsOnceForAllAttempts() async throws {
    let time = TestScheduler()
    let provider = await backend.provider(
      scheduler: time, .sequence(.status(503), .status(503), .text("c")))
    let networking = Networking(
      mockProvider: provider, retry: .delayed(.seconds(1), limit: 2))
    let text = networking.request(.name).validate().toString()
    await time.run()
    #expect(text.fulfilledValue == "c")
    #expect(await backend.count == 1)
  }

  @Test func eventsAreDeliveredOffTheMainQueue() async throws {
    let isStarted = DispatchSemaphore(value: 0)
    let transport = try #require(self.transport(selectingAfter: isStarted))
    let log = Log<Bool>()
    let exchange = ExchangeRecorder(transport, HTTPRequest(url: .of("http://a/"))) { _ in
      log.append(isOnMainQueue)
    }
    isStarted.signal()
    #expect(await exchange.record.order == ["head", "body", "end"])
    #expect(await log.entries(3) == [false, false, false])
  }

  @Test func anAttemptThatIsCancelledDoesNotCancelTheSelectionForTheNextOne() async throws {
    let isStarted = DispatchSemaphore(value: 0)
    let transport = try #require(self.transport(selectingAfter: isStarted))
    let first = ExchangeRecorder(transport, HTTPRequest(url: .of("http://a/")))
    first.cancel()
    let second = ExchangeRecorder(transport, HTTPRequest(url: .of("http://a/")))
    isStarted.signal()
    #expect(first.current.failure?.code == .cancelled)
    #expect(await second.record.body == Data("a".utf8))
    #expect(first.current.lastEvents == 1)
  }

  @Test func nilUsesTheNetworkOrFailsAsWithoutAnActor() async throws {
    let open = Networking(mockProvider: await backend.provider(nil), transport: network)
    #expect(try await open.request(.name).value.status == 299)
    let provider = await backend.provider(strict: true, nil)
    let strict = Networking(mockProvider: provider, transport: network)
    let error = await strict.request(.name).result.failure(as: NetworkError.self)
    #expect(error?.reason?.hasSuffix(" has no mock for NameAPI.name") == true)
    #expect(provider.journal.entries.map(\.outcome) == [.failure(.mockFailed)])
    #expect(network.requests.count == 1)
  }

  @Test func nilIsPassedOnInAScope() async throws {
    let silent = await backend.provider(nil)
    try await withMocks(silent, MockProvider<NameAPI>.text("next")) {
      let networking = Networking<NameAPI>(transport: network)
      let name = try await networking.request(.name).toString().value
      #expect(name == "next")
    }
    await withMocks(silent) {
      let networking = Networking<NameAPI>(transport: network)
      let error = await networking.request(.name).result.failure(as: NetworkError.self)
      #expect(error?.code == .mockFailed)
    }
    #expect(await backend.count == 2)
    #expect(network.requests.isEmpty)
  }

  @Test func nilOfTheClientsProviderIsPassedOnToTheScope() async throws {
    let networking = Networking(mockProvider: await backend.provider(nil), transport: network)
    try await withMocks(MockProvider<NameAPI>.text("scope")) {
      let name = try await networking.request(.name).toString().value
      #expect(name == "scope")
    }
    #expect(await backend.count == 1)
    #expect(network.requests.isEmpty)
  }

  @Test func theNextProviderIsAlsoAskedOnceForAllAttempts() async throws {
    let time = TestScheduler()
    let silent = await backend.provider(scheduler: time, nil)
    let next = await backend.provider(scheduler: time, .sequence(.status(503), .text("b")))
    await withMocks(silent, next) {
      let networking = Networking<NameAPI>(retry: .delayed(.seconds(1), limit: 1))
      let text = networking.request(.name).validate().toString()
      await time.run()
      #expect(text.fulfilledValue == "b")
    }
    #expect(await backend.count == 2)
  }

  @Test func aRequestThatIsCancelledMeanwhileEnds() async {
    let time = TestScheduler()
    let slow = Mock.text("a").delayed(by: .seconds(1))
    let provider = await backend.provider(scheduler: time, slow)
    let response = Networking(mockProvider: provider).request(.name)
    response.cancel()
    #expect(await response.result.error is CancellationError)
    await time.advance(by: .seconds(1))
    #expect(time.scheduledCount == 0)
  }

  // MARK: Routes

  @Test func aHandlerThatIsMarkedWithAnActorRunsThere() async throws {
    let backend = backend
    let routes = [
      Route(.get, "/mock") { @MainActor _ in
        backend.note("mock")
        return .text("mock")
      },
      Route(.get, "/promise") { @MainActor _ in
        backend.note("promise")
        return Promise { .text("promise") }
      },
      Route(.get, "/throws") { @MainActor _ -> Mock in
        backend.note("throws")
        throw TestError("thrown")
      },
    ]
    let server = try MockServer(routes: routes)
    defer { server.stop() }
    for client in [
      Networking<Request>(transport: MockTransport(routes: routes)), Networking<Request>(),
    ] {
      client.baseURL = server.url
      #expect(try await client.request(.get("mock")).toString().value == "mock")
      #expect(try await client.request(.get("promise")).toString().value == "promise")
      let thrown = try await client.request(.get("throws")).value
      #expect(thrown.status == 500)
      #expect(String(decoding: thrown.data, as: UTF8.self).contains("TestError(thrown)"))
    }
    #expect(await backend.count == 6)
  }

  // MARK: Virtual time

  /// Starts an exchange on another thread.
  ///
  /// It blocks the main actor until the exchange has started, so that no closure of the main actor runs
  /// meanwhile.
  @MainActor private func startOnAnotherThread(
    _ transport: @escaping @Sendable () -> (any Transport)?
  ) -> ExchangeRecorder? {
    let exchanges = Log<ExchangeRecorder>()
    let isStarted = DispatchSemaphore(value: 0)
    let thread = Thread {
      if let transport = transport() {
        exchanges.append(ExchangeRecorder(transport, HTTPRequest(url: .of("http://a/"))))
      }
      isStarted.signal()
    }
    thread.start()
    isStarted.wait()
    return exchanges.entries.first
  }

  @MainActor @Test func virtualTimeWaitsForTheClosure() async throws {
    let scheduler = TestScheduler()
    let provider = backend.provider(
      scheduler: scheduler, .text("late").delayed(by: .seconds(30)))
    let exchange = try #require(
      startOnAnotherThread { provider.transport(for: .name, real: network) })
    #expect(backend.names.isEmpty)
    await scheduler.advance(by: .seconds(29))
    #expect(backend.names == ["name"] && exchange.current.body.isEmpty)
    await scheduler.advance(by: .seconds(1))
    #expect(exchange.current.body == Data("late".utf8))
  }

  @MainActor @Test func virtualTimeWaitsForAHandlerOnAnActor() async throws {
    let (backend, scheduler) = (backend, TestScheduler())
    let transport = MockTransport(scheduler: scheduler) {
      Route(.get, "/") { @MainActor _ in
        backend.note("handler")
        return .text("late").delayed(by: .seconds(30))
      }
    }
    let exchange = try #require(startOnAnotherThread { transport })
    #expect(backend.names.isEmpty)
    await scheduler.advance(by: .seconds(29))
    #expect(backend.names == ["handler"] && exchange.current.body.isEmpty)
    await scheduler.advance(by: .seconds(1))
    #expect(exchange.current.body == Data("late".utf8))
  }

  @Test func virtualTimeWaitsForAnAsynchronousHandlerOnTheMainActor() async {
    let time = TestScheduler()
    let isCounted = Log<Bool?>()
    let transport = MockTransport(scheduler: time) {
      Route(.get, "/") { @MainActor (_: ReceivedRequest) async -> Mock in
        isCounted.append(ActivityExecutor.current?.includesMainActorJobs)
        return .text("late").delayed(by: .seconds(30))
      }
    }
    let exchange = ExchangeRecorder(transport, HTTPRequest(url: .of("http://a/")))
    await time.advance(by: .seconds(30))
    #expect(isCounted.entries == [true])
    #expect(exchange.current.body == Data("late".utf8))
  }
}
