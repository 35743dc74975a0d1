import Networking

nonisolated struct Profile: Codable {
  var name: String
}

struct GetProfile: TypedEndpoint {
  typealias ResponseType = Profile
  let id: Int
  var request: Request { .get("profiles/\(id)") }
}

@MainActor final class ProfileScreen {
  private(set) var name = ""
  private let networking = Networking<BoardsAPI>()

  func load() {
    networking.fetch(GetProfile(id: 1)).done { profile in self.name = profile.name }
  }
}
