// default isolation: MainActor
// expect: main actor-isolated conformance of 'Board' to 'Encodable' cannot be used in nonisolated context
import Mocking

struct Board: Codable {
  var id: Int
}

func route() -> Route {
  Route(.get, "/board") { _ in .json(Board(id: 1)) }
}
