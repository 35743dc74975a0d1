#if canImport(Testing)
  import Foundation
  import Mocking
  import Promises
  import Testing

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
  /// calls `advance(by:)` or `run()`. If the time stands still for ten seconds while timers wait, a
  /// message on standard error says so.
  public struct VirtualTimeTrait: TestTrait, SuiteTrait, TestScoping {
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
      try await Self.perform(function)
    }

    /// Runs a function in virtual time, which another trait of the test may have started.
    static func perform(_ function: @Sendable () async throws -> Void) async throws {
      guard TestScheduler.current == nil else { return try await function() }
      let test = Test.current?.name ?? "a test"
      try await withVirtualTime { time in
        let reporter = StandstillReporter(time, clock: LiveScheduler.system) { message in
          FileHandle.standardError.write(Data("\(test): \(message)\n".utf8))
        }
        defer { reporter.stop() }
        try await function()
      }
    }

    /// Records that the current test lacks a trait.
    static func recordMissing(_ trait: String) {
      let location = Test.current?.sourceLocation
      Issue.record(
        "the test does not have the trait \(trait)",
        sourceLocation: location
          ?? SourceLocation(fileID: #fileID, filePath: #filePath, line: #line, column: #column))
    }
  }

  extension Trait where Self == VirtualTimeTrait {
    /// Replaces the system clock by a virtual time in each test case.
    ///
    /// See ``VirtualTimeTrait``.
    public static var virtualTime: VirtualTimeTrait { VirtualTimeTrait() }
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
