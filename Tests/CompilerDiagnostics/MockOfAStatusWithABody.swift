// expect 2: 'status' is unavailable: a status has no body; use '.json(value, status: 201)' or '.text(text, status: 201)'
// expect: 'status' is unavailable: give the status to the body: '.json(value, status: 201)'
// expect: 'status(_:json:)' is unavailable: use '.json(value, status: 201)'
import Mocking

struct Board: Codable, Sendable {
  var id: Int
}

func mocks(_ board: Board) -> [Mock] {
  [
    .status(201, board),
    .status(201, "created"),
    .status(201, .json([])),
    .status(201, json: board),
  ]
}
