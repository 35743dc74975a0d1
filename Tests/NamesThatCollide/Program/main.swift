import CatenaPromises
import Foundation
import Networking
import Promises

/// Types with names of Catena's.
struct JSON: Equatable {
  var text: String
}
struct Request {
  var id: Int
}
struct Response {
  var json: JSON
}

enum BoardsAPI: RequestConvertible {
  case board(Request)

  static let baseURL = URL(string: "http://127.0.0.1:1/")

  var request: NetworkRequest {
    switch self {
    case .board(let own): .get("boards/\(own.id)")
    }
  }
}

let networking = Networking<BoardsAPI>(retry: .never)
let json: CatenaPromises.Promise<Networking.JSON> = networking.request(.board(Request(id: 7)))
  .toJson()
let failed = await json.recover { _ -> NetworkJSON in ["id": 7] }.result
let own = Promises.Promise(Response(json: JSON(text: "own")))
print(try failed.get()["id"].int ?? 0, own.value.json.text)
