import Foundation
import Networking
import Synchronization

/// What came of an exchange.
package struct Performed: Sendable {
  package var head: HTTPResponseHead?
  package var body = Data()
  package var metrics: TransportMetrics?
  package var failure: TransportFailure?
  /// The names of the events in order, repetitions left out.
  package var order: [String] = []
  /// What was measured whenever a connection stood.
  package var connections: [TransportMetrics] = []
  /// The bytes sent, as told.
  package var sent: [Int64] = []
  /// The sizes of the pieces that the body came in.
  package var pieces: [Int] = []
  package var lastEvents = 0

  mutating func add(_ event: TransportEvent) {
    let name: String
    switch event {
    case .connected(let metrics):
      name = "connected"
      connections.append(metrics)
    case .servedLocally: name = "answered"
    case .sent(let bytes, _):
      name = "sent"
      sent.append(bytes)
    case .head(let head):
      name = "head"
      self.head = head
    case .body(let data):
      name = "body"
      body += data
      pieces.append(data.count)
    case .end(let metrics):
      name = "end"
      self.metrics = metrics
    case .failure(let failure):
      name = "failure"
      self.failure = failure
    }
    if order.last != name || name == "head" || name == "end" { order.append(name) }
    if event.isLast { lastEvents += 1 }
  }
}

extension TransportEvent {
  package var isLast: Bool {
    switch self {
    case .end, .failure: true
    default: false
    }
  }
}

/// An exchange under way.
package final class PerformedExchange: Sendable {
  private let performed = Mutex(Performed())
  private let done = Log<Void>()
  private let handle = Mutex<(any TransportHandle)?>(nil)

  package init(
    _ transport: some Transport, _ request: HTTPRequest,
    observe: @escaping @Sendable (TransportEvent) -> Void = { _ in }
  ) {
    let started = transport.start(request) { [performed = self] event in
      performed.performed.withLock { $0.add(event) }
      observe(event)
      if event.isLast { performed.done.append(()) }
    }
    handle.withLock { $0 = started }
  }

  package var soFar: Performed { performed.withLock { $0 } }

  package func cancel() { handle.withLock { $0 }?.cancel() }
  package func suspend() { handle.withLock { $0 }?.suspend() }
  package func resume() { handle.withLock { $0 }?.resume() }

  /// Once the exchange is over.
  package var outcome: Performed {
    get async {
      _ = await done.entries(1)
      return soFar
    }
  }
}

extension Transport {
  package func perform(_ request: HTTPRequest) async -> Performed {
    await PerformedExchange(self, request).outcome
  }

  package func get(_ url: URL) async -> Performed {
    await perform(HTTPRequest(url: url))
  }
}
