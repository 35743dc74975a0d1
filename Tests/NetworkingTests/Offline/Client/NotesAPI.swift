import Foundation
import Networking

/// Endpoints that want nothing lost.
enum NotesAPI: RequestConvertible {
  case add(String)
  case put(Int, key: String = "")
  case list

  static let baseURL: URL? = URL(string: "https://api.example.com/v1/")
  static let headers: HTTPHeaders = ["Accept": "text/plain", "X-Api-Key": "s3cret"]

  var request: Request {
    switch self {
    case .add(let text): .post("notes", parameters: ["text": .string(text)]).storing(.offline)
    case .put(let number, let key): .put("notes/\(number)").storing(.offline, key: key)
    case .list: .get("notes")
    }
  }
}
