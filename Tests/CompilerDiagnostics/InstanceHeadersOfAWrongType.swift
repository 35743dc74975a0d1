// expect: type 'BoardsAPI' does not conform to protocol 'RequestConvertible'
// expect: 'headers' must be HTTPHeaders, [String: String] or an optional of these
import Networking

enum BoardsAPI: RequestConvertible {
  case boards

  var headers: [(String, String)] { [("Accept", "application/json")] }

  var request: Request { .get("boards") }
}
