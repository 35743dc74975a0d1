// expect: type 'BoardsAPI' does not conform to protocol 'RequestConvertible'
// expect 2: 'headers' must be HTTPHeaders, [String: String] or an optional of these, and the same type for the type and its values
import Networking

enum BoardsAPI: RequestConvertible {
  case boards

  static let headers = ["X-Version": 3]

  var request: Request { .get("boards") }
}
