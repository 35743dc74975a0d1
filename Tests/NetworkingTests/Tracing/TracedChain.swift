import Foundation
import Mocking
import Networking
import NetworkingTracing
import Promises
import TestSupport
import Testing

/// The clients and the runner of the tests that trace a chain in virtual time.
struct TracedChain: Sendable {
  let time: TestScheduler
  let trace: Trace

  /// Traces a chain in virtual time, and compares the text of its record.
  ///
  /// - Parameters:
  ///   - expected: The text.
  ///   - limit: The limit of the trace.
  ///   - sourceLocation: The place of the comparison.
  ///   - body: The chain. Its errors are ignored, because the record has them.
  static func expect(
    _ expected: String, limit: Int = 10_000, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: @escaping @Sendable (TracedChain) async throws -> Void
  ) async {
    let record = await record(limit: limit, body)
    #expect(record.text == expected, sourceLocation: sourceLocation)
    #expect(record.isComplete, sourceLocation: sourceLocation)
  }

  /// Returns the record of a chain in virtual time.
  static func record(
    limit: Int = 10_000, _ body: @escaping @Sendable (TracedChain) async throws -> Void
  ) async -> TraceRecord {
    await withVirtualTime { time in
      let chain = TracedChain(time: time, trace: Trace("chain", limit: limit))
      try? await time.run { try? await body(chain) }
      return chain.trace.record
    }
  }

  /// Returns a client whose server responds to `a/100` after 100 ms.
  ///
  /// - Parameters:
  ///   - mode: The mode of the queue.
  ///   - configuration: The configuration.
  ///   - respond: A closure that returns the response to a path and the number of the request, from 1. `nil` is 200.
  /// - Returns: The client.
  func client(
    _ mode: RequestMode = .async,
    _ configuration: NetworkingConfiguration = .init(),
    _ respond: @escaping @Sendable (_ path: String, _ count: Int) -> Mock? = { _, _ in nil }
  ) -> Networking<Request> {
    let count = Counter()
    let mock = Mock.template { request in
      let path = String(request.path.text.drop { $0 == "/" })
      let delay = path.split(separator: "/").last.flatMap { Int($0) } ?? 100
      let mock = respond(path, count.add()) ?? .text("ok")
      return mock.delay == nil ? mock.delayed(by: .ms(delay)) : mock
    }
    let transport = MockTransport(routes: [Route(nil, "/**", mock)], scheduler: time)
    return client(mode, over: transport, configuration)
  }

  /// Returns a client of a transport.
  func client(
    _ mode: RequestMode = .async, over transport: any Transport,
    _ configuration: NetworkingConfiguration = .init()
  ) -> Networking<Request> {
    var configuration = configuration
    configuration.scheduler = time
    let client = Networking<Request>(mode: mode, transport: transport, configuration: configuration)
    client.baseURL = URL(string: "http://api.test")
    return client
  }
}

extension NetworkingConfiguration {
  /// Returns a configuration with changes.
  static func with(_ change: (inout NetworkingConfiguration) -> Void) -> NetworkingConfiguration {
    var configuration = NetworkingConfiguration()
    change(&configuration)
    return configuration
  }
}

/// A transport that delivers events at set times.
struct TimedTransport: Transport {
  let time: TestScheduler
  /// Returns the events of a request, each with the milliseconds after the start.
  let events: @Sendable (_ request: HTTPRequest) -> [(Int, TransportEvent)]

  func start(
    _ request: HTTPRequest, _ receive: @escaping @Sendable (TransportEvent) -> Void
  ) -> any TransportHandle {
    let handle = Handle(receive: receive)
    for (delay, event) in events(request) {
      handle.actions.append(time.schedule(after: .ms(delay)) { handle.deliver(event) })
    }
    return handle
  }

  /// Returns the events of a new connection: DNS 10 ms, connect 20 ms, TLS 30 ms, server 40 ms, receive 50 ms.
  static func connecting(_ body: String = "ok") -> [(Int, TransportEvent)] {
    var metrics = TransportMetrics()
    (metrics.nameResolved, metrics.connected, metrics.secured) = (.ms(10), .ms(30), .ms(60))
    return [
      (60, .connected(metrics)), (100, .head(HTTPResponseHead(status: 200))),
      (150, .body(Data(body.utf8))), (150, .end(metrics)),
    ]
  }

  private final class Handle: TransportHandle {
    let receive: @Sendable (TransportEvent) -> Void
    let endings = Counter()
    let actions = Log<ScheduledAction>()

    init(receive: @escaping @Sendable (TransportEvent) -> Void) { self.receive = receive }

    func deliver(_ event: TransportEvent) {
      switch event {
      case .end, .failure: if endings.add() == 1 { receive(event) }
      default: if endings.value == 0 { receive(event) }
      }
    }

    func cancel() {
      for action in actions.entries { action.cancel() }
      deliver(.failure(TransportFailure(code: .cancelled)))
    }

    func suspend() {}
    func resume() {}
  }
}
