// default isolation: MainActor
// expect: main actor-isolated conformance of 'Board' to 'Decodable' cannot satisfy conformance requirement for a 'Sendable' type parameter 'Item'
import Networking

struct Board: Codable {
  var id: Int
}

final class List<Item: Decodable & Sendable> {
  private(set) var items: [Item] = []
}

func list() -> Int {
  List<Board>().items.count
}
