// default isolation: MainActor
// expect: main actor-isolated conformance of 'Board' to 'Decodable' cannot be used in actor-isolated context
import Networking

struct Board: Codable {
  var id: Int
}

actor Library {
  private let networking = Networking<Request>()

  func board() async throws -> Board {
    try await networking.request(.get("https://api.example.com/board")).decode(Board.self).value
  }
}
