#if os(Linux)
  import Testing

  /// The same behaviours by every transport, from one description of a backend.
  ///
  /// What is known to be otherwise is listed by ``Limit``; a test fails when it is so no more.
  @Suite(.serialized, .timeLimit(.minutes(10)))
  struct ConformanceTests {
    @Test(arguments: Showing.of(Behaviour.methods))
    func methods(_ showing: Showing) async throws { try await showing.run() }

    @Test(arguments: Showing.of(Behaviour.targets))
    func targets(_ showing: Showing) async throws { try await showing.run() }

    @Test(arguments: Showing.of(Behaviour.statuses))
    func statuses(_ showing: Showing) async throws { try await showing.run() }

    @Test(arguments: Showing.of(Behaviour.interimResponses))
    func interimResponses(_ showing: Showing) async throws { try await showing.run() }

    @Test(arguments: Showing.of(Behaviour.responseHeaders))
    func responseHeaders(_ showing: Showing) async throws { try await showing.run() }

    @Test(arguments: Showing.of(Behaviour.requestHeaders))
    func requestHeaders(_ showing: Showing) async throws { try await showing.run() }

    @Test(arguments: Showing.of(Behaviour.responseBodies))
    func responseBodies(_ showing: Showing) async throws { try await showing.run() }

    @Test(arguments: Showing.of(Behaviour.largeBodies))
    func largeBodies(_ showing: Showing) async throws { try await showing.run() }

    @Test(arguments: Showing.of(Behaviour.contentCodings))
    func contentCodings(_ showing: Showing) async throws { try await showing.run() }

    @Test(arguments: Showing.of(Behaviour.requestBodies))
    func requestBodies(_ showing: Showing) async throws { try await showing.run() }

    @Test(arguments: Showing.of(Behaviour.redirectRules))
    func redirectRules(_ showing: Showing) async throws { try await showing.run() }

    @Test(arguments: Showing.of(Behaviour.redirectTargets))
    func redirectTargets(_ showing: Showing) async throws { try await showing.run() }

    @Test(arguments: Showing.of(Behaviour.redirectPolicies))
    func redirectPolicies(_ showing: Showing) async throws { try await showing.run() }

    @Test(arguments: Showing.of(Behaviour.cookies))
    func cookies(_ showing: Showing) async throws { try await showing.run() }

    @Test(arguments: Showing.of(Behaviour.deadlines))
    func deadlines(_ showing: Showing) async throws { try await showing.run() }

    @Test(arguments: Showing.of(Behaviour.connecting))
    func connecting(_ showing: Showing) async throws { try await showing.run() }

    @Test(arguments: Showing.of(Behaviour.truncations))
    func truncations(_ showing: Showing) async throws { try await showing.run() }

    @Test(arguments: Showing.of(Behaviour.malformedResponses))
    func malformedResponses(_ showing: Showing) async throws { try await showing.run() }

    @Test(arguments: Showing.of(Behaviour.cancellation))
    func cancellation(_ showing: Showing) async throws { try await showing.run() }

    @Test(arguments: Showing.of(Behaviour.flowControl))
    func flowControl(_ showing: Showing) async throws { try await showing.run() }

    @Test(arguments: Showing.of(Behaviour.connections))
    func connections(_ showing: Showing) async throws { try await showing.run() }
  }

  @Suite
  struct LimitTests {
    @Test func everyBehaviourHasANameOfItsOwn() {
      let names = Behaviour.all.map(\.name)
      #expect(Set(names).count == names.count)
    }

    @Test func everyLimitIsOfABehaviourThatThereIs() {
      let names = Set(Behaviour.all.map(\.name))
      for limit in Limit.all {
        #expect(names.contains(limit.behaviour), "\(limit.behaviour) is no behaviour any more")
      }
    }

    @Test func noLimitIsListedTwice() {
      #expect(Set(Limit.all.map { "\($0.subject) \($0.behaviour)" }).count == Limit.all.count)
    }
  }
#endif
