import Mocking
import Testing

@MainActor final class SlowScreen {
  private(set) var text = ""
  private let networking: Networking<BoardsAPI>

  init(networking: Networking<BoardsAPI>) { self.networking = networking }

  func load() {
    networking.request(.boards).validate().toString().done { text in self.text = text }
  }
}

@MainActor struct SlowScreenTests {
  @Test func showsTheResponseAfterTwoSeconds() async {
    let time = TestScheduler()
    let provider = MockProvider<BoardsAPI>(delay: .seconds(2), scheduler: time) { _ in .json([]) }
    let screen = SlowScreen(networking: Networking(mockProvider: provider))

    screen.load()
    await time.advance(by: .seconds(1))
    #expect(screen.text == "")
    await time.advance(by: .seconds(1))
    #expect(screen.text == "[]")
  }
}
