#if os(Linux)
  import Foundation
  import Glibc
  import TestSupport
  import Testing

  /// One of the tests' programs in a network namespace of its own, which goes with it.
  final class NetworkNamespace: Sendable {
    static let requirement: Comment =
      "needs iproute2's `ip`, `unshare`, and the right to make network namespaces and veth pairs"

    /// Whether this machine lets a test make a namespace and a link in it.
    static let isPermitted: Bool = {
      let probe = Process()
      probe.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      probe.arguments =
        unshare + ["ip", "link", "add", "probe0", "type", "veth", "peer", "name", "probe1"]
      probe.standardOutput = FileHandle.nullDevice
      probe.standardError = FileHandle.nullDevice
      guard (try? probe.launchAlone()) != nil else { return false }
      probe.waitUntilExit()
      return probe.terminationStatus == 0
    }()

    /// Who is not root becomes it in a namespace of users.
    private static var unshare: [String] {
      ["unshare"] + (geteuid() == 0 ? ["--net"] : ["--net", "--map-root-user"])
    }

    private let program = Process()
    private let input = Pipe()
    private let output = Log<String>()

    /// Starts a program in a namespace.
    ///
    /// - Parameters:
    ///   - name: the program's, among those built with the tests.
    ///   - arguments: its arguments.
    /// - Throws: what launching it throws.
    init(_ name: String = "reachability-watch", _ arguments: String...) throws {
      program.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      program.arguments =
        Self.unshare + [BuiltProgram.url(name).path] + arguments
      let pipe = Pipe()
      program.standardInput = input
      program.standardOutput = pipe
      try program.launchAlone()
      let (output, reading) = (output, pipe.fileHandleForReading)
      Thread.detachNewThread {
        var rest = Data()
        while case let more = reading.availableData, !more.isEmpty {
          rest += more
          while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            output.append(String(decoding: rest[..<end], as: UTF8.self))
            rest = Data(rest[rest.index(after: end)...])
          }
        }
      }
    }

    /// What the program has printed, once there are so many lines.
    func lines(_ count: Int) async -> [String] {
      await output.entries(count)
    }

    /// Has a shell in the namespace run commands; one that fails is a line of the output.
    func run(_ commands: String) {
      send("set -e; \(commands)")
    }

    /// Sends the program a line.
    func send(_ line: String) {
      input.fileHandleForWriting.write(Data("\(line)\n".utf8))
    }

    /// Ends the program, and the namespace with it.
    func end() -> Int32 {
      input.fileHandleForWriting.closeFile()
      program.waitUntilExit()
      return program.terminationStatus
    }
  }
#endif
