// expect: type 'BoardsAPI' does not conform to protocol 'RequestConvertible'
// expect 2: 'baseURL' must be a URL, a String, a BaseURL or an optional of these, and the same type for the type and its values
// expect 2: 'headers' must be HTTPHeaders, [String: String] or an optional of these, and the same type for the type and its values
// expect 2: 'queryFormat' must be a QueryFormat or an optional of it, and the same type for the type and its values
import Foundation
import Networking

enum BoardsAPI: RequestConvertible {
  case boards

  static let baseURL = "https://api.example.com/"
  static let headers = ["Accept": "application/json"]

  var baseURL: URL? { URL(string: "https://accounts.example.com/") }

  var request: Request { .get("boards") }
}
