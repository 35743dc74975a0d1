// compiles
import Networking

struct Request {}
struct Response {}

enum BoardsAPI: RequestConvertible {
  case boards
  var request: Networking.Request { .get("boards") }
}

func status(of response: Networking.Response) -> Int { response.status }

func status(_ networking: Networking<BoardsAPI>) -> Promise<Int> {
  networking.request(.boards).map { response in status(of: response) }
}
