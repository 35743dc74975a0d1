#if os(Linux)
  import Foundation
  import Mocking
  import Networking
  import NetworkingTransfers
  import TestGate
  import TestSupport
  import Testing

  @Suite(.gated)
  struct CurlPausedConnectionTests {
    /// libcurl gives the connection of an exchange to the next one before the first one is removed.
    ///
    /// The next one may have paused by then, so that its connection looks like a kept one with bytes that no request
    /// has asked for.
    @Test func anExchangeThatPausesKeepsTheConnectionOfAnEarlierOne() async throws {
      let content = Data.pattern(1_000_000)
      let server = try MockServer {
        Route(.get, "/film", .data(content, contentType: "video/mp4"))
        Route(.get, "/item", .text("item"))
      }
      let folder = TemporaryFolder(in: TemporaryFolder.memory)
      let client = Networking<Request>(configuration: .plain)
      client.callbackContext = .inline
      client.baseURL = server.url
      try await withThrowingTaskGroup(of: Void.self) { group in
        for lane in 0..<4 {
          group.addTask {
            let file = folder.url("film-\(lane)")
            for _ in 0..<40 {
              #expect(try await client.request(.get("item")).toString().value == "item")
              _ = try await client.transfer(.get("film"), to: file).value
              #expect(try Data(contentsOf: file) == content)
            }
          }
        }
        try await group.waitForAll()
      }
    }
  }
#endif
