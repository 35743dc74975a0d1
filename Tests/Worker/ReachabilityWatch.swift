#if os(Linux)
  import Foundation
  import Networking

  // Prints the network status in a network namespace. A test process cannot enter a namespace, so
  // RouteMonitorTests runs this worker in one, sends it shell commands that change the network,
  // and reads its output.
  enum ReachabilityWatch {
    static func run(_ arguments: [String]) throws {
      let reachability = NetworkReachability()
      log("initial: \(describe(reachability.status))")
      reachability.whenReachable().done(on: .inline) { log("became reachable") }

      let changes = reachability.changes
      Task.detached {
        for await status in changes { log(describe(status)) }
      }

      while let command = readLine() {
        if system(command) != 0 { log("failed: \(command)") }
      }
    }

    private static func describe(_ status: NetworkReachability.Status) -> String {
      switch status {
      case .unknown: "unknown"
      case .unreachable: "unreachable"
      case .reachable(let path): "reachable via \(path.interfaces.map(\.name))"
      }
    }
  }
#endif
