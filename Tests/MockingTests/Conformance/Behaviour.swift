#if os(Linux)
  import Testing

  /// Something that is to be the same for all subjects: a claim, and how it is shown.
  struct Behaviour: Sendable {
    /// The claim; its name in the whole suite.
    let name: String
    let check: @Sendable (_ subject: Subject) async throws -> Void

    init(_ name: String, _ check: @escaping @Sendable (_ subject: Subject) async throws -> Void) {
      self.name = name
      self.check = check
    }

    /// Every topic of the suite.
    static let all: [Behaviour] = [
      methods, targets, statuses, interimResponses, responseHeaders, requestHeaders, responseBodies,
      largeBodies, contentCodings, requestBodies, redirectRules, redirectTargets, redirectPolicies,
      cookies, deadlines, connecting, truncations, malformedResponses, cancellation, flowControl,
      connections,
    ].flatMap { $0 }
  }

  /// A behaviour shown by a subject.
  struct Showing: Sendable, CustomTestStringConvertible {
    let behaviour: Behaviour
    let subject: Subject

    /// All that may be run of some behaviours.
    static func of(_ behaviours: [Behaviour]) -> [Showing] {
      behaviours.flatMap { behaviour in
        Subject.allCases.map { Showing(behaviour: behaviour, subject: $0) }
      }.filter { Limit.of($0.subject, $0.behaviour)?.isNotRun != true }
    }

    var testDescription: String { "\(subject.rawValue): \(behaviour.name)" }

    /// Shows it; what is known not to be so must not be so.
    func run() async throws {
      guard let limit = Limit.of(subject, behaviour) else {
        return try await behaviour.check(subject)
      }
      await withKnownIssue("\(limit.reason)") {
        try await behaviour.check(subject)
      }
    }
  }
#endif
