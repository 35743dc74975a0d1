// expect: type 'BoardsAPI' does not conform to protocol 'RequestConvertible'
import Networking

enum BoardsAPI: RequestConvertible {
  case boards

  var queryFormat: QueryFormat { .rails }

  var request: Request { .get("boards") }
}
