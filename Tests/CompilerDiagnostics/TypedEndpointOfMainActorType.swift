// default isolation: MainActor
// expect: main actor-isolated conformance of 'Profile' to 'Decodable' cannot satisfy conformance requirement for a 'Sendable' type parameter 'Self.ResponseType'
// expect: type 'GetProfile' does not conform to protocol 'TypedEndpoint'
import Networking

struct Profile: Codable {
  var name: String
}

struct GetProfile: TypedEndpoint {
  typealias ResponseType = Profile
  let id: Int
  var request: Request { .get("profiles/\(id)") }
}
