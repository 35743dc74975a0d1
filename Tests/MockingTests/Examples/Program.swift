#if os(Linux) || os(macOS)
  import Foundation
  import TestSupport
  import Testing

  /// Runs the example programs of this build as child processes.
  enum Program {
    /// Runs `quickstart` until it exits.
    static func quickstart(
      _ arguments: [String] = [], environment: [String: String] = [:]
    ) async throws -> ChildProcess.End {
      try await start("quickstart", arguments, environment: environment).end
    }

    /// Runs `mock-server` until it exits.
    static func mockServer(_ arguments: [String]) async throws -> ChildProcess.End {
      try await start("mock-server", arguments).end
    }

    /// Returns the address that `mock-server` prints.
    static func address(of program: ChildProcess) async throws -> URL {
      let line = try #require(await program.lines.first { $0.contains("http://127.0.0.1:") })
      let address = try #require(line.split(separator: "at ").last)
      return try #require(URL(string: String(address)))
    }

    /// Starts a program of this build.
    ///
    /// - Parameters:
    ///   - name: The name of the program.
    ///   - arguments: The arguments after the name.
    ///   - environment: The environment variables. The program does not inherit those of the tests.
    ///   - input: The source of the standard input.
    /// - Returns: The running program.
    /// - Throws: `TestError` if the program cannot be started.
    static func start(
      _ name: String, _ arguments: [String] = [], environment: [String: String] = [:],
      input: ChildProcess.Input = .empty
    ) throws -> ChildProcess {
      // The programs do not link ThreadSanitizerSupport.c, which tells the thread sanitizer about waits
      // for a `Mutex`. Without it each wait would be reported as a race.
      let defaults = ["TSAN_OPTIONS": "report_bugs=0", "TZ": "UTC"]
      return try ChildProcess(
        BuiltProgram.url(name).path, arguments, environment: defaults.merging(environment) { $1 },
        input: input)
    }
  }
#endif
