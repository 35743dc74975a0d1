#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  /// One of the tests' programs in a network namespace of its own, which goes with it.
  final class NetworkNamespace: Sendable {
    static let requirement: Comment =
      "needs iproute2's `ip`, `unshare`, and the right to make network namespaces and veth pairs"

    /// Whether this machine lets a test make a namespace and a link in it.
    static var isPermitted: Bool {
      get async {
        let link = ["ip", "link", "add", "probe0", "type", "veth", "peer", "name", "probe1"]
        return await (try? ChildProcess("unshare", options + link).end)?.status == .exited(0)
      }
    }

    /// Who is not root becomes it in a namespace of users.
    private static var options: [String] {
      geteuid() == 0 ? ["--net"] : ["--net", "--map-root-user"]
    }

    private let program: ChildProcess

    /// Starts a program in a namespace.
    ///
    /// - Parameters:
    ///   - name: the program's, among those built with the tests.
    ///   - arguments: its arguments.
    /// - Throws: what starting it throws.
    init(_ name: String = "reachability-watch", _ arguments: String...) throws {
      program = try ChildProcess(
        "unshare", Self.options + [BuiltProgram.url(name).path] + arguments, input: .open)
    }

    /// The first lines that the program prints, once there are so many.
    func lines(_ count: Int) async -> [String] {
      await program.lines.first(count)
    }

    /// Has a shell in the namespace run commands; one that fails is a line of the output.
    func run(_ commands: String) {
      send("set -e; \(commands)")
    }

    /// Sends the program a line.
    func send(_ line: String) {
      program.send(Data("\(line)\n".utf8))
    }

    /// Ends the program, and the namespace with it.
    func end() async -> ChildProcess.End {
      program.closeInput()
      return await program.end
    }
  }
#endif
