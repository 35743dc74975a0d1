#if os(Linux) || os(macOS)
  import TestSupport

  /// The programs of this build, as their users run them.
  enum Program {
    /// Runs the quickstart of this build to its end; see ``start(_:_:environment:)``.
    static func quickstart(
      _ arguments: [String] = [], environment: [String: String] = [:]
    ) async throws -> ChildProcess.End {
      try await start("quickstart", arguments, environment: environment).end
    }

    /// Runs the mock server of this build to its end; see ``start(_:_:environment:)``.
    static func mockServer(_ arguments: [String]) async throws -> ChildProcess.End {
      try await start("mock-server", arguments).end
    }

    /// Starts a program of this build.
    ///
    /// - Parameters:
    ///   - name: its name.
    ///   - arguments: what stands behind its name.
    ///   - environment: the variables that it has, and none of the tests' own.
    /// - Returns: the program at work.
    /// - Throws: a `TestError` when it cannot be started.
    static func start(
      _ name: String, _ arguments: [String] = [], environment: [String: String] = [:]
    ) throws -> ChildProcess {
      // Under the thread sanitizer it is built as users build it, without what shows that a `Mutex` is
      // waited for (see ThreadSanitizerSupport.c): each such wait would be reported as a race.
      let own = ["TSAN_OPTIONS": "report_bugs=0", "TZ": "UTC"]
      return try ChildProcess(
        BuiltProgram.url(name).path, arguments, environment: own.merging(environment) { $1 })
    }
  }
#endif
