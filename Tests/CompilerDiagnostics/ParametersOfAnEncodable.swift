// expect: 'get(_:parameters:_:)' is unavailable: use 'json: value', Parameters(encoding: value), or nested '[...] as Parameters'
// expect: 'post(_:parameters:_:)' is unavailable: use 'json: value', Parameters(encoding: value), or nested '[...] as Parameters'
import Networking

struct Board: Encodable {
  var title = ""
}

func search(_ values: [String: String]) -> Request { .get("boards", parameters: values) }

func create(_ board: Board) -> Request { .post("boards", parameters: board) }
