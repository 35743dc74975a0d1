#if os(Linux) || os(macOS)
  import Foundation
  import Promises
  import TestGate
  import TestSupport
  import Testing

  /// A process that is stopped, as an app in the background is, while its response arrives.
  @Suite(.gated)
  struct StoppedProcessTests {
    #if os(Linux)
      private static let kinds = ["curl", "url-session", "call"]
    #else
      private static let kinds = ["url-session", "call"]
    #endif

    @Test(arguments: kinds)
    func aResponseThatArrivesDuringAStopBeyondTheLimitIsDelivered(_ kind: String) async throws {
      let isStopped = DispatchSemaphore(value: 0)
      let sent = Log<Void>()
      let server = try ScriptedServer { _ in
        [
          .run { isStopped.wait() }, .respond("200 OK", [], Data("answer".utf8)),
          .run { sent.append(()) },
        ]
      }
      let process = try ChildProcess(
        worker: "stopped-client", [kind, server.url().absoluteString])
      _ = await server.requests.entries(1)
      await process.stop()
      isStopped.signal()
      _ = await sent.entries(1)
      // The limit of the process is five seconds after its request.
      try await after(.seconds(7), on: .inline).value
      process.signal(SIGCONT)
      let end = await process.end
      #expect(end.lines == ["answer"], "\(end.output)\(end.errors)")
    }
  }
#endif
