// default isolation: MainActor
// compiles
import Foundation
import Mocking

nonisolated struct Board: Codable {
  var id: Int
}

nonisolated struct Parser {
  static func parse(_ data: Data) throws -> [Board] {
    try JSONDecoder().decode([Board].self, from: data)
  }
}

struct PutBoard: TypedEndpoint {
  typealias ResponseType = Board
  let board: Board
  var request: Request {
    get throws { try .put("boards", parameters: Parameters(encoding: board)) }
  }
}

actor Library {
  private let networking = Networking<Request>(
    mockProvider: MockProvider { _ in .json(Board(id: 1)) })

  func boards() async throws -> [Board] {
    async let board = networking.fetch(PutBoard(board: Board(id: 1))).value
    let boards = networking.request(.get("https://api.example.com/boards")).toData()
      .thenInBackground { data in try Parser.parse(data) }
    return try await boards.value + [board]
  }
}
