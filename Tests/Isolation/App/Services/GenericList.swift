import Networking

@MainActor final class GenericList<Item: Decodable & Sendable> {
  private(set) var items: [Item] = []
  private let networking = Networking<BoardsAPI>()

  func load(_ endpoint: BoardsAPI) {
    networking.request(endpoint).validate().decode([Item].self)
      .done { items in self.items = items }
      .fail { _ in self.items = [] }
  }
}

@MainActor func cardList() -> GenericList<Card> {
  let list = GenericList<Card>()
  list.load(.boards)
  return list
}
