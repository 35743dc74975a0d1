// default isolation: MainActor
// expect: main actor-isolated conformance of 'Draft' to 'Encodable' cannot be used in nonisolated context
import Networking

struct Draft: Codable {
  var title: String
}

enum EditAPI: RequestConvertible {
  case create(Draft)

  var request: Request {
    get throws {
      switch self {
      case .create(let draft): try .post("boards", parameters: Parameters(encoding: draft))
      }
    }
  }
}
