// default isolation: MainActor
// expect: main actor-isolated default value in a nonisolated context
// expect: main actor-isolated static property 'baseURL' can not be referenced from a nonisolated context
import Foundation
import Networking

enum Server {
  static let baseURL = URL(string: "https://api.example.com/")
  static let version = "7"
}

enum BoardsAPI: RequestConvertible {
  case boards

  static var baseURL: URL? { Server.baseURL }
  static let headers: HTTPHeaders = ["X-Version": Server.version]

  var request: Request { .get("boards") }
}
