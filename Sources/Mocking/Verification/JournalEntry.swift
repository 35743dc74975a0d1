import Networking

/// What a ``RequestJournal`` remembers of one request.
public struct JournalEntry: Sendable, Hashable {
  /// What has come of a request.
  public enum Outcome: Sendable, Hashable {
    /// It was answered by a response of this status, of which at least the head has been given.
    case response(status: Int)
    /// It came to nothing: by a mock, for want of one, or because it was cancelled or timed out.
    case failure(NetworkError.Code)
    /// It went on to the real network, or to a fallback.
    case passedOn
  }

  /// Which request it is, counted from 1 and on beyond those forgotten.
  public let number: Int
  /// The request; each attempt and each redirect of a call is one of its own.
  ///
  /// Its body is empty where it was not kept, while ``ReceivedRequest/bodyByteCount`` says how much there
  /// was.
  public let request: ReceivedRequest
  /// The route that answered, described by its method, its template and its conditions.
  ///
  /// Nil where no route did: there was none, or the answer came from a provider's closure.
  public let stub: String?
  /// What has come of it; nil while it is under way.
  public let outcome: Outcome?
}

extension JournalEntry: CustomStringConvertible {
  /// Number, method, target, outcome and stub in one line, without secrets.
  public var description: String {
    let outcome =
      switch outcome {
      case .response(let status): "answered \(status)"
      case .failure(let code): "failed: \(code)"
      case .passedOn: "passed on"
      case nil: "under way"
      }
    let stub = stub.map { " by \($0)" } ?? ""
    return "\(number). \(request.summary), \(ReportText.bounded(outcome + stub))"
  }
}

extension ReceivedRequest {
  /// Method and target in one line, without secrets.
  var summary: String {
    "\(ReportText.bounded(method.rawValue)) \(ReportText.bounded(Redaction.url(target)))"
  }
}
