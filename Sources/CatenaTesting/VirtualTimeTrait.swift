#if canImport(Testing)
  import CatenaSystem
  import Mocking
  public import Promises
  public import Testing

  /// A trait of tests in which a virtual time takes the place of the system clock.
  ///
  /// ```swift
  /// @Test(.virtualTime, .mocked(BoardsAPI.self, delay: .seconds(30)) { _ in .json([]) })
  /// func theSpinnerShowsUntilTheResponseArrives() async {
  ///   let screen = BoardsScreen()
  ///   screen.load()
  ///   await Test.virtualTime.advance(by: .seconds(29))
  ///   #expect(screen.isLoading)
  ///   await Test.virtualTime.advance(by: .seconds(1))
  ///   #expect(!screen.isLoading)
  /// }
  /// ```
  ///
  /// Each test case runs in a scope of its own, like the operation of `withVirtualTime`, with a new
  /// `TestScheduler` that starts at zero. A suite's trait applies to each of its tests. Delays,
  /// timeouts and retries of promises, clients and mocks that the test creates use it, unless they have
  /// another scheduler. `Test.virtualTime` advances it: a test that awaits a delayed promise first
  /// calls `advance(by:)` or `run()`.
  ///
  /// **Standstill.** If the test awaits a promise for ten seconds of real time, in which the virtual
  /// time does not advance and no promise handler runs, an issue has the promise's `explanation`, and the test and the
  /// promises that its tasks await are cancelled. The cause is a missing `run()`, or a promise that nothing settles. The same happens to a
  /// call of `run()` or `advance(by:)` that takes ten seconds and more than 10,000 timers, because the code
  /// makes timers without end, such as a task that polls. If timers wait while
  /// no promise is awaited, a message on standard error says so. `.virtualTime(standstillAfter:)` sets
  /// another limit.
  public struct VirtualTimeTrait: TestTrait, SuiteTrait, TestScoping {
    /// The limit for a standstill in real time.
    let limit: Duration

    /// `true`: the trait of a suite applies to each of its tests.
    public var isRecursive: Bool { true }

    /// Runs a test case with a new scheduler.
    ///
    /// - Parameters:
    ///   - test: The test.
    ///   - testCase: The test case.
    ///   - function: The test function.
    /// - Throws: The error of the test function.
    public func provideScope(
      for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
      try await perform(function)
    }

    /// Runs a function in virtual time, which another trait of the test may have started.
    func perform(_ function: @Sendable () async throws -> Void) async throws {
      guard TestScheduler.current == nil else { return try await function() }
      let test = Test.current?.name ?? "a test"
      try await withVirtualTime { time in
        let (standstills, continuation) = AsyncStream<String>.makeStream()
        let reporter = StandstillReporter(
          time, awaiting: .current, clock: LiveScheduler.system, limit: limit
        ) { standstill in
          if standstill.isAwaited {
            continuation.yield(standstill.message)
          } else {
            StandardStream.error.write("\(test): \(standstill.message)\n")
          }
        }
        defer { reporter.stop() }
        try await Self.perform(function, until: standstills)
      }
    }

    /// Runs a function, and cancels it at the first standstill, for which it records an issue.
    static func perform(
      _ function: @Sendable () async throws -> Void, until standstills: AsyncStream<String>
    ) async throws {
      try await withoutActuallyEscaping(function) { function in
        try await withThrowingTaskGroup(of: TestEvent.self) { group in
          // The child tasks have the task-local values of the test, so that the issue belongs to it.
          group.addTask {
            try await function()
            return .finished
          }
          group.addTask { await standstills.first { _ in true }.map(TestEvent.stoodStill) ?? .none }
          var hasStoodStill = false
          do {
            while let event = try await group.next() {
              switch event {
              case .none: break
              case .finished: group.cancelAll()
              case .stoodStill(let message):
                record(message)
                hasStoodStill = true
                group.cancelAll()
                // Tasks of the test that are not cancelled with it.
                AwaitedPromises.current?.cancelAll()
              }
            }
          } catch is CancellationError where hasStoodStill {
            // The error of the cancellation is no further issue.
          }
        }
      }
    }

    private enum TestEvent: Sendable {
      case none
      case finished
      case stoodStill(String)
    }

    private static func record(_ message: String) {
      let here = SourceLocation(fileID: #fileID, filePath: #filePath, line: #line, column: #column)
      Issue.record(
        Comment(rawValue: message), sourceLocation: Test.current?.sourceLocation ?? here)
    }

    /// Records that the current test lacks a trait.
    static func recordMissing(_ trait: String) {
      record("the test does not have the trait \(trait)")
    }
  }

  extension Trait where Self == VirtualTimeTrait {
    /// Replaces the system clock by a virtual time in each test case.
    ///
    /// See ``VirtualTimeTrait``.
    public static var virtualTime: VirtualTimeTrait {
      virtualTime(standstillAfter: StandstillReporter.defaultLimit)
    }

    /// Replaces the system clock by a virtual time in each test case, with another limit for a
    /// standstill than ten seconds.
    ///
    /// - Parameter limit: The real time for which the test may await a promise while the virtual time
    ///   does not advance.
    /// - Returns: The trait. See ``VirtualTimeTrait``.
    public static func virtualTime(standstillAfter limit: Duration) -> VirtualTimeTrait {
      VirtualTimeTrait(limit: limit)
    }
  }

  extension Test {
    /// The virtual time of the current test, which has the trait `.virtualTime`.
    ///
    /// Read it in the test function or in a task or a promise handler that it started. Without the
    /// trait, an issue is recorded, and the scheduler affects nothing.
    public static var virtualTime: TestScheduler {
      if let current = TestScheduler.current { return current }
      VirtualTimeTrait.recordMissing(".virtualTime")
      return TestScheduler()
    }
  }

  extension SourceLocation {
    init(
      _ fileID: StaticString, _ filePath: StaticString, _ line: UInt, _ column: UInt
    ) {
      self.init(
        fileID: "\(fileID)", filePath: "\(filePath)", line: Int(line), column: Int(column))
    }
  }
#endif
