import Networking

actor BoardLibrary {
  private var loaded: [Int: Card] = [:]
  private let networking = Networking<BoardsAPI>()

  func board(_ id: Int) async throws -> Card {
    if let card = loaded[id] { return card }
    let card = try await networking.request(.board(id: id)).validate().decode(Card.self).value
    loaded[id] = card
    return card
  }
}
