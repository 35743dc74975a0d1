#if os(Linux) || os(macOS)
  import Dispatch
  import Foundation
  import TestSupport
  import Promises

  /// A program that has run to its end.
  struct Program: Sendable {
    let status: Int32
    let output: String
    let errors: String

    /// Runs the quickstart of this build; see ``run(_:_:environment:)``.
    static func quickstart(
      _ arguments: [String] = [], environment: [String: String] = [:]
    ) async throws -> Program {
      try await run("quickstart", arguments, environment: environment)
    }

    /// Runs a program of this build to its end.
    ///
    /// - Parameters:
    ///   - name: its name.
    ///   - arguments: what stands behind its name.
    ///   - environment: the variables that it has, and none of the tests' own.
    /// - Returns: how it ended, and what it printed.
    /// - Throws: what `Process` throws when it cannot be started.
    static func run(
      _ name: String, _ arguments: [String] = [], environment: [String: String] = [:]
    ) async throws -> Program {
      let process = Process()
      process.executableURL = products.appendingPathComponent(name)
      process.arguments = arguments
      // Under the thread sanitizer it is built as users build it, without what shows that a `Mutex` is
      // waited for (see ThreadSanitizerSupport.c): each such wait would be reported as a race.
      process.environment = environment.merging(["TSAN_OPTIONS": "report_bugs=0"]) { own, _ in own }
      let (output, errors) = (Pipe(), Pipe())
      process.standardOutput = output
      process.standardError = errors
      try process.launchAlone()
      let (outputText, errorText) = try await when(text(of: output), text(of: errors)).value
      process.waitUntilExit()
      return Program(status: process.terminationStatus, output: outputText, errors: errorText)
    }

    /// All that comes, read on a thread that may block.
    private static func text(of pipe: Pipe) -> Promise<String> {
      Promise<Data>(on: .background) { pipe.fileHandleForReading.readDataToEndOfFile() }
        .map { data in String(decoding: data, as: UTF8.self) }
    }

    /// The folder that the build puts programs and tests into.
    static var products: URL {
      #if os(macOS)
        for bundle in Bundle.allBundles where bundle.bundlePath.hasSuffix(".xctest") {
          return bundle.bundleURL.deletingLastPathComponent()
        }
      #endif
      return Bundle.main.bundleURL
    }
  }
#endif
