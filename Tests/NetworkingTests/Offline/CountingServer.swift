#if os(Linux)
  import Foundation
  import Glibc
  import Synchronization
  import TestSupport

  /// A server that notes all it gets, fails now and then, always in the same order, and may kill the
  /// process that it serves.
  final class CountingServer: Sendable {
    private final class Mood: Sendable {
      struct State {
        var chance = SeededGenerator(seed: 5)
        var isHealthy = false
        var victim: (process: ChildProcess, requestsToLive: Int)?
      }

      let state = Mutex(State())

      func steps() -> [ScriptedServer.Step] {
        state.withLock { state in
          if var victim = state.victim {
            victim.requestsToLive -= 1
            if victim.requestsToLive == 0 { victim.process.signal(SIGKILL) }
            state.victim = victim
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

    private let mood: Mood
    private let server: ScriptedServer

    init() throws {
      let mood = Mood()
      self.mood = mood
      server = try ScriptedServer { request in
        request.target == "/barrier" ? [.respond(), .close] : mood.steps()
      }
    }

    var url: URL { server.url() }

    /// What has come, in order.
    var requests: [RawRequest] { server.requests.entries.filter { $0.target != "/barrier" } }

    /// Kills a process when it has made so many requests, before the last is answered.
    func kill(_ process: ChildProcess, afterRequests count: Int) {
      mood.state.withLock { $0.victim = (process, count) }
    }

    /// Kills nobody, and when it is told to be healthy, fails no more.
    func rest(isHealthy: Bool = false) {
      mood.state.withLock { state in
        state.victim = nil
        state.isHealthy = isHealthy
      }
    }

    /// Returns when all has been noted that processes which are gone had sent.
    func settle() async throws {
      // Connections are accepted in their order.
      let client = try RawClient(port: Int(server.port))
      try await client.send("GET /barrier HTTP/1.1\r\nHost: a\r\n\r\n")
      _ = try await client.receiveAll()
      while server.openConnectionCount > 0 { await Task.yield() }
    }
  }
#endif
