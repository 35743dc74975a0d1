import Mocking
import Testing

@MainActor struct RetryTests {
  @Test func loadsAfterTheServerHasRecovered() async throws {
    let time = TestScheduler()
    let provider = MockProvider<BoardsAPI>(scheduler: time) { _ in
      .sequence(.status(503), .status(503), .json([["id": 1, "title": "Kite"]]))
    }
    let networking = Networking(
      mockProvider: provider, retry: .delayed(.seconds(1), limit: 3))
    let boards = networking.request(.boards).validate().decode([Board].self)

    await time.run()
    #expect(try await boards.value == [Board(id: 1, title: "Kite")])
    #expect(time.elapsed == .seconds(2))
  }
}
