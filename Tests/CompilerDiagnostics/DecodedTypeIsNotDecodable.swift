// expect: requires that 'Board' conform to 'Decodable'
import Networking

struct Board {
  var id: Int
}

func board(_ networking: Networking<Request>) -> Promise<Board> {
  networking.request(.get("https://api.example.com/board")).decode(Board.self)
}
