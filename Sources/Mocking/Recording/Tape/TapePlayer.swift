import Foundation
import Networking
import Synchronization

/// Answers requests with what was recorded.
final class TapePlayer: Sendable {
  /// Where each request's answers have got to.
  private struct State {
    var used: [MatchKey: Int] = [:]
  }

  let entries: [HAR.Entry]
  private let file: URL
  private let options: Tape.Options
  private let redactor: Redactor
  /// The positions of a request's answers, in order.
  private let positions: [MatchKey: [Int]]
  private let keys: [MatchKey]
  private let state = Mutex(State())

  init(_ har: HAR, _ file: URL, _ options: Tape.Options) {
    self.file = file
    self.options = options
    redactor = Redactor(options.redaction)
    entries = har.log.entries
    // What others have recorded is not masked yet.
    let recorded = Redactor(options.redaction)
    keys = har.log.entries.map { entry in
      var request = entry.request
      recorded.redact(&request)
      return MatchKey(request, options.matching)
    }
    positions = Dictionary(grouping: keys.indices) { [keys] in keys[$0] }
  }

  /// What was not asked for.
  var unplayed: [HAR.Entry] {
    let used = state.withLock { $0.used }
    return positions.flatMap { key, positions in positions.dropFirst(used[key] ?? 0) }
      .sorted().map { entries[$0] }
  }

  /// The events of the next answer to a request.
  func answer(_ request: HTTPRequest) -> [TransportEvent] {
    var asked = HAR.Request(
      request, bodyLimit: options.matching.contains(.body) ? options.bodyLimit : nil)
    redactor.redact(&asked)
    let key = MatchKey(asked, options.matching)
    guard let positions = positions[key] else {
      return [failure("\(asked.method) \(asked.url) is not in \(name)\(nearest(to: key))")]
    }
    let turn = state.withLock { state -> Int in
      let turn = state.used[key] ?? 0
      state.used[key] = turn + 1
      return turn
    }
    guard turn < positions.count || options.afterLast == .repeats else {
      let times = positions.count == 1 ? "once" : "\(positions.count) times"
      return [
        failure(
          "\(asked.method) \(asked.url) was recorded \(times) in \(name), and all is replayed")
      ]
    }
    let entry = entries[positions[min(turn, positions.count - 1)]]
    return entry.events(to: request)
  }

  private var name: String { file.lastPathComponent }

  private func failure(_ reason: String) -> TransportEvent {
    .failure(TransportFailure(code: .mockFailed, detail: reason))
  }

  private func nearest(to key: MatchKey) -> String {
    let nearest = keys.indices.min { keys[$0].distance(to: key) < keys[$1].distance(to: key) }
    guard let nearest else { return ", which is empty" }
    let entry = entries[nearest].request
    let differing = keys[nearest].differences(from: key).joined(separator: ", ")
    return "; the nearest of \(entries.count) is log.entries[\(nearest)], \(entry.method) "
      + "\(NetworkError.RequestSummary(method: .get, url: entry.url).url), of another \(differing)"
  }
}

extension HAR.Entry {
  /// What a transport would have told of the exchange.
  func events(to request: HTTPRequest) -> [TransportEvent] {
    var events: [TransportEvent] = []
    let sent = request.body.byteCount ?? Int64(max(self.request.bodySize, 0))
    let body = response.content.data ?? Data()
    let received = response.bodySize >= 0 ? response.bodySize : body.count
    let metrics = timings.metrics(bytesSent: Int(sent), bytesReceived: received)
    if let head = response.head {
      if sent > 0 { events.append(.sent(bytes: sent, total: sent)) }
      events.append(.head(head))
      if !body.isEmpty { events.append(.body(body)) }
      guard response.error != nil else { return events + [.end(metrics)] }
    }
    return events + [
      .failure(
        TransportFailure(
          code: FailureName.code(response.error ?? ""), detail: response.errorDetail ?? "",
          metrics: metrics))
    ]
  }
}
