#if os(Linux)
  /// A behaviour that a subject is known not to show.
  ///
  /// A test of it fails when the subject shows it after all: then it is to be taken off the list.
  struct Limit: Sendable {
    let subject: Subject
    /// The name of the behaviour.
    let behaviour: String
    let reason: String
    /// Whether it must not even be tried.
    let isNotRun: Bool

    init(_ subject: Subject, _ behaviour: String, _ reason: String, isNotRun: Bool = false) {
      self.subject = subject
      self.behaviour = behaviour
      self.reason = reason
      self.isNotRun = isNotRun
    }

    static let all = curl + urlSession + mock

    static func of(_ subject: Subject, _ behaviour: Behaviour) -> Limit? {
      all.first { $0.subject == subject && $0.behaviour == behaviour.name }
    }
  }
#endif
