// expect: type 'BoardsAPI' does not conform to protocol 'RequestConvertible'
import Foundation
import Networking

enum BoardsAPI: RequestConvertible {
  case boards

  static let baseURL = URL(string: "https://api.example.com/v1/")
}
