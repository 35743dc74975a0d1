import Foundation
import Networking
import Observation

/// The screen of a board.
@MainActor @Observable
public final class BoardModel {
  /// The board.
  public let board: Board
  /// The cards, including the changes that the server does not have yet.
  public let cards: Loader<[Card]>
  /// The reason why the last change was not saved, if it was not.
  public private(set) var message: String?
  private let outbox: Outbox

  /// Creates the model of a board.
  ///
  /// - Parameters:
  ///   - board: The board.
  ///   - workspace: The models that the screens share.
  public init(_ board: Board, in workspace: Workspace) {
    let (networking, outbox) = (workspace.backend.networking, workspace.outbox)
    self.board = board
    self.outbox = outbox
    cards = Loader {
      networking.request(.cards(of: board.id)).validate().decode([Card].self)
        .map { cards in cards.merging(outbox.changes(of: board.id)) }
    }
  }

  /// Returns whether a change of a card waits for a network.
  ///
  /// - Parameter card: The card.
  /// - Returns: Whether the card is marked.
  public func isWaiting(_ card: Card) -> Bool {
    outbox.waiting.contains { $0.id == card.id }
  }

  /// Adds a card.
  ///
  /// - Parameter title: The title.
  public func add(_ title: String) {
    save(Card(id: UUID(), boardID: board.id, title: title))
  }

  /// Renames a card.
  ///
  /// - Parameters:
  ///   - card: The card.
  ///   - title: The new title.
  public func rename(_ card: Card, to title: String) {
    var card = card
    card.title = title
    save(card)
  }

  /// Shows the card at once, and reverts to the cards of the server if it refuses the change.
  private func save(_ card: Card) {
    guard !card.title.isEmpty else { return }
    message = nil
    cards.value = (cards.value ?? []).merging([card])
    outbox.send(card).fail { error in
      self.message = error.message
      Task { await self.cards.load() }
    }
  }
}
