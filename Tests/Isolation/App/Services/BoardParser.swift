import Foundation
import Networking

nonisolated struct BoardParser {
  static func parse(_ data: Data) throws -> [Card] {
    try JSONDecoder().decode([Card].self, from: data)
  }
}

@MainActor final class ParsedBoards {
  private let networking = Networking<BoardsAPI>()

  func load() -> Promise<[Card]> {
    networking.request(.boards).validate().toData()
      .thenInBackground { data in try BoardParser.parse(data) }
  }
}
