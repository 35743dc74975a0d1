import Foundation

/// What the events of a transport's exchange come to for those who watch; a pure function of them.
struct HopEventMachine {
  /// What happened, and when, counted from the moment when the call was made.
  typealias Happening = (kind: NetworkEvent.Kind, time: Duration)

  /// How many bytes the progress goes on by at the least from one event to the next.
  private static let leastStep: Int64 = 64 << 10

  private let began: Duration
  /// How many bytes of body there are to send; nil when that is not known.
  private let bodySize: Int64?
  private var hasConnection = false
  private var isSent = false
  private var hasHead = false
  private var progress = TransferProgress()
  /// As told last.
  private var told = TransferProgress()
  /// How many bytes a body may have to be kept; 0 is for none.
  private let bodyLimit: Int
  /// What has come of the response's body; nil when that is too much, or not wanted.
  private(set) var received: Data?

  /// - Parameters:
  ///   - bodySize: how many bytes of body there are to send; nil when that is not known.
  ///   - began: when the hop began.
  ///   - bodyLimit: how many bytes a response's body may have to be kept; 0 is for none.
  init(bodySize: Int64?, began: Duration, bodyLimit: Int = 0) {
    self.bodySize = bodySize
    self.began = began
    progress.sent.total = bodySize
    self.bodyLimit = bodyLimit
    if bodyLimit > 0 { received = Data() }
  }

  /// Takes an event, the header fields of a head being redacted already.
  mutating func receive(_ event: TransportEvent, at now: Duration) -> [Happening] {
    switch event {
    case .connected(let metrics):
      hasConnection = true
      isSent = false
      return phases(metrics, now) + sentIfBodiless(now)
    case .answered(let name):
      hasConnection = true
      return [(.answered(by: name), now)] + sentIfBodiless(now)
    case .sent(let bytes, let total):
      progress.sent = .init(bytes: bytes, total: total)
      return bytes == total && !hasHead ? sent(now) : goOn(\.sent, now)
    case .head(let head):
      let before = isSent ? [] : sent(now)
      hasHead = true
      progress.received.total = ProgressReporter.total(head)
      return before + [(.head(head), now)]
    case .body(let data):
      progress.received.bytes += Int64(data.count)
      if let count = received?.count {
        if count + data.count > bodyLimit { received = nil } else { received?.append(data) }
      }
      return goOn(\.received, now)
    case .end(let metrics): return hasHead ? [(.body(bytes: metrics.bytesReceived), now)] : []
    case .failure(let failure):
      return hasConnection || hasHead ? [] : phases(failure.metrics, now)
    }
  }

  /// The rest of the body is left out.
  func breakOff(at now: Duration) -> [Happening] {
    hasHead ? [(.body(bytes: progress.received.bytes), now)] : []
  }

  /// What lies before the request, as far as it was measured.
  private func phases(_ metrics: TransportMetrics, _ now: Duration) -> [Happening] {
    var phases: [Happening] = []
    if let resolved = metrics.nameResolved { phases.append((.resolved, began + resolved)) }
    if metrics.connected != nil || metrics.reusedConnection {
      let connection = NetworkEvent.Connection(
        address: metrics.remoteAddress, port: metrics.remotePort, isReused: metrics.reusedConnection
      )
      phases.append((.connected(connection), metrics.connected.map { began + $0 } ?? now))
    }
    if let secured = metrics.secured { phases.append((.secured, began + secured)) }
    return phases
  }

  /// Of a request without a body nothing more is heard before the answer comes.
  private mutating func sentIfBodiless(_ now: Duration) -> [Happening] {
    bodySize == 0 ? sent(now) : []
  }

  private mutating func sent(_ now: Duration) -> [Happening] {
    guard !isSent else { return [] }
    isSent = true
    return [(.requestSent(bytes: progress.sent.bytes), now)]
  }

  private mutating func goOn(
    _ part: WritableKeyPath<TransferProgress, TransferProgress.Amount>, _ now: Duration
  ) -> [Happening] {
    let amount = progress[keyPath: part]
    let step = max(Self.leastStep, (amount.total ?? amount.bytes) / 100)
    // The last of it is told by another event.
    guard amount.bytes - told[keyPath: part].bytes >= step, amount.bytes != amount.total else {
      return []
    }
    told = progress
    return [(.progress(progress), now)]
  }
}
