// default isolation: MainActor
// expect 2: main actor-isolated conformance of 'Draft' to 'Encodable' cannot be used in nonisolated context
import Networking

struct Draft: Codable {
  var title: String
}

enum EditAPI: RequestConvertible {
  case create(Draft)
  case change(Draft)

  var request: Request {
    switch self {
    case .create(let draft): .post("boards", json: draft)
    case .change(let draft): .patch("boards", parameters: ["draft": draft, "page": 1])
    }
  }
}
