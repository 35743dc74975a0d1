#if os(Linux) || os(macOS)
  import Foundation
  import Mocking
  import Networking
  import Promises
  import TestGate
  import TestSupport
  import Testing
  import ThreadSanitizerSupport

  /// Tests with many concurrent requests.
  ///
  /// The server runs in this process, and the client in another one, so that the files and threads
  /// of the client can be counted, and all descriptors are available to it.
  @Suite(.alone)
  struct LoadTests {
    @Test func tenThousandConcurrentRequestsCompleteOnFewThreads() async throws {
      let wanted = thread_sanitizer_is_on() ? 1_000 : 10_000
      let count = min(wanted, ProcessResources.raiseFileLimit() - 500)
      if count < wanted { print("the limit of open files allows only \(count) in flight") }
      let (gate, opener) = Promise<Void>.pending()
      let (full, arrival) = Promise<Void>.pending()
      let arrived = Counter()
      let server = try MockServer {
        Route(.get, "/held/{number}") { request in
          if arrived.add() == count { arrival.fulfill(()) }
          return gate.map(on: .inline) { .text(request.path["number"]) }
        }
        Route(.get, "/full") { _ in full.map(on: .inline) { .text("full") } }
        Route(.post, "/open") { _ in
          opener.fulfill(())
          return .text("open")
        }
      }
      defer { server.stop() }
      try ExitTestArguments.write([server.port, count], as: "IN_FLIGHT")
      let result = await #expect(
        processExitsWith: .success, observing: [\.standardOutputContent]
      ) {
        let arguments = try ExitTestArguments.read("IN_FLIGHT")
        try await Self.sendRequests(port: arguments[0], count: arguments[1])
      }
      print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self))
      #expect(arrived.value == count)
      #expect(server.peakConcurrentRequests >= count)
    }

    /// Runs in the client process.
    private static func sendRequests(port: Int, count: Int) async throws {
      _ = ProcessResources.raiseFileLimit()
      var configuration = NetworkingConfiguration()
      configuration.cookies = .none
      configuration.connectTimeout = nil
      configuration.idleTimeout = nil
      let client = Networking<Request>(
        mode: .async, transport: PlatformTransport.make(), configuration: configuration)
      client.callbackContext = .inline
      client.baseURL = URL(string: "http://127.0.0.1:\(port)/")
      let files = ProcessResources.openFiles
      #if os(Linux)
        let memory = ProcessResources.residentBytes
      #endif
      let clock = ContinuousClock()
      let start = clock.now

      let promises = (0..<count).map { number in
        client.request(.get("held/\(number)")).validate().toString()
      }
      _ = try await client.request(.get("full")).validate().value
      let allFiles = ProcessResources.openFiles
      #if os(Linux)
        let threads = ProcessResources.threads
        let each = (ProcessResources.residentBytes - memory) / count
      #endif
      let inFlight = clock.now
      #expect(allFiles - files >= count)
      #if os(Linux)
        // The thread pool of libdispatch has dozens of threads, independent of the load.
        #expect(threads < 100)
      #endif
      #expect(promises.allSatisfy { $0.isPending })

      _ = try await client.request(.post("open")).validate().value
      for (number, promise) in promises.enumerated() {
        #expect(try await promise.value == "\(number)")
      }
      #if os(Linux)
        #expect(ProcessResources.threads < 100)
        // This includes about 20 KiB of libcurl for each exchange.
        #expect(each < 64 << 10 || thread_sanitizer_is_on())
        print("on \(threads) threads, with \(each) bytes each")
      #endif
      print("in flight: \(count), with \(allFiles) files open,")
      print("there after \(inFlight - start), done after \(clock.now - start)")
    }
  }
#endif
