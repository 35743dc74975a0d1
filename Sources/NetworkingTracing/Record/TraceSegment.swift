/// A part of a span, with one reason for the time that passes.
public struct TraceSegment: Sendable, Hashable {
  /// The reason for the time that passes.
  ///
  /// Later versions may add kinds, so a `switch` over them should have a `default`.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// Waiting in the queue of the client.
    case queue
    /// Waiting for a network.
    case offline
    /// Resolving the host name.
    case dns
    /// Connecting.
    case connect
    /// The TLS handshake.
    case tls
    /// Sending the request.
    case send
    /// Waiting for the first byte of the response.
    case server
    /// Receiving the response.
    case receive
    /// The delay before another attempt.
    case retryDelay
    /// Waiting for refreshed credentials.
    case refresh
    /// Reading from the HTTP cache.
    case cache
    /// Decoding a response.
    case decode
    /// Waiting for the main thread.
    case mainThread
    /// Waiting for an actor or a queue.
    case actor
    /// Waiting for a background thread.
    case background
    /// Running code.
    case code
    /// Waiting for a timer.
    case timer
    /// Time that the trace cannot explain.
    case unknown
  }

  /// The reason for the time that passes.
  public var kind: Kind
  /// The start of the segment.
  public var start: Duration
  /// The end of the segment.
  public var end: Duration
  /// The identifier of the span that this segment waited for.
  ///
  /// It is the call that freed the place in the queue, began the refresh, or sent the shared request.
  public var heldBy: Int?
  /// A word that completes the kind, such as `.limited(4)` for a queue, or the name of an actor.
  public var detail: String?
  /// The number of the attempt of the call, or 0.
  public var attempt: Int
  /// The number of the hop in its attempt, or 0.
  public var hop: Int

  /// Creates a segment.
  ///
  /// - Parameters:
  ///   - kind: The reason for the time that passes.
  ///   - start: The start.
  ///   - end: The end.
  ///   - heldBy: The identifier of the span that this segment waited for.
  ///   - detail: A word that completes the kind.
  ///   - attempt: The number of the attempt.
  ///   - hop: The number of the hop in its attempt.
  public init(
    _ kind: Kind, from start: Duration, to end: Duration, heldBy: Int? = nil,
    detail: String? = nil, attempt: Int = 0, hop: Int = 0
  ) {
    self.kind = kind
    self.start = start
    self.end = end
    self.heldBy = heldBy
    self.detail = detail
    self.attempt = attempt
    self.hop = hop
  }

  /// The duration of the segment.
  public var duration: Duration { end - start }
}

extension TraceSegment.Kind {
  /// The words for the kind in a sentence.
  var words: String {
    switch self {
    case .dns: "DNS"
    case .tls: "TLS"
    case .retryDelay: "retry delay"
    case .mainThread: "main thread"
    case .background: "background thread"
    default: rawValue
    }
  }

  /// The character of the kind in a waterfall of ASCII characters.
  var mark: Character {
    switch self {
    case .queue: "."
    case .offline: "o"
    case .dns: "d"
    case .connect: "c"
    case .tls: "t"
    case .send: ">"
    case .server: "="
    case .receive: "<"
    case .retryDelay: "r"
    case .refresh: "f"
    case .cache: "h"
    case .decode: "j"
    case .mainThread: "m"
    case .actor: "a"
    case .background: "b"
    case .code: "#"
    case .timer: "z"
    case .unknown: "?"
    }
  }
}

extension TraceSegment {
  /// The words for the segment, such as `queue behind .limited(4)`.
  var words: String {
    guard let detail, !detail.isEmpty else { return kind.words }
    return kind == .queue ? "queue behind \(detail)" : "\(kind.words) \(detail)"
  }
}
