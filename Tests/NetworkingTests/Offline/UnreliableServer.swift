#if os(Linux) || os(macOS)
  import CatenaSystem
  import Foundation
  import TestSupport

  /// A server that records requests, fails some of them in a deterministic order, and can kill its
  /// client process.
  final class UnreliableServer: Sendable {
    private final class Behavior: Sendable {
      struct State {
        var chance = SeededGenerator(seed: 5)
        var isHealthy = false
        var processToKill: (process: ChildProcess, requestsToLive: Int)?
      }

      let state = Mutex(State())

      func steps() -> [ScriptedServer.Step] {
        state.withLock { state in
          if var processToKill = state.processToKill {
            processToKill.requestsToLive -= 1
            if processToKill.requestsToLive == 0 { processToKill.process.signal(SIGKILL) }
            state.processToKill = processToKill
          }
          guard !state.isHealthy else { return [.respond()] }
          switch Int.random(in: 0..<8, using: &state.chance) {
          case 0: return [.close]
          case 1: return [.respond("503 Service Unavailable")]
          default: return [.respond()]
          }
        }
      }
    }

    private let behavior: Behavior
    private let server: ScriptedServer

    init() throws {
      let behavior = Behavior()
      self.behavior = behavior
      server = try ScriptedServer { request in
        request.target == "/barrier" ? [.respond(), .close] : behavior.steps()
      }
    }

    var url: URL { server.url() }

    /// The received requests, in order.
    var requests: [RawRequest] { server.requests.entries.filter { $0.target != "/barrier" } }

    /// Kills a process after it has sent `count` requests, before the response to the last one.
    func kill(_ process: ChildProcess, afterRequests count: Int) {
      behavior.state.withLock { $0.processToKill = (process, count) }
    }

    /// Stops killing processes and sets whether requests fail.
    func rest(isHealthy: Bool = false) {
      behavior.state.withLock { state in
        state.processToKill = nil
        state.isHealthy = isHealthy
      }
    }

    /// Waits until all requests of processes that have ended are recorded.
    func settle() async throws {
      // Connections are accepted in order, so this one follows all earlier ones.
      let client = try RawClient(port: Int(server.port))
      try await client.send("GET /barrier HTTP/1.1\r\nHost: a\r\n\r\n")
      _ = try await client.receiveAll()
      while server.openConnectionCount > 0 { await Task.yield() }
    }
  }
#endif
