// default isolation: MainActor
// compiles
import Mocking

struct Board: Codable {
  var id: Int
}

func provider() -> MockProvider<Request> {
  MockProvider { _ in .json(Board(id: 1)) }
}
