#if os(Linux) || os(macOS)
  import Foundation
  import Testing

  /// A claim about every transport, with a check of the claim.
  struct Behaviour: Sendable {
    /// The claim, which identifies the behaviour.
    let name: String
    /// The kinds of transports that the claim is about.
    let kinds: [TransportKind]
    let check: @Sendable (_ kind: TransportKind) async throws -> Void

    init(
      _ name: String, kinds: [TransportKind] = TransportKind.allCases,
      _ check: @escaping @Sendable (_ kind: TransportKind) async throws -> Void
    ) {
      self.name = name
      self.kinds = kinds
      self.check = check
    }

    /// The behaviours of all topics.
    static let all: [Behaviour] = [
      methods, targets, statuses, interimResponses, responseHeaders, requestHeaders, responseBodies,
      largeBodies, contentCodings, requestBodies, redirectRules, redirectTargets, redirectPolicies,
      cookies, deadlines, connecting, truncations, malformedResponses, cancellation, flowControl,
      connections, hostileHeads, hostileFraming, hostileCodings, hostileConnections,
      hostileRedirects,
    ].flatMap { $0 }
  }

  /// A behaviour checked with one kind of transport.
  struct BehaviourCase: Sendable, CustomTestStringConvertible {
    let behaviour: Behaviour
    let kind: TransportKind

    /// Returns the cases of some behaviours, without those that must not run.
    static func of(_ behaviours: [Behaviour]) -> [BehaviourCase] {
      behaviours.flatMap { behaviour in
        behaviour.kinds.filter(TransportKind.allCases.contains)
          .map { BehaviourCase(behaviour: behaviour, kind: $0) }
      }.filter { KnownFailure.of($0.kind, $0.behaviour)?.isNotRun != true }
    }

    var testDescription: String { "\(kind.rawValue): \(behaviour.name)" }

    /// Checks the behaviour; a known failure must fail.
    func run() async throws {
      guard let known = KnownFailure.of(kind, behaviour) else {
        return try await behaviour.check(kind)
      }
      // The known failures are those of Foundation on Linux.
      #if os(Linux)
        let isIntermittent = false
      #else
        let isIntermittent = kind == .urlSession
      #endif
      await withKnownIssue("\(known.reason)", isIntermittent: isIntermittent) {
        try await behaviour.check(kind)
      }
    }
  }

  /// A behaviour that a kind of transport is known not to support.
  ///
  /// Its test fails when the transport supports the behaviour, so that the entry is removed.
  struct KnownFailure: Sendable {
    let kind: TransportKind
    /// The name of the behaviour.
    let behaviour: String
    let reason: String
    /// Whether the check must not run, for example because it would crash.
    let isNotRun: Bool

    init(_ kind: TransportKind, _ behaviour: String, _ reason: String, isNotRun: Bool = false) {
      self.kind = kind
      self.behaviour = behaviour
      self.reason = reason
      self.isNotRun = isNotRun
    }

    static let all = urlSession + hostile + mock

    static func of(_ kind: TransportKind, _ behaviour: Behaviour) -> KnownFailure? {
      all.first { $0.kind == kind && $0.behaviour == behaviour.name }
    }
  }

  /// The transports under test.
  enum TransportKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    /// `CurlTransport`, over a loopback socket.
    case curl
    /// `URLSessionTransport`, over a loopback socket.
    case urlSession
    /// `MockTransport`, in memory.
    case mock

    /// The transports of this platform.
    static var allCases: [TransportKind] {
      #if os(Linux)
        [.curl, .urlSession, .mock]
      #else
        [.urlSession, .mock]
      #endif
    }

    var testDescription: String { rawValue }
  }
#endif
