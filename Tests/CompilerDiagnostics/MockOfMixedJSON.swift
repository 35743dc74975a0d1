// compiles
import Mocking

struct Board: Codable, Sendable {
  var id: Int
}

func mocks(id: Int, name: String?) -> [Mock] {
  [
    .json(["id": id, "title": "x"]),
    .json(["id": id]),
    .json(["id": 7, "tags": ["a", nil, 1]]),
    .json(["id": id, "name": name, "parent": nil]),
    .json([["id": 7]]),
    .json(Board(id: id)),
    .json([Board(id: id)]),
    .json(["board": Board(id: id), "count": 1]),
    .json([]),
    .json("text"),
  ]
}

func routes(id: Int) -> MockTransport {
  let transport = MockTransport {
    Route(.get, "/boards/{name}") { request in .json(["name": request.path["name"], "id": id]) }
    Route(.get, "/boards") { _ in .json([["id": 7]]) }
  }
  return transport
}
