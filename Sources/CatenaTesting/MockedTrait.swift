#if canImport(Testing)
  import CatenaSystem
  public import Mocking
  public import Networking
  import Promises
  public import Testing

  /// A trait of tests in which mocks respond to the requests of all `Networking` clients.
  ///
  /// ```swift
  /// @Test(
  ///   .mocked(BoardsAPI.self) { endpoint in
  ///     switch endpoint {
  ///     case .boards: .json([["id": 1, "title": "Kite"]])
  ///     default: nil
  ///     }
  ///   })
  /// func theListShowsTheBoards() async throws {
  ///   let screen = BoardsScreen()                    // creates its own `Networking`
  ///   try await screen.load()
  ///   #expect(screen.titles == ["Kite"])
  ///   try Test.mocks.verify(.get, "boards")
  /// }
  /// ```
  ///
  /// - **Extent.** Each test case runs in a scope of its own, like the operation of `withMocks`, with
  ///   new mocks: their closures are evaluated, and their counts and journals start, for each case.
  ///   Tests with the trait can therefore run in parallel. A suite's trait applies to each of its
  ///   tests.
  /// - **Several traits.** A later trait takes precedence over an earlier one, and a trait of a test
  ///   over a trait of its suite. A request for which the closure returns `nil`, or which matches no
  ///   route, is passed to the earlier traits.
  /// - **Requests without a mock** fail with the code `mockFailed`, and are not sent to the network.
  ///   The test then fails too, even if the code under test ignores the error. `unmatched: .pass`
  ///   sends them to the network instead.
  /// - **Time.** The mocks and the clients that the test creates use the virtual time of
  ///   ``VirtualTimeTrait`` if the test has this trait, too.
  ///
  /// `Test.mocks` verifies the requests.
  public struct MockedTrait: TestTrait, SuiteTrait, TestScoping {
    /// The backends of the traits of the current test case, outermost first.
    @TaskLocal static var backends: [any MockBackend] = []

    private let unmatched: UnmatchedRequestPolicy
    private let location: SourceLocation
    private let makeMocks: @MainActor @Sendable () throws -> ScopedMocks

    init(
      _ unmatched: UnmatchedRequestPolicy, _ location: SourceLocation,
      _ makeMocks: @escaping @MainActor @Sendable () throws -> ScopedMocks
    ) {
      self.unmatched = unmatched
      self.location = location
      self.makeMocks = makeMocks
    }

    /// `true`: the trait of a suite applies to each of its tests.
    public var isRecursive: Bool { true }

    /// Runs a test case with new mocks.
    ///
    /// - Parameters:
    ///   - test: The test.
    ///   - testCase: The test case.
    ///   - function: The test function.
    /// - Throws: The error of the test function.
    public func provideScope(
      for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
      // The mocks use the virtual time, whatever the order of the traits.
      guard let time = test.traits.lazy.compactMap({ $0 as? VirtualTimeTrait }).last else {
        return try await perform(function)
      }
      try await time.perform { try await perform(function) }
    }

    private func perform(_ function: @Sendable () async throws -> Void) async throws {
      let mocks = try await makeMocks()
      let failures = MockFailureLog()
      defer { failures.record(at: location) }
      try await Self.$backends.withValue(Self.backends + [mocks.backend]) {
        try await MockScope.run(
          [mocks.provider], unmatched: unmatched,
          name: "the trait .mocked at \(location.fileID):\(location.line)",
          onMockFailure: { failures.add($0) }, function)
      }
    }
  }

  /// The requests of a test case that failed because they have no mock.
  private final class MockFailureLog: Sendable {
    private let failures = Mutex<[String]>([])

    func add(_ error: NetworkError) {
      failures.withLock { $0.append(error.description) }
    }

    /// Records an issue for each of the first failures.
    func record(at location: SourceLocation) {
      let failures = failures.withLock { $0 }
      for failure in failures.prefix(Self.limit) {
        Issue.record(Comment(rawValue: failure), sourceLocation: location)
      }
      guard failures.count > Self.limit else { return }
      Issue.record(
        "and \(failures.count - Self.limit) more requests without a mock", sourceLocation: location)
    }

    private static let limit = 10
  }

  extension Trait where Self == MockedTrait {
    /// Mocks the endpoints of a type in each test case.
    ///
    /// - Parameters:
    ///   - type: The type of the endpoints.
    ///   - delay: The default delay, for mocks that do not set one.
    ///   - seed: The seed of the random numbers for weighted responses, faults and delays.
    ///   - unmatched: The policy for requests without a mock.
    ///   - fileID: The source location of the trait.
    ///   - filePath: The source location of the trait.
    ///   - line: The source location of the trait.
    ///   - column: The source location of the trait.
    ///   - resolve: A closure that returns the mock for an endpoint, or `nil` if there is none, as that
    ///     of a `MockProvider`.
    /// - Returns: The trait. See ``MockedTrait``.
    public static func mocked<Endpoint: RequestConvertible>(
      _ type: Endpoint.Type = Endpoint.self, delay: MockDelay = .zero, seed: UInt64? = 0,
      unmatched: UnmatchedRequestPolicy = .fail,
      fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
      column: UInt = #column,
      @_inheritActorContext _ resolve:
        @escaping @Sendable @isolated(any) (_ endpoint: Endpoint) -> Mock?
    ) -> MockedTrait {
      mocked(
        MockProvider<Endpoint>(delay: delay, seed: seed, file: fileID, line: line, resolve),
        unmatched: unmatched, fileID: fileID, filePath: filePath, line: line, column: column)
    }

    /// Mocks all clients with routes in each test case, whatever the types of their endpoints.
    ///
    /// ```swift
    /// @Suite(.mocked { Route(.get, "/boards", .json([])) })
    /// struct BoardsTests { ... }
    /// ```
    ///
    /// - Parameters:
    ///   - delay: The default delay, for mocks that do not set one.
    ///   - seed: The seed of the random numbers for weighted responses, faults and delays.
    ///   - unmatched: The policy for requests without a route.
    ///   - fileID: The source location of the trait.
    ///   - filePath: The source location of the trait.
    ///   - line: The source location of the trait.
    ///   - column: The source location of the trait.
    ///   - routes: A closure that returns the routes. It runs once for each test case, on the main
    ///     actor. The handlers of its routes do not run there unless they are marked `@MainActor`.
    /// - Returns: The trait. See ``MockedTrait``.
    public static func mocked(
      delay: MockDelay = .zero, seed: UInt64? = 0, unmatched: UnmatchedRequestPolicy = .fail,
      fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
      column: UInt = #column, @RouteBuilder routes: @escaping @MainActor @Sendable () -> [Route]
    ) -> MockedTrait {
      mocked(
        MockTransport(routes: routes(), delay: delay, seed: seed), unmatched: unmatched,
        fileID: fileID, filePath: filePath, line: line, column: column)
    }

    /// Mocks the requests of all clients in each test case with a source of mocks: a `MockProvider`, a
    /// `MockTransport`, a `StubFile` or a `Tape`.
    ///
    /// ```swift
    /// @Test(.mocked(boardsBackend()))
    /// @Test(.mocked(try StubFile(contentsOf: stubs)))          // import MockingStubs
    /// @Test(.mocked(try Tape(replaying: recording)))           // import MockingRecordings
    /// ```
    ///
    /// - Parameters:
    ///   - source: An expression that creates the source. It is evaluated once for each test case, on
    ///     the main actor. If it throws, the test fails with the error.
    ///   - unmatched: The policy for requests without a mock.
    ///   - fileID: The source location of the trait.
    ///   - filePath: The source location of the trait.
    ///   - line: The source location of the trait.
    ///   - column: The source location of the trait.
    /// - Returns: The trait. See ``MockedTrait``.
    public static func mocked<Source: MockSource>(
      _ source: @escaping @autoclosure @MainActor @Sendable () throws -> Source,
      unmatched: UnmatchedRequestPolicy = .fail,
      fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
      column: UInt = #column
    ) -> MockedTrait {
      MockedTrait(unmatched, SourceLocation(fileID, filePath, line, column)) {
        try source().makeMocks()
      }
    }

    /// Is unavailable: the message has the declaration to use.
    @available(
      *, unavailable,
      message:
        "clients reach a server by its URL: create it in the test, and give the code under test 'server.url'"
    )
    public static func mocked(_ server: @autoclosure () throws -> MockServer) -> MockedTrait {
      mocked(MockTransport(routes: []))
    }
  }

  extension Test {
    /// The mocks of the last `.mocked` trait of the current test, which verify its requests.
    ///
    /// Read it in the test function or in a task that the function started. Without the trait, an issue
    /// is recorded, and the mocks have received no requests.
    public static var mocks: any MockBackend {
      if let last = MockedTrait.backends.last { return last }
      VirtualTimeTrait.recordMissing(".mocked")
      return MockTransport(routes: [])
    }

    /// Returns the mocks of the last `.mocked` trait of the current test for the endpoints of a type.
    ///
    /// - Parameter type: The type of the endpoints.
    /// - Returns: The provider. If no trait has the type, an issue is recorded, and the provider has
    ///   received no requests.
    public static func mocks<Endpoint>(for type: Endpoint.Type) -> MockProvider<Endpoint> {
      let providers = MockedTrait.backends.compactMap { $0 as? MockProvider<Endpoint> }
      if let last = providers.last { return last }
      VirtualTimeTrait.recordMissing(".mocked(\(type).self)")
      return MockProvider(routes: [])
    }
  }

  extension VerificationFailure {
    /// Records the failure as an issue of the current test, at the source location of the verification.
    ///
    /// The test continues. To end it at the first failure, let it throw the error instead.
    ///
    /// ```swift
    /// do {
    ///   try Test.mocks.verify(.get, "boards", .exactly(1))
    /// } catch {
    ///   error.record()
    /// }
    /// ```
    public func record() {
      Issue.record(
        Comment(rawValue: report), sourceLocation: SourceLocation(fileID, filePath, line, column))
    }
  }
#endif
