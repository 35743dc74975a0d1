import CatenaTesting
import Testing

@testable import BoardsKit

@MainActor @Suite(.virtualTime)
struct OfflineTests {
  private let server = DemoServer()

  /// The screen of a board that was opened before the network was lost.
  private func openBoard() async throws -> (BoardModel, Outbox) {
    let workspace = await server.signedIn()
    let model = BoardModel(.kite, in: workspace)
    try await Test.virtualTime.run { await model.cards.load() }
    server.isReachable = false
    return (model, workspace.outbox)
  }

  @Test func aCardAddedOfflineWaitsUntilTheNetworkReturns() async throws {
    let (model, outbox) = try await openBoard()
    model.add("Tail")
    await Test.virtualTime.run()
    let card = try #require(model.cards.value?.first)
    #expect(model.isWaiting(card))
    #expect(model.message == nil)

    server.isReachable = true
    await Test.virtualTime.run()
    #expect(!model.isWaiting(card))
    #expect(outbox.replays == 1)
    try await Test.virtualTime.run { await model.cards.load() }
    #expect(model.cards.value == [card])
  }

  @Test func aCardRenamedOfflineTwiceIsSentOnce() async throws {
    let (model, outbox) = try await openBoard()
    model.add("Tail")
    await Test.virtualTime.run()
    model.rename(try #require(outbox.waiting.first), to: "Long Tail")
    await Test.virtualTime.run()
    #expect(outbox.waiting.map(\.title) == ["Long Tail"])

    server.provider.journal.reset()
    server.isReachable = true
    await Test.virtualTime.run()
    try server.provider.verify(.put, "boards/2/cards/{id}", .exactly(1))
    try server.provider.verify(
      .put, "boards/2/cards/{id}", where: .json(containing: ["title": "Long Tail"]))
  }

  @Test func aBoardOpensOfflineWithItsWaitingCards() async throws {
    let (model, outbox) = try await openBoard()
    model.add("Tail")
    await Test.virtualTime.run()
    try await Test.virtualTime.run { await model.cards.load() }
    #expect(model.cards.value?.map(\.title) == ["Tail"])
    #expect(model.cards.value == outbox.waiting)
    #expect(model.cards.message == nil)
  }

  @Test(
    .mocked {
      Route(.put, "/v1/boards/2/cards/{id}", .status(204).delayed(by: .seconds(5)))
      Route(.get, "/v1/boards/2/cards", .json([Card]()))
    })
  func aCardStaysWhileItIsSentAndTheBoardIsLoadedAgain() async throws {
    let model = BoardModel(.kite, in: .signedIn())
    model.add("Tail")
    await model.cards.load()
    #expect(model.cards.value?.map(\.title) == ["Tail"])
    await Test.virtualTime.run()
    #expect(model.message == nil)
  }

  @Test(
    .mocked {
      Route(.put, "/v1/boards/2/cards/{id}", .failure(.notConnectedToInternet)).times(3)
      Route(.put, "/v1/boards/2/cards/{id}", .status(422))
    })
  func aRefusedChangeIsReported() async {
    let workspace = Workspace.signedIn()
    BoardModel(.kite, in: workspace).add("Tail")
    await Test.virtualTime.run()
    #expect(workspace.outbox.waiting.map(\.title) == ["Tail"])

    workspace.outbox.replay()
    await Test.virtualTime.run()
    #expect(workspace.outbox.waiting.isEmpty)
    #expect(workspace.outbox.message?.contains("Tail") == true)
  }

  @Test(
    .mocked {
      Route(.put, "/v1/boards/2/cards/{id}", .status(422))
      Route(.get, "/v1/boards/2/cards", .json([Card]()))
    })
  func aChangeThatTheServerRefusesIsReverted() async {
    let model = BoardModel(.kite, in: .signedIn())
    model.add("Tail")
    #expect(model.cards.value?.map(\.title) == ["Tail"])
    await Test.virtualTime.run()
    #expect(model.cards.value == [])
    #expect(model.message == "Something went wrong.")
  }

  @Test(.mocked(BoardsAPI.self) { _ in .failure(.notConnectedToInternet) })
  func theChangesOfAnEarlierRunWait() async {
    BoardModel(.kite, in: .signedIn()).add("Tail")
    await Test.virtualTime.run()
    #expect(Workspace.signedIn().outbox.waiting.map(\.title) == ["Tail"])
  }
}
