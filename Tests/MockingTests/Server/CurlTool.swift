#if os(Linux) || os(macOS)
  import Foundation
  import Promises
  import TestSupport

  /// The `curl` of the command line.
  enum CurlTool {
    /// Where it is; nil where it is not.
    static let path = ["/usr/bin/curl", "/usr/local/bin/curl", "/opt/homebrew/bin/curl"]
      .first { FileManager.default.isExecutableFile(atPath: $0) }
    static let absence = "the curl tool is not on this machine: these tests are skipped"

    /// Runs the tool, past all proxies; its exit code and what it printed.
    static func run(_ arguments: [String]) async throws -> (code: Int32, output: Data) {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: path ?? "/usr/bin/curl")
      process.arguments = ["--silent", "--noproxy", "*"] + arguments
      let pipe = Pipe()
      process.standardOutput = pipe
      try process.launchAlone()
      let output = try await Promise<Data>(on: .background) {
        pipe.fileHandleForReading.readDataToEndOfFile()
      }.value
      process.waitUntilExit()
      return (process.terminationStatus, output)
    }
  }
#endif
