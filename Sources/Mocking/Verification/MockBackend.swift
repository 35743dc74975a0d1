/// What stands in for a backend and can be asked what it was asked: a ``MockProvider``, a
/// ``MockTransport`` or a ``MockServer``.
///
/// ```swift
/// try provider.verify(.post, "boards", .exactly(2))
/// try provider.verifyOrder(.post("login"), .get("boards"))
/// try provider.verifyNothingElse()
/// ```
///
/// Each verification is there twice: as a method that throws a ``VerificationFailure``, and as a value that
/// is nil when all is well, which tests assert on, so that their framework names their own line.
public protocol MockBackend: Sendable {
  /// What it has been asked.
  var journal: RequestJournal { get }
  /// The states of its scenarios.
  var scenarios: ScenarioStates { get }
}
