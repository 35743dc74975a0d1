// default isolation: MainActor
// expect: main actor-isolated conformance of 'Board' to 'Decodable' cannot be used in nonisolated context
// expect: 'nil' is not compatible with expected argument type 'any Actor'
import Networking

struct Board: Codable {
  var id: Int
}

func board(_ networking: Networking<Request>) async throws -> Board {
  async let board = networking.request(.get("https://api.example.com/board"))
    .decode(Board.self).value
  return try await board
}
