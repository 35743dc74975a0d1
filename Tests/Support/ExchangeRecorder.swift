import CatenaSystem
package import Foundation
package import Networking

/// The events of one exchange, summarized.
package struct ExchangeRecord: Sendable {
  package var head: HTTPResponseHead?
  package var body = Data()
  package var metrics: TransportMetrics?
  package var trailers: HTTPHeaders = [:]
  package var failure: TransportFailure?
  /// The names of the events in order, without repetitions.
  package var order: [String] = []
  /// The metrics reported with each `connected` event.
  package var connections: [TransportMetrics] = []
  /// The totals reported by the `sent` events.
  package var sent: [Int64] = []
  /// The sizes of the body events.
  package var pieces: [Int] = []
  /// The number of terminal events, which must be at most 1.
  package var lastEvents = 0

  package init() {}

  /// Adds an event after the others.
  package mutating func add(_ event: TransportEvent) {
    let name: String
    switch event {
    case .connected(let metrics):
      name = "connected"
      connections.append(metrics)
    case .servedLocally: name = "servedLocally"
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
    case .trailers(let trailers):
      name = "trailers"
      self.trailers = trailers
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
  /// Whether the event is terminal.
  package var isLast: Bool {
    switch self {
    case .end, .failure: true
    default: false
    }
  }
}

/// A running exchange of a transport, whose events are recorded.
package final class ExchangeRecorder: Sendable {
  private let state = Mutex(ExchangeRecord())
  private let done = Log<Void>()
  private let handle = Mutex<(any TransportHandle)?>(nil)

  /// Starts the exchange.
  ///
  /// - Parameters:
  ///   - transport: The transport under test.
  ///   - request: The request.
  ///   - observe: A closure that receives each event after it is recorded.
  package init(
    _ transport: some Transport, _ request: HTTPRequest,
    observe: @escaping @Sendable (TransportEvent) -> Void = { _ in }
  ) {
    let started = transport.start(request) { [recorder = self] event in
      recorder.state.withLock { $0.add(event) }
      observe(event)
      if event.isLast { recorder.done.append(()) }
    }
    handle.withLock { $0 = started }
  }

  /// The events recorded so far.
  package var current: ExchangeRecord { state.withLock { $0 } }

  package func cancel() { handle.withLock { $0 }?.cancel() }
  package func suspend() { handle.withLock { $0 }?.suspend() }
  package func resume() { handle.withLock { $0 }?.resume() }

  /// All events, after the terminal one.
  package var record: ExchangeRecord {
    get async {
      _ = await done.entries(1)
      return current
    }
  }
}

extension Transport {
  /// Performs a request and returns its record.
  package func perform(_ request: HTTPRequest) async -> ExchangeRecord {
    await ExchangeRecorder(self, request).record
  }

  /// Performs a GET request and returns its record.
  package func get(_ url: URL) async -> ExchangeRecord {
    await perform(HTTPRequest(url: url))
  }
}
