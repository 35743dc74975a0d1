// expect: type 'BoardsAPI' does not conform to protocol 'RequestConvertible'
// expect: rename 'baseUrl' to 'baseURL'
import Foundation
import Networking

enum BoardsAPI: RequestConvertible {
  case boards

  static let baseUrl = URL(string: "https://api.example.com/v1/")

  var request: Request { .get("boards") }
}
