import Foundation

/// A card of a board.
///
/// The app chooses the identifier, so that a card can be added without a network.
nonisolated public struct Card: Codable, Hashable, Identifiable, Sendable {
  /// The identifier.
  public let id: UUID
  /// The board that the card is on.
  public let boardID: Board.ID
  /// The title.
  public var title: String
}

extension [Card] {
  /// Replaces the cards with the same identifiers, and appends the others.
  mutating func merge(_ changes: [Card]) {
    for card in changes {
      if let index = firstIndex(where: { $0.id == card.id }) {
        self[index] = card
      } else {
        append(card)
      }
    }
  }

  /// Returns the cards with some changes.
  func merging(_ changes: [Card]) -> [Card] {
    var cards = self
    cards.merge(changes)
    return cards
  }
}
