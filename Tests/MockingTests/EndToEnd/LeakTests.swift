#if os(Linux) || os(macOS)
  import Foundation
  import Mocking
  import Networking
  import Promises
  import TestGate
  import TestSupport
  import Testing
  import ThreadSanitizerSupport

  /// Tests that requests release their resources.
  ///
  /// The server runs in this process, and the client in another one, whose open files and memory
  /// are measured.
  @Suite(.gated, .serialized)
  struct LeakTests {
    /// A set of requests with every kind of result.
    private final class Load: Sendable {
      static let ways = 5

      let promises = InstanceCounter()
      let transport: CountingTransport
      private let clock: RecordingScheduler
      private let plain: Networking<Request>
      private let waiting: Networking<Request>
      private let timed: Networking<Request>
      private let requests = Counter()
      private let deadlines = Counter()
      private let stalled = Counter()

      init(port: Int) {
        let transport = CountingTransport(PlatformTransport.make())
        let clock = RecordingScheduler()
        (self.transport, self.clock) = (transport, clock)
        func client(_ mode: RequestMode, _ scheduler: any Scheduler) -> Networking<Request> {
          var configuration = NetworkingConfiguration()
          configuration.cookies = .none
          configuration.scheduler = scheduler
          let client = Networking<Request>(
            mode: mode, transport: transport, configuration: configuration)
          client.baseURL = URL(string: "http://127.0.0.1:\(port)/")
          return client
        }
        plain = client(.async, .live)
        waiting = client(.sync, .live)
        timed = client(.async, clock)
      }

      /// The promise and its operation are counted until they are released.
      private func request(_ client: Networking<Request>, _ request: Request) -> NetworkPromise {
        requests.add()
        client.callbackContext = .custom(holding: promises.token())
        defer { client.callbackContext = .inline }
        return client.request(request)
      }

      var made: Int { requests.value }

      /// Performs `count` requests of each kind concurrently.
      func perform(_ count: Int) async {
        func many(_ make: () -> NetworkPromise) -> [NetworkPromise] {
          (0..<count).map { _ in make() }
        }
        let good = many { request(plain, .get("good")).validate() }
        let missing = many { request(plain, .get("missing")).validate() }
        waiting.suspend()
        let queued = many { request(waiting, .get("good")) }
        for promise in queued { promise.cancel() }
        waiting.resume()
        let cancelled = many { request(plain, .get("stalled")) }
        let late = many { request(timed, .get("stalled", .timeout(.seconds(10)))) }
        _ = await clock.scheduled(deadlines.add(count))
        let target = stalled.add(2 * count)
        var heads = transport.heads.entries
        while heads.count(where: { $0 == "/stalled" }) < target {
          heads = await transport.heads.entries(heads.count + 1)
        }
        for promise in cancelled { promise.cancel() }
        await clock.time.advance(by: .seconds(10))
        for promise in good { #expect((try? await promise.value.status) == 200) }
        await expect(missing) { $0?.code == .unacceptableStatus(404) }
        await expect(late) { $0?.code == .timedOut(.call) }
        for promise in queued + cancelled {
          #expect(await promise.result.error is CancellationError)
        }
      }

      private func expect(
        _ promises: [NetworkPromise], _ isRight: (NetworkError?) -> Bool
      ) async {
        for promise in promises {
          #expect(isRight(await promise.result.failure(as: NetworkError.self)))
        }
      }
    }

    @Test func fiveThousandRequestsOfAllResultsReleaseEverything() async throws {
      let rounds = thread_sanitizer_is_on() ? 2 : 10
      let server = try MockServer {
        Route(.get, "/good") { _ in .text("good") }
        Route(.get, "/stalled") { _ in
          // URLSession may keep the head of a plain text until it has 512 bytes of the body.
          .json(["never"]).interrupted(by: .stall, at: .body(afterBytes: 2))
        }
      }
      defer { server.stop() }
      try ExitTestArguments.write([server.port, rounds], as: "NOTHING_LEFT")
      let result = await #expect(
        processExitsWith: .success, observing: [\.standardOutputContent]
      ) {
        let arguments = try ExitTestArguments.read("NOTHING_LEFT")
        try await Self.sendRequests(port: arguments[0], rounds: arguments[1])
      }
      print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self))
    }

    /// Runs in the client process.
    private static func sendRequests(port: Int, rounds: Int) async throws {
      func settled(_ isSettled: () -> Bool) async {
        while !isSettled() { await Task.yield() }
      }
      func perform(_ rounds: Int) async -> Int {
        let (promises, made): (InstanceCounter, Int)
        do {
          let load = Load(port: port)
          for _ in 0..<rounds { await load.perform(100) }
          await settled { load.promises.liveCount == 0 && load.transport.liveCount == 0 }
          (promises, made) = (load.promises, load.made)
        }
        #expect(promises.liveCount == 0)
        #if os(Linux)
          // The end of the I/O thread releases the connections and handles.
          await settled { ProcessResources.threads(named: "Catena.Curl") == 0 }
        #endif
        return made
      }
      _ = await perform(4)
      #if os(Linux)
        let (files, memory) = (ProcessResources.openFiles, ProcessResources.residentBytes)
      #endif
      let clock = ContinuousClock()
      let start = clock.now
      let made = await perform(rounds)
      #expect(made == rounds * 100 * Load.ways)
      print("\(made) requests in \(clock.now - start)")
      #if os(Linux)
        #expect(ProcessResources.openFiles == files)
        let growth = ProcessResources.residentBytes - memory
        #expect(growth < 16 << 20 || thread_sanitizer_is_on())
        print("\(growth >> 10) KiB more memory")
      #endif
    }
  }
#endif
