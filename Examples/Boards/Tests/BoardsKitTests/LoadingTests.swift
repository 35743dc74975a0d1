import CatenaTesting
import Testing

@testable import BoardsKit

@MainActor @Suite(.virtualTime)
struct LoadingTests {
  private let workspace = Workspace.signedIn()
  private var boards: Loader<[Board]> { workspace.boards }

  @Test(.mocked(BoardsAPI.self, delay: .seconds(5)) { _ in .json([Board.kite]) })
  func progressShowsUntilTheBoardsArrive() async throws {
    let loading = Task { await boards.load() }
    _ = try await Test.mocks.takeRequest().value
    #expect(boards.isLoading)
    await Test.virtualTime.advance(by: .seconds(5))
    await loading.value
    #expect(!boards.isLoading)
    #expect(boards.value == [.kite])
    try Test.mocks.verify(
      .get, "boards", .exactly(1), where: .header("Authorization", "Bearer t-1"))
    try Test.mocks.verifyNothingElse()
  }

  @Test(.mocked(BoardsAPI.self) { _ in .json([Board]()) })
  func anEmptyListIsNoError() async throws {
    try await Test.virtualTime.run { await boards.load() }
    #expect(boards.value == [])
    #expect(boards.message == nil)
  }

  @Test(
    .mocked {
      Route(.get, "/v1/boards", .status(503)).times(3)
      Route(.get, "/v1/boards", .json([Board.kite]))
    })
  func anErrorShowsUntilTheUserTriesAgain() async throws {
    try await Test.virtualTime.run { await boards.load() }
    #expect(boards.message == "The server has a problem. Try again later.")
    #expect(boards.value == nil)
    try Test.mocks.verify(.get, "boards", .exactly(3))

    try await Test.virtualTime.run { await boards.load() }
    #expect(boards.message == nil)
    #expect(boards.value == [.kite])
  }

  @Test(
    .mocked {
      Route(.get, "/v1/boards", .json([Board.kite])).times(1)
      Route(.get, "/v1/boards", .status(404))
    })
  func theBoardsStayWhenTheyCannotBeLoadedAgain() async throws {
    try await Test.virtualTime.run { await boards.load() }
    try await Test.virtualTime.run { await boards.load() }
    #expect(boards.value == [.kite])
    #expect(boards.message == "Something went wrong.")
  }

  @Test(.mocked(BoardsAPI.self, delay: .seconds(5)) { _ in .json([Board.kite]) })
  func theRequestIsCancelledWhenTheScreenDisappears() async throws {
    let screen = Task { await boards.load() }
    _ = try await Test.mocks.takeRequest().value
    screen.cancel()
    await screen.value
    #expect(Test.mocks.journal.entries.map(\.outcome) == [.failure(.cancelled)])
    #expect(!boards.isLoading)
    #expect(boards.message == nil)
  }
}
