import Mocking
import Testing

@MainActor struct BoardsModelTests {
  private let time = TestScheduler()

  private func client(
    _ mock: @escaping @Sendable (BoardsAPI) -> Mock
  ) -> Networking<BoardsAPI> {
    Networking(mockProvider: MockProvider(delay: .seconds(1), scheduler: time, mock))
  }

  @Test func handlersShowADecodedResponse() async {
    let model = BoardsModel(networking: client { _ in .json([["id": 1, "title": "Kite"]]) })
    model.load()
    #expect(model.isLoading)
    await time.run()
    #expect(model.boards == [Board(id: 1, title: "Kite")])
    #expect(model.message == nil)
    #expect(!model.isLoading)
  }

  @Test func handlersShowTheErrorOfARejectedResponse() async {
    let model = BoardsModel(networking: client { _ in .status(503) })
    model.load()
    await time.run()
    #expect(model.boards.isEmpty)
    #expect(
      model.message == "GET https://api.example.com/v1/boards: the status 503 is not acceptable")
    #expect(!model.isLoading)
  }

  @Test func aStepOfAScreenSendsADependentRequest() async {
    let screen = FirstBoard(
      networking: client { endpoint in
        if case .board(let id) = endpoint {
          .json(["id": .int(id), "title": "Balsa Fish"])
        } else {
          .json([["id": 7, "title": "Kite"]])
        }
      })
    screen.load()
    await time.run()
    #expect(screen.title == "Balsa Fish")
  }

  @Test func aStepThatRecoversReadsTheStateOfItsObject() async throws {
    let isDown = MockState(false)
    let cache = BoardCache(
      networking: client { _ in
        isDown.value ? .failure(.connectionLost) : .json([["id": 1, "title": "Kite"]])
      })
    for state in [false, true] {
      isDown.withValue { $0 = state }
      let boards = cache.load()
      await time.run()
      #expect(try await boards.value == [Board(id: 1, title: "Kite")])
    }
  }

  @Test func aFormLogsInAndLoadsWithTheToken() async {
    let provider = MockProvider<BoardsAPI>(delay: .seconds(1), scheduler: time) { endpoint in
      if case .login = endpoint { .json(["token": "t-1"]) } else { .json([]) }
    }
    let form = LoginForm(networking: Networking(mockProvider: provider))
    form.submit()
    await time.run()
    #expect(form.message == nil)
    #expect(throws: Never.self) {
      try provider.verify(
        .get, "boards", .exactly(1), where: .header("Authorization", "Bearer t-1"))
    }
  }
}
