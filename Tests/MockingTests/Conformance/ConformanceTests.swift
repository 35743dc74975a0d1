#if os(Linux)
  import Testing

  /// The conformance of every transport to the same behaviours.
  ///
  /// Exceptions are listed in ``KnownFailure``; a listed behaviour that passes fails the test.
  @Suite(.serialized, .timeLimit(.minutes(10)))
  struct ConformanceTests {
    @Test(arguments: BehaviourCase.of(Behaviour.methods))
    func methods(_ example: BehaviourCase) async throws { try await example.run() }

    @Test(arguments: BehaviourCase.of(Behaviour.targets))
    func targets(_ example: BehaviourCase) async throws { try await example.run() }

    @Test(arguments: BehaviourCase.of(Behaviour.statuses))
    func statuses(_ example: BehaviourCase) async throws { try await example.run() }

    @Test(arguments: BehaviourCase.of(Behaviour.interimResponses))
    func interimResponses(_ example: BehaviourCase) async throws { try await example.run() }

    @Test(arguments: BehaviourCase.of(Behaviour.responseHeaders))
    func responseHeaders(_ example: BehaviourCase) async throws { try await example.run() }

    @Test(arguments: BehaviourCase.of(Behaviour.requestHeaders))
    func requestHeaders(_ example: BehaviourCase) async throws { try await example.run() }

    @Test(arguments: BehaviourCase.of(Behaviour.responseBodies))
    func responseBodies(_ example: BehaviourCase) async throws { try await example.run() }

    @Test(arguments: BehaviourCase.of(Behaviour.largeBodies))
    func largeBodies(_ example: BehaviourCase) async throws { try await example.run() }

    @Test(arguments: BehaviourCase.of(Behaviour.contentCodings))
    func contentCodings(_ example: BehaviourCase) async throws { try await example.run() }

    @Test(arguments: BehaviourCase.of(Behaviour.requestBodies))
    func requestBodies(_ example: BehaviourCase) async throws { try await example.run() }

    @Test(arguments: BehaviourCase.of(Behaviour.redirectRules))
    func redirectRules(_ example: BehaviourCase) async throws { try await example.run() }

    @Test(arguments: BehaviourCase.of(Behaviour.redirectTargets))
    func redirectTargets(_ example: BehaviourCase) async throws { try await example.run() }

    @Test(arguments: BehaviourCase.of(Behaviour.redirectPolicies))
    func redirectPolicies(_ example: BehaviourCase) async throws { try await example.run() }

    @Test(arguments: BehaviourCase.of(Behaviour.cookies))
    func cookies(_ example: BehaviourCase) async throws { try await example.run() }

    @Test(arguments: BehaviourCase.of(Behaviour.deadlines))
    func deadlines(_ example: BehaviourCase) async throws { try await example.run() }

    @Test(arguments: BehaviourCase.of(Behaviour.connecting))
    func connecting(_ example: BehaviourCase) async throws { try await example.run() }

    @Test(arguments: BehaviourCase.of(Behaviour.truncations))
    func truncations(_ example: BehaviourCase) async throws { try await example.run() }

    @Test(arguments: BehaviourCase.of(Behaviour.malformedResponses))
    func malformedResponses(_ example: BehaviourCase) async throws { try await example.run() }

    @Test(arguments: BehaviourCase.of(Behaviour.cancellation))
    func cancellation(_ example: BehaviourCase) async throws { try await example.run() }

    @Test(arguments: BehaviourCase.of(Behaviour.flowControl))
    func flowControl(_ example: BehaviourCase) async throws { try await example.run() }

    @Test(arguments: BehaviourCase.of(Behaviour.connections))
    func connections(_ example: BehaviourCase) async throws { try await example.run() }
  }

  @Suite
  struct KnownFailureTests {
    @Test func everyBehaviourHasANameOfItsOwn() {
      let names = Behaviour.all.map(\.name)
      #expect(Set(names).count == names.count)
    }

    @Test func everyLimitIsOfABehaviourThatThereIs() {
      let names = Set(Behaviour.all.map(\.name))
      for known in KnownFailure.all {
        #expect(names.contains(known.behaviour), "\(known.behaviour) is not a behaviour")
      }
    }

    @Test func noLimitIsListedTwice() {
      #expect(Set(KnownFailure.all.map { "\($0.kind) \($0.behaviour)" }).count == KnownFailure.all.count)
    }
  }
#endif
