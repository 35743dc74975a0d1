#if os(Linux)
  import Foundation
  import Mocking
  import Networking
  import Promises
  import TestSupport
  import Testing
  import ThreadSanitizerSupport

  /// The server in this process, the client in one of its own, where nobody else opens files and starts
  /// threads, and which has all the descriptors to itself.
  @Suite(.timeLimit(.minutes(10)), .serialized)
  struct ThousandsInFlightTests {
    @Test func tenThousandInFlightAllCompleteOnAFewThreads() async throws {
      let wanted = thread_sanitizer_is_on() ? 1_000 : 10_000
      let count = min(wanted, ProcessCensus.raiseFileLimit() - 1_000)
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
      try Handover.give([server.port, count], as: "IN_FLIGHT")
      let result = await #expect(
        processExitsWith: .success, observing: [\.standardOutputContent]
      ) {
        let given = try Handover.take("IN_FLIGHT")
        try await Self.ask(port: given[0], count: given[1])
      }
      print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self))
      #expect(arrived.value == count)
      #expect(server.peakConcurrentRequests >= count)
    }

    /// What the client's process does.
    private static func ask(port: Int, count: Int) async throws {
      _ = ProcessCensus.raiseFileLimit()
      var configuration = NetworkingConfiguration()
      configuration.cookies = .none
      configuration.connectTimeout = nil
      configuration.idleTimeout = nil
      let client = Networking<Request>(
        mode: .async, transport: CurlTransport(), configuration: configuration)
      client.callbackContext = .inline
      client.setBaseURL(URL(string: "http://127.0.0.1:\(port)/"))
      let (files, memory) = (ProcessCensus.openFiles, ProcessCensus.residentBytes)
      let clock = ContinuousClock()
      let start = clock.now

      let promises = (0..<count).map { number in
        client.request(.get("held/\(number)")).validate().toString()
      }
      _ = try await client.request(.get("full")).validate().value
      let (threads, allFiles) = (ProcessCensus.threads, ProcessCensus.openFiles)
      let each = (ProcessCensus.residentBytes - memory) / count
      let inFlight = clock.now
      #expect(allFiles - files >= count)
      // The dispatch library has a pool of some dozens, whatever it is given to do.
      #expect(threads < 100)
      #expect(promises.allSatisfy { $0.stillPends })

      _ = try await client.request(.post("open")).validate().value
      for (number, promise) in promises.enumerated() {
        #expect(try await promise.value == "\(number)")
      }
      #expect(ProcessCensus.threads < 100)
      // Beside what libcurl has for each, some 20 KiB.
      #expect(each < 64 << 10 || thread_sanitizer_is_on())
      print("in flight: \(count), on \(threads) threads, with \(allFiles) files open,")
      print("\(each) bytes each, there after \(inFlight - start), done after \(clock.now - start)")
    }
  }
#endif
