#if os(Linux)
  import Foundation
  import Networking
  import SystemCallFaults
  import TestSupport

  // Ends exchanges while the resolver blocks, and sends another request over the same transport.
  //
  //     hanging-resolver
  //
  // The program prints "cancelled", "timed out", and "done" after the response to the other request. If the
  // I/O thread waited for the resolver, the program would not end.
  enum HangingResolver {
    static func run(_ arguments: [String]) async throws {
      let host = "hanging.invalid"
      faults_hold_resolver(host)
      let server = try ScriptedServer { _ in [.respond()] }
      var options = CurlTransport.Options()
      // With a limit for each host, the transport has one I/O thread.
      options.maximumConnectionsPerHost = 10
      let transport = CurlTransport(options: options)
      guard let url = URL(string: "http://\(host)/") else { exit(64) }

      let cancelled = ExchangeRecorder(transport, HTTPRequest(url: url))
      faults_await_resolver()
      cancelled.cancel()
      guard await cancelled.record.failure?.code == .cancelled else { exit(1) }
      print("cancelled")

      let timedOut = await transport.perform(
        HTTPRequest(url: url, connectTimeout: .milliseconds(10)))
      guard timedOut.failure?.code == .timedOut(.connect) else { exit(1) }
      print("timed out")

      guard await transport.get(server.url()).failure == nil else { exit(1) }
      print("done")
      for _ in 0..<2 { faults_release_resolver() }
    }
  }
#endif
