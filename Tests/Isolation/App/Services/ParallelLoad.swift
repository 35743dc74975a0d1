import Networking

@MainActor final class ParallelLoad {
  private(set) var text = ""
  private let networking = Networking<BoardsAPI>()

  func load() async throws {
    async let first = networking.request(.board(id: 1)).validate().decode(Card.self).value
    async let second = networking.request(.board(id: 2)).validate().decode(Card.self).value
    text = try await first.title + ", " + second.title
  }
}
