import BoardsKit
import SwiftUI

/// The cards of a board.
struct BoardView: View {
  private let outbox: Outbox
  @State private var model: BoardModel
  @State private var newTitle = ""

  init(board: Board, workspace: Workspace) {
    outbox = workspace.outbox
    _model = State(initialValue: BoardModel(board, in: workspace))
  }

  var body: some View {
    LoadingView(loader: model.cards, version: outbox.replays) { cards in
      List {
        ForEach(cards) { card in
          CardRow(card: card, model: model)
        }
        TextField("New Card", text: $newTitle)
          .onSubmit {
            model.add(newTitle)
            newTitle = ""
          }
      }
    }
    .navigationTitle(model.board.title)
    .safeAreaInset(edge: .bottom) {
      OutboxView(outbox: outbox, message: model.message)
    }
  }
}
