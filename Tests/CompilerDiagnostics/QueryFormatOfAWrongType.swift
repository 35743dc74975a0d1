// expect: type 'BoardsAPI' does not conform to protocol 'RequestConvertible'
// expect 2: 'queryFormat' must be a QueryFormat or an optional of it, and the same type for the type and its values
import Networking

enum BoardsAPI: RequestConvertible {
  case boards

  static let queryFormat = "rails"

  var request: Request { .get("boards") }
}
