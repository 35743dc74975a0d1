import Networking

nonisolated struct Draft: Codable {
  var title: String
}

enum EditAPI: RequestConvertible {
  case create(Draft)
  case rename(Draft, id: Int)

  var request: Request {
    get throws {
      switch self {
      case .create(let draft): try .post("boards", parameters: Parameters(encoding: draft))
      case .rename(let draft, let id):
        try .put("boards/\(id)", parameters: Parameters(encoding: draft))
      }
    }
  }
}
