import Foundation
import Networking
import Observation

/// The changed cards on their way to the server.
@MainActor @Observable
public final class Outbox {
  /// The cards that wait for a network, in the order of their changes.
  public private(set) var waiting: [Card] = []
  /// The number of replays that have ended; screens load again after each.
  public private(set) var replays = 0
  /// A sentence about the changes that the server has refused, if there are any.
  public private(set) var message: String?
  private var sending: [Card] = []
  private let networking: Networking<BoardsAPI>

  init(_ networking: Networking<BoardsAPI>) {
    self.networking = networking
    networking.onAutomaticReplay { [weak self] result in self?.finishReplay(result) }
    update()
  }

  /// Sends the cards that wait.
  public func replay() {
    networking.replay().always { [weak self] result in self?.finishReplay(result) }
  }

  /// Sends a card, or stores it until there is a network.
  ///
  /// The promise is fulfilled in both cases.
  func send(_ card: Card) -> Promise<Void> {
    discardOlder(than: card)
    sending.merge([card])
    return networking.request(.save(card)).validate()
      .map { _ in }
      .recover(NetworkError.self) { error -> Void in
        guard error.isStoredOffline else { throw error }
      }
      .always { _ in
        self.sending.removeAll { $0 == card }
        self.update()
      }
  }

  /// Removes the cards that wait, because another user must not send them.
  func removeAll() {
    try? networking.offlineStore.removeAll()
    update()
  }

  /// Returns the changes of a board that the server does not have yet.
  func changes(of board: Board.ID) -> [Card] {
    waiting.merging(sending).filter { $0.boardID == board }
  }

  /// Removes the stored requests of a card.
  ///
  /// A new request does not wait for them, and their replay would overwrite it.
  private func discardOlder(than card: Card) {
    guard let store = try? networking.offlineStore, let entries = try? store.entries else { return }
    for entry in entries where entry.queue == card.offlineKey { _ = try? store.remove(entry) }
  }

  private func finishReplay(_ result: Result<OfflineStore.Report, any Error>) {
    update()
    replays += 1
    guard let refused = try? result.get().failed, !refused.isEmpty else { return }
    let titles = refused.compactMap { Card(stored: $0.entry.request)?.title }
    message = "The server has refused: \(titles.formatted())"
  }

  private func update() {
    let entries = (try? networking.offlineStore.entries) ?? []
    waiting = [].merging(entries.compactMap { Card(stored: $0.request) })
  }
}
