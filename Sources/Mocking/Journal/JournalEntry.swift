public import Networking

/// One request in a ``RequestJournal``.
public struct JournalEntry: Sendable, Hashable {
  /// The outcome of a request.
  public enum Outcome: Sendable, Hashable {
    /// A response with this status.
    ///
    /// A ``MockServer`` sets it when the handler has returned, before any delay. In memory it is
    /// set when the head is delivered.
    case response(status: Int)
    /// A failure: the mock failed it, no route matched, or it was cancelled or timed out.
    case failure(NetworkError.Code)
    /// The mock failed it with an error that is no `NetworkError`. The value is the name of the
    /// error's type.
    case error(type: String)
    /// The request was passed to the real network, or to a fallback.
    case passedThrough
  }

  /// The number of the request, from 1.
  ///
  /// Discarded requests are counted too.
  public let number: Int
  /// The request.
  ///
  /// Each attempt and each redirect of a call is a separate request. The body is empty if it was
  /// not kept; ``ReceivedRequest/bodyByteCount`` is its original size.
  public let request: ReceivedRequest
  /// The description of the route that responded: its method, its template and its conditions.
  ///
  /// `nil` if no route matched, or if the response came from a provider's closure or from
  /// `enqueue(_:)`.
  public let stub: String?
  /// The identifier of the route that responded, as in ``MockRoutes``.
  ///
  /// The route may have been replaced or removed since then.
  public let route: RouteID?
  /// The outcome, or `nil` while the request is in progress.
  public let outcome: Outcome?

  /// Whether the body of ``request`` is the one that was received.
  ///
  /// `false` if the body was removed because of ``JournalLimits``, or was not recorded, as that of a
  /// route that discards bodies. `true` for a request without a body.
  public var isBodyKept: Bool { !request.body.isEmpty || request.bodyByteCount == 0 }
}

extension JournalEntry: CustomStringConvertible {
  /// The number, method, target, outcome and stub on one line, with secrets masked, and whether the
  /// body is missing.
  public var description: String {
    let outcome =
      switch outcome {
      case .response(let status): "status \(status)"
      case .failure(let code): "failed: \(code)"
      case .error(let type): "failed: \(type)"
      case .passedThrough: "passed through"
      case nil: "in progress"
      }
    let stub = stub.map { ", stub \($0)" } ?? ""
    let body = isBodyKept ? "" : ", body not kept"
    return "\(number). \(request.summary), \(ReportFormatter.bounded(outcome + stub))\(body)"
  }
}

extension Mock.Failure {
  /// The outcome of a request that failed with it.
  var outcome: JournalEntry.Outcome { .init(TransportFailure(self)) }
}

extension JournalEntry.Outcome {
  /// Creates the outcome of a request that failed.
  init(_ failure: TransportFailure) {
    switch failure.rejection {
    case nil, is NetworkError: self = .failure(failure.code)
    case let error?: self = .error(type: "\(type(of: error))")
    }
  }
}

extension ReceivedRequest {
  /// The method and the target on one line, with secrets masked.
  var summary: String {
    "\(ReportFormatter.bounded(method.rawValue)) \(ReportFormatter.bounded(Redactor.standard.maskedURL(target)))"
  }
}

/// A reporter of the outcome of one recorded request to its journal.
struct OutcomeReporter: Sendable {
  let journal: RequestJournal
  /// The number of the request, from 0.
  let number: Int
  /// The generation of the journal, which changes with a reset.
  ///
  /// After a reset, the same number refers to a different request.
  let generation: Int
  /// The number of the route that responds, or `nil` if there is none.
  let route: Int?

  /// The storage of the response, or `nil` if the journal does not keep it.
  var exchange: JournalExchange?

  func report(_ outcome: JournalEntry.Outcome) {
    journal.report(outcome, of: number, generation: generation)
  }

  /// Reports that the response is known, and is sent after a delay.
  func responds(at time: Duration, after delay: Duration) {
    guard let exchange else { return }
    exchange.responds(at: time, after: delay)
    journal.notify(.changed(number, generation: generation))
  }

  /// Reports the end of the exchange.
  func ended(_ response: JournalExchange.Response, at time: Duration) {
    guard let exchange else { return }
    exchange.ended(response, at: time)
    if !journal.keepsBody(response.body.count, of: number, generation: generation) {
      exchange.removeBody()
    }
    journal.notify(.changed(number, generation: generation))
  }

  /// Returns a receiver that reports the head or the failure to the journal, and then calls
  /// `receive`.
  func reportingOutcome(
    to receive: @escaping @Sendable (TransportEvent) -> Void
  ) -> @Sendable (TransportEvent) -> Void {
    { event in
      switch event {
      case .head(let head): report(.response(status: head.status))
      case .failure(let failure): report(JournalEntry.Outcome(failure))
      case .connected, .servedLocally, .sent, .body, .trailers, .end: break
      }
      receive(event)
    }
  }
}
