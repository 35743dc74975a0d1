#if os(Linux) || os(macOS)
  import Foundation
  import TestSupport

  /// The `curl` of the command line.
  enum CurlTool {
    /// Where it is; nil where it is not.
    static let path = ["/usr/bin/curl", "/usr/local/bin/curl", "/opt/homebrew/bin/curl"]
      .first { FileManager.default.isExecutableFile(atPath: $0) }
    static let absence = "the curl tool is not on this machine: these tests are skipped"

    /// Runs the tool to its end, past all proxies.
    static func run(_ arguments: [String]) async throws -> ChildProcess.End {
      try await ChildProcess(
        path ?? "curl", ["--silent", "--noproxy", "*"] + arguments
      ).end
    }
  }
#endif
