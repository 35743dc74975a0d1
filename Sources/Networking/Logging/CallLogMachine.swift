import Foundation

/// What a log says about the calls of a client: events go in, and come out as words.
struct CallLogMachine {
  /// What a later line needs to know of a call under way.
  private struct Call {
    var hasBegun = false
    var contentType: String?
  }

  /// The calls under way; each has its end some day.
  private var calls: [NetworkEvent.CallID: Call] = [:]

  /// Takes an event.
  ///
  /// - Parameters:
  ///   - event: what happened.
  ///   - body: the body that was sent or received, if it is small enough to be shown.
  ///   - level: how much to say about this call.
  /// - Returns: what to write; nil for nothing.
  mutating func entry(
    for event: NetworkEvent, _ body: Data?, at level: LoggingConfiguration.Level
  ) -> NetworkLogEntry? {
    var call = calls[event.call] ?? Call()
    defer { calls[event.call] = event.isEnd ? nil : call }
    let (lowest, category) = Self.place(of: event.kind, isFirst: !call.hasBegun)
    var fields: HTTPHeaders = [:]
    switch event.kind {
    case .sending(let headers, _):
      call.hasBegun = true
      fields = headers
      call.contentType = fields["Content-Type"]
    case .head(let head):
      fields = head.headers
      call.contentType = fields["Content-Type"]
    default: break
    }
    guard lowest <= level else { return nil }
    var lines = [Self.line(event)]
    if level == .verbose {
      lines += fields.map { "\(event.call)   \($0.name): \($0.value)" }
      if let body, let text = Redaction.body(body, contentType: call.contentType) {
        lines.append("\(event.call)   \(text)")
      }
    }
    return NetworkLogEntry(level: lowest, category: category, event: event, lines: lines)
  }

  /// The lowest level that has an event, and whom it is for.
  private static func place(
    of kind: NetworkEvent.Kind, isFirst: Bool
  ) -> (LoggingConfiguration.Level, NetworkLogEntry.Category) {
    switch kind {
    case .failed: (.error, .error)
    case .finished, .cancelled: (.info, .response)
    case .sending where isFirst: (.info, .request)
    case .shared, .redirected, .retrying, .credentialsRefreshed: (.info, .request)
    case .head, .body, .answered: (.verbose, .response)
    default: (.verbose, .request)
    }
  }

  private static func line(_ event: NetworkEvent) -> String {
    let start = "\(event.call)\(event.request.map { " \($0)" } ?? "")"
    let time = String(format: "%.3f s", event.elapsed / .seconds(1))
    let attempts = event.attempt == 1 ? "1 attempt" : "\(event.attempt) attempts"
    switch event.kind {
    case .finished(let status, let metrics):
      return
        "\(start): finished with \(status) after \(attempts), \(time), \(metrics.bytesSent) bytes sent, \(metrics.bytesReceived) received"
    case .failed(let failure):
      let code = failure.code.map { " (\($0))" } ?? ""
      return "\(start): failed\(code) after \(attempts), \(time): \(failure)"
    case .cancelled: return "\(start): cancelled after \(attempts), \(time)"
    default: return event.description
    }
  }
}
