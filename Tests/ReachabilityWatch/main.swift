#if os(Linux)
  import Foundation
  import Networking

  // What the network looks like from a namespace of its own, which a test cannot move into:
  // RouteMonitorTests runs this program in one, has it run commands that change the network, and
  // reads what it prints.

  let reachability = NetworkReachability()
  tell("at first: \(describe(reachability.status))")
  reachability.whenReachable().done(on: .inline) { tell("reachable at last") }

  let changes = reachability.changes
  Task.detached {
    for await status in changes { tell(describe(status)) }
  }

  while let command = readLine() {
    if system(command) != 0 { tell("failed: \(command)") }
  }

  /// Prints a line at once: standard output into a pipe would be kept back.
  @Sendable func tell(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
  }

  @Sendable func describe(_ status: NetworkReachability.Status) -> String {
    switch status {
    case .unknown: "unknown"
    case .unreachable: "unreachable"
    case .reachable(let path): "reachable via \(path.interfaces.map(\.name))"
    }
  }
#endif
