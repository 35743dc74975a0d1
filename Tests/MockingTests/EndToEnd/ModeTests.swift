#if os(Linux) || os(macOS)
  import Foundation
  import Mocking
  import Networking
  import Promises
  import TestGate
  import TestSupport
  import Testing

  /// The number of concurrent requests of each client mode, measured by a server and by mocks.
  @Suite(.gated)
  struct ModeTests {
    private func client(
      _ mode: RequestMode, _ provider: MockProvider<Request>? = nil
    ) -> Networking<Request> {
      var configuration = NetworkingConfiguration()
      configuration.cookies = .none
      // No idle timeout, because other tests can delay this one by any duration.
      configuration.idleTimeout = nil
      let client = Networking<Request>(
        mode: mode, mockProvider: provider, configuration: configuration)
      client.callbackContext = .inline
      client.baseURL = .of("http://mocks.invalid/")
      return client
    }

    private static let widths: [(RequestMode, Int, Int)] = [
      (.sync, 1, 20), (.limited(3), 3, 30), (.async, 300, 300),
    ]

    @Test(arguments: widths)
    func theConcurrencyAtTheServerIsExactlyThatOfTheMode(
      _ mode: RequestMode, _ width: Int, _ count: Int
    ) async throws {
      let open = Log<(path: String, resolver: Resolver<Mock>)>()
      let server = try MockServer {
        Route(.get, "/{number}") { request in
          let (promise, resolver) = Promise<Mock>.pending()
          open.append((request.path["number"], resolver))
          return promise
        }
      }
      defer { server.stop() }
      let networking = client(mode)
      networking.baseURL = server.url
      let promises = (0..<count).map { networking.request(.get("\($0)")) }
      for number in 0..<count {
        let reached = await open.entries(min(number + width, count))
        #expect(server.concurrentRequests <= width)
        reached[number].resolver.fulfill(.text("x"))
      }
      for promise in promises { #expect(try await promise.value.status == 200) }
      #expect(server.peakConcurrentRequests == width)
      if mode == .sync { #expect(open.entries.map(\.path) == (0..<count).map { "\($0)" }) }
    }

    @Test(arguments: widths)
    func mocksHaveTheSameConcurrency(_ mode: RequestMode, _ width: Int, _ count: Int) async throws {
      let clock = RecordingScheduler()
      let networking = client(
        mode, MockProvider(delay: .seconds(1), scheduler: clock) { _ in .text("x") })
      let settled = Log<Int>()
      let promises = (0..<count).map { number in
        networking.request(.get("\(number)")).always { _ in settled.append(number) }
      }
      for round in 1...(count / width) {
        #expect(await clock.scheduled(round * width).count == round * width)
        #expect(clock.time.scheduledCount == width)
        await clock.time.advance(by: .seconds(1))
      }
      for promise in promises { #expect(try await promise.value.status == 200) }
      #expect(clock.now == .seconds(count / width))
      if mode == .sync { #expect(settled.entries == Array(0..<count)) }
    }
  }
#endif
