// default isolation: MainActor
// expect: conformance of 'BoardsAPI' to protocol 'RequestConvertible' crosses into main actor-isolated code
import Foundation
import Networking

enum BoardsAPI {
  case boards
}

extension BoardsAPI: RequestConvertible {
  static let baseURL = URL(string: "https://api.example.com/")
  static let headers: HTTPHeaders = ["Accept": "application/json"]

  var request: Request { .get("boards") }
}
