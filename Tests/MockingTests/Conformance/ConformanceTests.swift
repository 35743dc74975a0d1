#if os(Linux) || os(macOS)
  import TestGate
  import Testing

  /// The conformance of every transport to the same behaviours.
  ///
  /// Exceptions are listed in ``KnownFailure``; a listed behaviour that passes fails the test.
  @Suite(.serialized, .gated)
  struct ConformanceTests {
    @Test(arguments: BehaviourCase.of(Behaviour.methods))
    func methodsConform(_ example: BehaviourCase) async throws { try await example.run() }

    @Test(arguments: BehaviourCase.of(Behaviour.targets))
    func targetsConform(_ example: BehaviourCase) async throws { try await example.run() }

    @Test(arguments: BehaviourCase.of(Behaviour.statuses))
    func statusesConform(_ example: BehaviourCase) async throws { try await example.run() }

    @Test(arguments: BehaviourCase.of(Behaviour.interimResponses))
    func interimResponsesConform(_ example: BehaviourCase) async throws { try await example.run() }

    @Test(arguments: BehaviourCase.of(Behaviour.responseHeaders))
    func responseHeadersConform(_ example: BehaviourCase) async throws { try await example.run() }

    @Test(arguments: BehaviourCase.of(Behaviour.requestHeaders))
    func requestHeadersConform(_ example: BehaviourCase) async throws { try await example.run() }

    @Test(arguments: BehaviourCase.of(Behaviour.responseBodies))
    func responseBodiesConform(_ example: BehaviourCase) async throws { try await example.run() }

    @Test(arguments: BehaviourCase.of(Behaviour.largeBodies))
    func largeBodiesConform(_ example: BehaviourCase) async throws { try await example.run() }

    @Test(arguments: BehaviourCase.of(Behaviour.contentCodings))
    func contentCodingsConform(_ example: BehaviourCase) async throws { try await example.run() }

    @Test(arguments: BehaviourCase.of(Behaviour.requestBodies))
    func requestBodiesConform(_ example: BehaviourCase) async throws { try await example.run() }

    @Test(arguments: BehaviourCase.of(Behaviour.redirectRules))
    func redirectRulesConform(_ example: BehaviourCase) async throws { try await example.run() }

    @Test(arguments: BehaviourCase.of(Behaviour.redirectTargets))
    func redirectTargetsConform(_ example: BehaviourCase) async throws { try await example.run() }

    @Test(arguments: BehaviourCase.of(Behaviour.redirectPolicies))
    func redirectPoliciesConform(_ example: BehaviourCase) async throws { try await example.run() }

    @Test(arguments: BehaviourCase.of(Behaviour.cookies))
    func cookiesConform(_ example: BehaviourCase) async throws { try await example.run() }

    @Test(arguments: BehaviourCase.of(Behaviour.deadlines))
    func deadlinesConform(_ example: BehaviourCase) async throws { try await example.run() }

    @Test(arguments: BehaviourCase.of(Behaviour.connecting))
    func connectingConforms(_ example: BehaviourCase) async throws { try await example.run() }

    @Test(arguments: BehaviourCase.of(Behaviour.truncations))
    func truncationsConform(_ example: BehaviourCase) async throws { try await example.run() }

    @Test(arguments: BehaviourCase.of(Behaviour.malformedResponses))
    func malformedResponsesConform(_ example: BehaviourCase) async throws {
      try await example.run()
    }

    @Test(arguments: BehaviourCase.of(Behaviour.cancellation))
    func cancellationConforms(_ example: BehaviourCase) async throws { try await example.run() }

    @Test(arguments: BehaviourCase.of(Behaviour.flowControl))
    func flowControlConforms(_ example: BehaviourCase) async throws { try await example.run() }

    @Test(arguments: BehaviourCase.of(Behaviour.connections))
    func connectionsConform(_ example: BehaviourCase) async throws { try await example.run() }

    @Test(arguments: BehaviourCase.of(Behaviour.hostileHeads))
    func hostileHeadsDoNoHarm(_ example: BehaviourCase) async throws { try await example.run() }

    @Test(arguments: BehaviourCase.of(Behaviour.hostileFraming))
    func hostileFramingDoesNoHarm(_ example: BehaviourCase) async throws { try await example.run() }

    @Test(arguments: BehaviourCase.of(Behaviour.hostileCodings))
    func hostileCodingsDoNoHarm(_ example: BehaviourCase) async throws { try await example.run() }

    @Test(arguments: BehaviourCase.of(Behaviour.hostileConnections))
    func hostileConnectionsDoNoHarm(_ example: BehaviourCase) async throws {
      try await example.run()
    }

    @Test(arguments: BehaviourCase.of(Behaviour.hostileRedirects))
    func hostileRedirectsDoNoHarm(_ example: BehaviourCase) async throws { try await example.run() }
  }

  @Suite(.gated)
  struct KnownFailureTests {
    @Test func behaviourNamesAreUnique() {
      let names = Behaviour.all.map(\.name)
      #expect(Set(names).count == names.count)
    }

    @Test func everyKnownFailureNamesABehaviour() {
      let names = Set(Behaviour.all.map(\.name))
      for known in KnownFailure.all {
        #expect(names.contains(known.behaviour), "\(known.behaviour) is not a behaviour")
      }
    }

    @Test func knownFailuresAreUnique() {
      #expect(
        Set(KnownFailure.all.map { "\($0.kind) \($0.behaviour)" }).count == KnownFailure.all.count)
    }
  }
#endif
