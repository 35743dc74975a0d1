#if os(Linux) || os(macOS)
  import Foundation
  import Mocking
  import MockingOAuth2
  import Networking
  import NetworkingOAuth2
  import Promises
  import TestSupport

  // Suspends clients at random moments, as a phone suspends apps, and checks that no answer is lost and nothing
  // is sent twice.
  //
  //     suspensions COUNT LONG IDLE
  //
  // Two clients share a token file, and have requests, refreshes and transfers in flight. COUNT times one of them
  // is suspended by SIGSTOP and continued by SIGCONT, LONG times for longer than their idle timeout of IDLE
  // milliseconds. Prints each violation, and then the numbers of suspensions, of requests and of refreshes.
  enum Suspensions {
    static func run(_ arguments: [String]) async throws {
      guard arguments.count == 4, let count = Int(arguments[1]), let long = Int(arguments[2]),
        let idle = Int(arguments[3])
      else { exit(64) }
      let server = try SuspensionServer(tokenLife: .seconds(5))
      let folder = TemporaryFolder()
      try await signIn(server, folder)
      let clients = try (0..<2).map { number in
        try ChildProcess(
          worker: "suspended-client",
          [
            server.login.issuer, server.shop.url.absoluteString, folder.url.path,
            String(number * 10_000_000), String(idle),
          ],
          input: .open)
      }
      for client in clients { _ = await client.lines.first(1) }
      await suspend(clients, count, long, idle)
      for client in clients { client.closeInput() }
      var lines: [String] = []
      var wrong: [String] = []
      for client in clients {
        let end = await client.end
        lines += end.lines
        if end.status != .exited(0) || end.lines.last != "end" {
          wrong.append("a client has ended: \(end.status) \(end.errors)")
        }
      }
      wrong += server.violations(lines)
      // Of the clients only the token file remains.
      wrong += folder.names.filter { !["tokens", "tokens.lock"].contains($0) }.map {
        "\($0) remains"
      }
      for line in wrong { log("wrong: \(line)") }
      let requests = lines.count { $0.hasPrefix("ok") || $0.hasPrefix("failed") }
      log("\(count) suspensions, \(requests) requests, \(server.login.counts.refreshes) refreshes")
      if !wrong.isEmpty { exit(1) }
    }

    private static func signIn(_ server: SuspensionServer, _ folder: TemporaryFolder) async throws {
      let session = OAuth2Session(
        server.login.client("app"), store: try FileTokenStore(folder.url("tokens")))
      _ = try await session.signIn(.password(username: "ann", password: "ann-password")).value
    }

    /// Suspends clients at random moments.
    ///
    /// The moments and the lengths vary, and no check depends on them.
    private static func suspend(
      _ clients: [ChildProcess], _ count: Int, _ long: Int, _ idle: Int
    ) async {
      await withCheckedContinuation { continuation in
        Thread.detachNewThread {
          for number in 0..<count {
            let client = clients[Int.random(in: 0..<clients.count)]
            usleep(.random(in: 0..<4_000))
            client.signal(SIGSTOP)
            // Spread evenly over all suspensions.
            let isLong = (number + 1) * long / count > number * long / count
            usleep(isLong ? UInt32(idle) * 1_000 + 500_000 : .random(in: 0..<4_000))
            client.signal(SIGCONT)
          }
          continuation.resume()
        }
      }
    }
  }
#endif
