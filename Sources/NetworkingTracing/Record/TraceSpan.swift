/// A part of a trace: a call, or code between calls.
public struct TraceSpan: Sendable, Hashable {
  /// The kind of a span.
  public enum Kind: Sendable, Hashable {
    /// A call of a client, with its attempts and hops.
    case call(TraceCall)
    /// A step of a promise, or the code of a task after an `await`.
    ///
    /// The span starts when the step is enqueued. It has waited for its context until `started`,
    /// which is `nil` while it waits.
    case handler(HandlerContext, started: Duration?)
    /// A timer, such as a delay.
    case timer
    /// The decoding of a response.
    case decoding
    /// Other code.
    case code
  }

  /// The place where a handler runs.
  public enum HandlerContext: Sendable, Hashable {
    /// The main thread, or the main actor.
    case mainThread
    /// An actor or a queue with this name.
    case actor(String)
    /// Any other thread.
    case background
  }

  /// The work that a span had to wait for before it began.
  public enum Cause: Sendable, Hashable {
    /// The start of the trace: the span began in the traced code itself.
    case beginning
    /// The span whose end let this one begin, or whose code began it.
    case span(Int)
    /// Code that the trace cannot follow, such as a block on a queue of Dispatch.
    ///
    /// The identifier is that of the last span before this code, if it is known.
    case unknown(after: Int?)
  }

  /// The end of a span.
  public enum Outcome: Sendable, Hashable {
    /// The span has not ended.
    case running
    /// The span has succeeded.
    case succeeded
    /// The span has failed, for a reason without secrets.
    case failed(String)
    /// The span was cancelled.
    case cancelled
  }

  /// The value of an attribute.
  public enum Value: Sendable, Hashable, CustomStringConvertible {
    /// A text without secrets.
    case text(String)
    /// A number, such as the status of a response.
    case number(Int)

    /// The text, or the digits of the number.
    public var description: String {
      switch self {
      case .text(let text): text
      case .number(let number): "\(number)"
      }
    }
  }

  /// The identifier, unique within the trace, ascending by ``start``.
  public var id: Int
  /// The kind of the span.
  public var kind: Kind
  /// The name, such as `GET boards/{id}` or `then`.
  public var name: String
  /// The place in the source code, such as `Board.swift:12`, or `nil` if it is unknown.
  public var site: String?
  /// The start of the span.
  public var start: Duration
  /// The end of the span, or `nil` while it is running.
  public var end: Duration?
  /// The work that the span had to wait for.
  ///
  /// It has a lower identifier.
  public var cause: Cause
  /// Other spans that also had to end first, such as the members of a `when` that settled earlier.
  public var joined: [Int]
  /// The parts of the span in the order of their start.
  ///
  /// The forms fill gaps: as code in a handler or other code, as an unknown time in a call. Without
  /// parts, a handler has its wait for its context, and its code.
  public var parts: [TraceSegment]
  /// The end of the span.
  public var outcome: Outcome
  /// Further values by name, without secrets.
  public var attributes: [String: Value]

  /// Creates a span.
  ///
  /// - Parameters:
  ///   - id: The identifier.
  ///   - kind: The kind.
  ///   - name: The name.
  ///   - site: The place in the source code.
  ///   - start: The start.
  ///   - end: The end, or `nil` while the span is running.
  ///   - cause: The work that the span had to wait for.
  ///   - joined: Other spans that also had to end first.
  ///   - parts: The parts in the order of their start.
  ///   - outcome: The end of the span.
  ///   - attributes: Further values by name.
  public init(
    id: Int, kind: Kind, name: String, site: String? = nil, start: Duration, end: Duration?,
    cause: Cause = .beginning, joined: [Int] = [], parts: [TraceSegment] = [],
    outcome: Outcome = .succeeded, attributes: [String: Value] = [:]
  ) {
    self.id = id
    self.kind = kind
    self.name = name
    self.site = site
    self.start = start
    self.end = end
    self.cause = cause
    self.joined = joined
    self.parts = parts
    self.outcome = outcome
    self.attributes = attributes
  }
}

extension TraceSpan {
  /// The name without the values of a path, if these are known.
  ///
  /// It is the same for all calls of an endpoint.
  var groupName: String {
    guard case .call(let call) = kind, let hop = call.hops.first, let template = hop.template else {
      return name
    }
    return "\(hop.method) \(template)"
  }
}

extension TraceSpan.Cause {
  /// The identifier of the span, if the cause is known.
  var span: Int? { if case .span(let id) = self { id } else { nil } }
}

extension TraceSpan.HandlerContext {
  /// The kind of the wait for this context.
  var wait: TraceSegment.Kind {
    switch self {
    case .mainThread: .mainThread
    case .actor: .actor
    case .background: .background
    }
  }

  /// The name of the actor, if there is one.
  var name: String? { if case .actor(let name) = self { name } else { nil } }
}

extension TraceSpan.Kind {
  /// A word for the kind, such as `call`.
  var word: String {
    switch self {
    case .call: "call"
    case .handler: "handler"
    case .timer: "timer"
    case .decoding: "decoding"
    case .code: "code"
    }
  }

  /// The kind of the time of a span that no part covers.
  var rest: TraceSegment.Kind {
    switch self {
    case .call: .unknown
    case .handler, .code: .code
    case .timer: .timer
    case .decoding: .decode
    }
  }
}
