#if os(Linux)
  import Foundation
  import Networking
  import TestGate
  import TestSupport
  import Testing

  @Suite(.gated, .serialized)
  struct CurlLoadTests {
    @Test func fiveHundredConcurrentExchangesCompleteAndReleaseEverything() async throws {
      let count = 500
      let server = try ScriptedServer { _ in [.stall, .respond("200 OK", [], Data("done".utf8))] }
      do {
        let transport = CurlTransport()
        let exchanges = (0..<count).map { number in
          ExchangeRecorder(transport, HTTPRequest(url: server.url("/\(number)")))
        }
        _ = await server.requests.entries(count)
        #expect(server.connectionCount == count)
        server.release()
        for exchange in exchanges {
          let record = await exchange.record
          #expect(record.body == Data("done".utf8))
          #expect(record.lastEvents == 1)
        }
      }
      // The connections close when the transport is released.
      #expect(await server.closed.entries(count).count == count)
    }

    /// Runs in a separate process, so that open files and threads can be counted.
    @Test func filesAndThreadsAreReleased() async {
      await #expect(processExitsWith: .success) {
        let server = try ScriptedServer { _ in [.respond("200 OK", [], Data("done".utf8))] }
        func performExchanges() async {
          let transport = CurlTransport()
          for _ in 0..<20 {
            let exchanges = (0..<100).map { _ in
              ExchangeRecorder(
                transport, HTTPRequest(url: server.url(), idleTimeout: .seconds(60)))
            }
            for exchange in exchanges.prefix(10) { exchange.cancel() }
            for exchange in exchanges { _ = await exchange.record }
          }
          #expect((1...2).contains(ProcessResources.threads(named: "Catena.Curl")))
        }
        func wait(until isSettled: () -> Bool) async {
          while !isSettled() { await Task.yield() }
        }
        await performExchanges()
        await wait { ProcessResources.threads(named: "Catena.Curl") == 0 }
        _ = await server.closed.entries(server.connectionCount)
        await wait { server.openConnectionCount == 0 }
        let files = ProcessResources.openFiles
        await performExchanges()
        await wait { ProcessResources.threads(named: "Catena.Curl") == 0 }
        await wait { server.openConnectionCount == 0 }
        #expect(ProcessResources.openFiles == files)
      }
    }
  }
#endif
