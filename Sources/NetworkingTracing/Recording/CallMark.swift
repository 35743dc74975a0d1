import Networking

/// An event of a call, without the parts that a trace does not need.
struct CallMark: Sendable {
  enum Kind: Sendable {
    case queued
    case started
    case shared(with: NetworkEvent.CallID?)
    case waiting(NetworkEvent.Wait)
    case sending
    case resolved
    case connected(address: String?, port: Int?)
    case secured
    case servedLocally(by: String)
    case servedFromCache
    case requestSent
    case head(status: Int, version: String)
    case body
    case redirected
    case challenged
    case retrying(code: String?)
    case credentialsRefreshed
    case finished(status: Int)
    case failed(reason: String, code: String?)
    case cancelled
  }

  let kind: Kind
  /// The time since the start of the trace's clock.
  let time: Duration
  private let context: NetworkEvent.Context
  /// The step that has let the event happen.
  var cause: Int?
  /// The identifier that the hop sends.
  var spanID: SpanID?
  /// Whether events before this one were not recorded.
  var isAfterGap = false

  /// Creates a mark, or returns `nil` for an event that no segment begins or ends with.
  init?(_ event: borrowing NetworkEvent, start: Duration) {
    switch event.kind {
    case .queued: kind = .queued
    case .started: kind = .started
    case .shared(let call): kind = .shared(with: call)
    case .waiting(let wait): kind = .waiting(wait)
    case .sending: kind = .sending
    case .resolved: kind = .resolved
    case .connected(let connection):
      kind = .connected(address: connection.address, port: connection.port)
    case .secured: kind = .secured
    case .servedLocally(let name): kind = .servedLocally(by: name)
    case .servedFromCache: kind = .servedFromCache
    case .requestSent: kind = .requestSent
    case .head(let head): kind = .head(status: head.status, version: head.version)
    case .progress: return nil
    case .body: kind = .body
    case .redirected: kind = .redirected
    case .challenged: kind = .challenged
    case .retrying(_, let failure, _): kind = .retrying(code: failure.code?.errorType)
    case .credentialsRefreshed: kind = .credentialsRefreshed
    case .finished(let status, _): kind = .finished(status: status)
    case .failed(let failure):
      kind = .failed(reason: failure.description, code: failure.code?.errorType)
    case .cancelled: kind = .cancelled
    }
    time = start + event.elapsed
    context = event.context
  }

  var attempt: Int { context.attempt }
  var hop: Int { context.hop }
  /// The request, whose secrets are masked by the first reader.
  var request: NetworkError.RequestSummary? { context.summary }

  var isFinal: Bool {
    switch kind {
    case .finished, .failed, .cancelled: true
    default: false
    }
  }

  /// The end of a trace that has this call only.
  ///
  /// `nil` for an event that does not end a call.
  var ending: TraceRecord.Ending? {
    switch kind {
    case .finished: .finished
    case .failed(let reason, let code): .failed(code ?? reason)
    case .cancelled: .cancelled
    default: nil
    }
  }

  /// The kind of the time from the mark before to this one.
  func segment(after previous: CallMark) -> TraceSegment.Kind {
    if isAfterGap { return .unknown }
    switch previous.kind {
    case .queued: return .queue
    case .waiting(.network): return .offline
    case .waiting(.refresh): return .refresh
    case .retrying: return .retryDelay
    case .shared: return .server
    default: break
    }
    switch kind {
    case .credentialsRefreshed: return .refresh
    case .servedFromCache: return .cache
    case .resolved: return .dns
    case .connected: return .connect
    case .secured: return .tls
    case .requestSent: return .send
    case .head: return .server
    case .body: return .receive
    case .failed, .cancelled, .finished: return previous.unfinished
    case .retrying: return previous.unfinished
    default: return .code
    }
  }

  /// The kind of the time after this mark, if the hop fails in it.
  private var unfinished: TraceSegment.Kind {
    switch kind {
    case .sending: .connect
    case .resolved: .connect
    case .connected, .secured: .send
    case .requestSent, .servedLocally: .server
    case .head: .receive
    default: .code
    }
  }
}
