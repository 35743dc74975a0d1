// expect: type 'BoardsAPI' does not conform to protocol 'RequestConvertible'
import Networking

struct Request {}

enum BoardsAPI: RequestConvertible {
  case boards
  var request: Request { Request() }
}
