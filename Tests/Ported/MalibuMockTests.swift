import Foundation
import Mocking
import Networking
import Promises
import TestGate
import TestSupport
import Testing

/// Malibu: mock providers.
@Suite(.gated)
struct MalibuMockTests {
  @Test("M9: a mock provider with a file, JSON and data, and a real request")
  func mocks() async throws {
    let server = try sampleServer()
    let (folder, time) = (TemporaryFolder(), TestScheduler())
    _ = try folder.file("boards.json", #"[{"id": 1, "title": "Balsa Fish"}]"#)
    let responseData = Data("updated".utf8)
    // sample M9
    let mockProvider = MockProvider<SharkywatersEndpoint>(delay: .seconds(1), scheduler: time) {
      endpoint in
      switch endpoint {
      case .fetchBoards: .file("boards.json", in: folder.url)
      case .showBoard(let id): .json(["id": id, "title": "Balsa Fish"])
      case .updateBoard: .data(responseData, contentType: "text/plain", status: 202)
      default: nil
      }
    }
    let networking = Networking<SharkywatersEndpoint>(to: server, mockProvider: mockProvider)
    // end
    let boards = networking.request(.fetchBoards).validate().toJsonArray()
    let board = networking.request(.showBoard(id: 7)).validate().decode(Board.self)
    let update = networking.request(.updateBoard(id: 7, type: 1, title: "Fish"))
    #expect(try await networking.request(.deleteBoard(id: 7)).value.status == 200)
    #expect(boards.isPending && board.isPending && update.isPending)
    await time.advance(by: .seconds(1))
    #expect(try await boards.value == [["id": 1, "title": "Balsa Fish"]])
    #expect(try await board.value == Board(id: 7, title: "Balsa Fish"))
    let updated = try await update.value
    #expect(updated.status == 202 && updated.data == responseData)
    #expect(server.receivedRequests.map(\.description) == ["DELETE /api/boards/7"])
  }

  @Test("M9b: a mock with an error of the caller") func mockedError() async throws {
    struct CustomError: Error {}
    // sample M9b
    let mockProvider = MockProvider<SharkywatersEndpoint> { endpoint in
      if case .updateBoard = endpoint { .failure(CustomError()) } else { nil }
    }
    // end
    let server = try sampleServer()
    let networking = Networking<SharkywatersEndpoint>(to: server, mockProvider: mockProvider)
    let update = networking.request(.updateBoard(id: 7, type: 1, title: "Fish"))
    #expect(await update.result.error is CustomError)
    #expect(server.receivedRequests.isEmpty)
  }
}
