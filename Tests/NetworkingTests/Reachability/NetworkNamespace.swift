#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  /// A test program that runs in a new network namespace; both end with this object.
  final class NetworkNamespace: Sendable {
    static let requirement: Comment =
      "needs iproute2's `ip`, `unshare`, and the right to make network namespaces and veth pairs"

    /// Whether the machine permits network namespaces and virtual links.
    static var isPermitted: Bool {
      get async {
        let link = ["ip", "link", "add", "probe0", "type", "veth", "peer", "name", "probe1"]
        return await (try? ChildProcess("unshare", options + link).end)?.status == .exited(0)
      }
    }

    /// A user without root privileges gets them in a user namespace.
    private static var options: [String] {
      geteuid() == 0 ? ["--net"] : ["--net", "--map-root-user"]
    }

    private let program: ChildProcess

    /// Starts a program in a new namespace.
    ///
    /// - Parameters:
    ///   - name: The name of the program's target.
    ///   - arguments: The arguments of the program.
    /// - Throws: A `TestError` if the program cannot be started.
    init(_ name: String = "reachability-watch", _ arguments: String...) throws {
      program = try ChildProcess(
        "unshare", Self.options + [BuiltProgram.url("test-worker").path, name] + arguments,
        input: .open)
    }

    /// Waits for `count` lines of output and returns them.
    func lines(_ count: Int) async -> [String] {
      await program.lines.first(count)
    }

    /// Runs shell commands in the namespace.
    ///
    /// A failed command prints a line.
    func run(_ commands: String) {
      send("set -e; \(commands)")
    }

    /// Sends a line to the program's standard input.
    func send(_ line: String) {
      program.send(Data("\(line)\n".utf8))
    }

    /// Ends the program and its namespace.
    func end() async -> ChildProcess.End {
      program.closeInput()
      return await program.end
    }
  }
#endif
