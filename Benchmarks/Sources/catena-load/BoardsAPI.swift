import Foundation
import Mocking

/// The endpoints of the requests.
enum BoardsAPI: RequestConvertible {
  case board(id: Int)

  static var baseURL: URL? { Addresses.next ?? URL(string: "http://127.0.0.1/") }
  static let headers: HTTPHeaders = ["Accept": "application/json"]

  var request: Request {
    switch self {
    case .board(let id): .get("boards/\(id)")
    }
  }
}
