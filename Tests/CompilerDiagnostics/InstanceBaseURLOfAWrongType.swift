// expect: type 'BoardsAPI' does not conform to protocol 'RequestConvertible'
// expect 2: 'baseURL' must be a URL, a String, a BaseURL or an optional of these, and the same type for the type and its values
import Networking

enum BoardsAPI: RequestConvertible {
  case boards

  var baseURL: Int { 443 }

  var request: Request { .get("boards") }
}
