// default isolation: MainActor
// compiles
import Foundation
import Networking

nonisolated enum Server {
  static let baseURL = URL(string: "https://api.example.com/")
  static let version = "7"
}

enum BoardsAPI: RequestConvertible {
  case boards

  static var baseURL: URL? { Server.baseURL }
  static let headers: HTTPHeaders = ["X-Version": Server.version]

  var baseURL: URL? {
    switch self {
    case .boards: nil
    }
  }
  var headers: HTTPHeaders { ["Accept": "application/json"] }
  var request: Request { .get("boards") }
}

enum NotesAPI {
  case notes
}

nonisolated extension NotesAPI: RequestConvertible {
  static let baseURL = URL(string: "https://api.example.com/")
  static let headers = ["Accept": "application/json"]

  var request: Request { .get("notes") }
}

final class Screen {
  private let boards = Networking<BoardsAPI>()
  private let notes = Networking<NotesAPI>()

  func load() {
    boards.request(.boards)
    notes.request(.notes)
  }
}
