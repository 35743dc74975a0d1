import Foundation
import Networking
import Synchronization
import TestSupport

/// What came of an exchange.
struct Performed: Sendable {
  var head: HTTPResponseHead?
  var body = Data()
  var metrics: TransportMetrics?
  var failure: TransportFailure?
  /// The names of the events in order, repetitions left out.
  var order: [String] = []
  /// The bytes sent, as told.
  var sent: [Int64] = []
  var lastEvents = 0

  mutating func add(_ event: TransportEvent) {
    let name: String
    switch event {
    case .sent(let bytes, _):
      name = "sent"
      sent.append(bytes)
    case .head(let head):
      name = "head"
      self.head = head
    case .body(let data):
      name = "body"
      body += data
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
  var isLast: Bool {
    switch self {
    case .end, .failure: true
    default: false
    }
  }
}

/// An exchange under way.
final class PerformedExchange: Sendable {
  private let performed = Mutex(Performed())
  private let done = Log<Void>()
  private let handle = Mutex<(any TransportHandle)?>(nil)

  init(
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

  var soFar: Performed { performed.withLock { $0 } }

  func cancel() { handle.withLock { $0 }?.cancel() }
  func suspend() { handle.withLock { $0 }?.suspend() }
  func resume() { handle.withLock { $0 }?.resume() }

  /// Once the exchange is over.
  var outcome: Performed {
    get async {
      _ = await done.entries(1)
      return soFar
    }
  }
}

extension Transport {
  func perform(_ request: HTTPRequest) async -> Performed {
    await PerformedExchange(self, request).outcome
  }

  func get(_ url: URL) async -> Performed {
    await perform(HTTPRequest(url: url))
  }
}
