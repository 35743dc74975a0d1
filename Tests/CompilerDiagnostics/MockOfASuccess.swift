// expect 2: 'success' is unavailable: use '.json(value)', '.text(text)' or '.status(200)'
// expect: 'ok' is unavailable: use '.status(200)'
// expect: 'notFound' is unavailable: use '.status(404)'
import Mocking

struct Board: Codable, Sendable {
  var id: Int
}

func mocks(_ board: Board) -> [Mock] {
  [.success(board), .success(["id": 7]), .ok, .notFound]
}
