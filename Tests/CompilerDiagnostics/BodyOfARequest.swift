// expect 2: 'post(_:body:_:)' is unavailable: use 'json: value', or .upload(data: data, to: path)
// expect: 'post(_:data:_:)' is unavailable: use 'json: value', or .upload(data: data, to: path)
import Foundation
import Networking

struct Board: Encodable {
  var title = ""
}

func create(_ board: Board) -> Request { .post("boards", body: board) }

func save(_ data: Data) -> Request { .post("boards", body: data) }

func send(_ data: Data) -> Request { .post("boards", data: data) }
