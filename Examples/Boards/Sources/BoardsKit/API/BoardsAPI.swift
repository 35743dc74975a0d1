import Foundation
import Networking

/// The endpoints of the server.
public enum BoardsAPI: RequestConvertible {
  /// Lists the boards.
  case boards
  /// Lists the cards of a board.
  case cards(of: Board.ID)
  /// Adds a card or replaces it.
  case save(Card)

  /// The URL that the paths are relative to.
  public static let baseURL = URL(string: "https://api.example.com/v1/")
  /// The header fields of all requests.
  public static let headers: HTTPHeaders = ["Accept": "application/json"]

  /// The request of the endpoint.
  public var request: Request {
    switch self {
    case .boards: .get("boards")
    case .cards(let board): .get("boards/\(board)/cards")
    // Without a network, the request is stored. The key puts the changes of a card in order.
    case .save(let card):
      .put(
        "boards/\(card.boardID)/cards/\(card.id)", json: card,
        .store(.offline, key: card.offlineKey))
    }
  }
}

nonisolated extension Card {
  /// The key of the card's requests in the offline store.
  var offlineKey: String { "card-\(id)" }

  /// Creates the card of a stored request.
  init?(stored request: Request) {
    guard let card = request.parameters, let id = card["id"]?.string.flatMap(UUID.init),
      let boardID = card["boardID"]?.int, let title = card["title"]?.string
    else { return nil }
    self.init(id: id, boardID: boardID, title: title)
  }
}
