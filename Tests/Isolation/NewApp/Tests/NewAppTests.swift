import Mocking
import Testing

/// A backend that keeps the boards that were created.
final class Backend {
  var titles: [String]
  var isDown = false
  var tokenIsExpired = false
  let time = TestScheduler()

  init(_ titles: String...) {
    self.titles = titles
  }

  func client() -> Networking<BoardsAPI> {
    Networking(
      mockProvider: MockProvider(delay: .seconds(1), scheduler: time) { endpoint in
        guard !self.isDown else { return .failure(.connectionLost) }
        switch endpoint {
        case .login:
          self.tokenIsExpired = false
          return .json(["token": "t-1"])
        case .boards where self.tokenIsExpired:
          // The provider is asked once for both attempts.
          return .sequence([.status(401), .json(self.boards)])
        case .boards: return .json(self.boards)
        case .board(let id): return .json(self.boards[id - 1])
        case .create(let draft):
          self.titles.append(draft.title)
          return .status(201)
        }
      })
  }

  private var boards: [Board] {
    titles.enumerated().map { Board(id: $0 + 1, title: $1) }
  }
}

struct NewAppTests {
  let backend = Backend("Kite", "Balsa Fish")

  @Test func handlersOfAModelSetItsProperties() async {
    let model = BoardListModel(networking: backend.client())
    model.load()
    #expect(model.isLoading)
    await backend.time.run()
    #expect(model.boards.map(\.title) == ["Kite", "Balsa Fish"])
    #expect(model.message == nil)
    #expect(!model.isLoading)
  }

  @Test func aModelSendsARequestAfterAnother() async {
    let model = BoardListModel(networking: backend.client())
    model.create("Glider")
    await backend.time.run()
    #expect(model.message == "3 boards")
    #expect(model.boards.last == Board(id: 3, title: "Glider"))
  }

  @Test func aMethodOfAModelShowsAnError() async {
    let model = BoardListModel(networking: backend.client())
    backend.isDown = true
    model.create("Glider")
    await backend.time.run()
    #expect(model.message?.hasPrefix("POST https://api.example.com/v1/boards") == true)
  }

  @Test func stepsCallMethodsOfAScreen() async {
    let screen = BoardScreen(networking: backend.client())
    screen.loadFirst()
    await backend.time.run()
    #expect(screen.title == "KITE")
    screen.loadBoth()
    await backend.time.run()
    #expect(screen.title == "Kite, Balsa Fish")
    screen.load(2)
    await backend.time.run()
    #expect(screen.title == "Balsa Fish")
    backend.isDown = true
    screen.loadFirst()
    await backend.time.run()
    #expect(screen.status == "connectionLost")
  }

  @Test func aTaskOfAViewLoadsItsModel() async {
    let model = BoardsViewModel(
      networking: Networking(
        mockProvider: MockProvider { _ in .json([Board(id: 1, title: "Kite")]) })
    )
    await BoardsView(model: model).body.appear().value
    #expect(model.titles == ["Kite"])
  }

  @Test func aDelegateSettlesAPromise() async throws {
    let creation = BoardCreation(
      networking: Networking(mockProvider: MockProvider { _ in .status(201) }))
    let response = creation.start()
    creation.dialog.end(with: "Glider")
    #expect(try await response.value.status == 201)
    #expect(creation.created == ["Glider"])
  }

  @Test func aStoreRecoversFromAFailure() async throws {
    let store = BoardStore(networking: backend.client())
    for isDown in [false, true] {
      backend.isDown = isDown
      let titles = store.titles()
      await backend.time.run()
      #expect(try await titles.value == ["Kite", "Balsa Fish"])
    }
    #expect(store.misses == 1)
  }

  @Test func aMonitorCountsTheRequestsOfASession() async {
    let session = Session(networking: backend.client(), login: backend.client())
    let boards = session.networking.request(.boards)
    await backend.time.advance(by: .milliseconds(500))
    #expect(session.requests == 1)
    await backend.time.run()
    #expect(session.requests == 0)
    backend.isDown = true
    let failed = session.networking.request(.boards)
    await backend.time.run()
    #expect(session.failures.count == 1)
    #expect(boards.isFulfilled && failed.isRejected)
  }

  @Test func anInterceptorLogsInAgain() async throws {
    let session = Session(networking: backend.client(), login: backend.client())
    backend.tokenIsExpired = true
    let response = session.networking.request(.boards).validate()
    await backend.time.run()
    #expect(try await response.value.status == 200)
    #expect(session.logins == 1)
  }
}
