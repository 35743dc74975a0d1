import Promises

extension NetworkEvent: CustomStringConvertible {
  /// One line without secrets, such as `#17 GET https://api.example.com/v1/boards: head 200`.
  public var description: String { "\(context): \(kind)" }
}

extension NetworkEvent.Context: BrieflyDescribed {
  /// The call and its request, without secrets: `#17 GET https://api.example.com/v1/boards`.
  package var description: String { "\(call)\(summary.map { " \($0)" } ?? "")" }
}

extension NetworkEvent.Kind: CustomStringConvertible {
  /// A short text without secrets.
  ///
  /// It contains no header fields.
  public var description: String {
    switch self {
    case .queued: "queued"
    case .started: "started"
    case .shared(let call): "shared\(call.map { " with \($0)" } ?? "")"
    case .waiting(let wait): "waiting for the \(wait)"
    case .sending(_, 0): "sending"
    case .sending(_, let size): "sending \(size.map { "\($0) bytes" } ?? "a body of unknown size")"
    case .resolved: "resolved"
    case .connected(let connection): "connected\(connection)"
    case .secured: "secured"
    case .servedLocally(let name): "served by \(name)"
    case .servedFromCache(.cache): "served from the cache"
    case .servedFromCache(let source): "served from the cache: \(source)"
    case .requestSent(let bytes): "request sent\(bytes > 0 ? ", \(bytes) bytes" : "")"
    case .head(let head): "head \(head.status)"
    case .progress(let progress): "progress: sent \(progress.sent), received \(progress.received)"
    case .body(let bytes): "body of \(bytes) bytes"
    case .redirected(let url): "redirected to \(url)"
    case .retrying(let pause, let failure, let attempt):
      "retrying in \(pause.rounded) (attempt \(attempt)): \(failure)"
    case .challenged: "challenge answered"
    case .credentialsRefreshed: "credentials refreshed"
    case .finished(let status, _): "finished with \(status)"
    case .failed(let failure): "failed: \(failure)"
    case .cancelled: "cancelled"
    }
  }
}

extension DefaultStringInterpolation {
  fileprivate mutating func appendInterpolation(_ connection: NetworkEvent.Connection) {
    if let address = connection.address {
      let isIPv6 = address.contains(":")
      appendLiteral(isIPv6 ? " to [\(address)]" : " to \(address)")
      if let port = connection.port { appendLiteral(":\(port)") }
    }
    if connection.isReused { appendLiteral(", reused") }
  }

  fileprivate mutating func appendInterpolation(_ amount: TransferProgress.Amount) {
    appendLiteral("\(amount.bytes)\(amount.total.map { " of \($0)" } ?? "")")
  }
}
