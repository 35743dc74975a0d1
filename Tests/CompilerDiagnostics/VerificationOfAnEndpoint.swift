// expect 2: 'verify' is unavailable: a verification names the method and the path: 'verify(.get, "boards")'
import Mocking
import Networking

enum BoardsAPI: RequestConvertible {
  case boards
  case board(Int)

  var request: Request { .get("boards") }
}

func check(_ provider: MockProvider<BoardsAPI>) throws {
  try provider.verify(.boards)
  try provider.verify(.board(7), .exactly(2))
}
