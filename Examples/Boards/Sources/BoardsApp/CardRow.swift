import BoardsKit
import SwiftUI

/// A card that can be renamed, with a mark while a change waits for a network.
struct CardRow: View {
  let card: Card
  let model: BoardModel
  @State private var title = ""
  @State private var isRenaming = false

  var body: some View {
    HStack {
      Text(card.title)
      Spacer()
      if model.isWaiting(card) {
        Image(systemName: "clock").accessibilityLabel("Waits for a network")
      }
    }
    .swipeActions { renameButton }
    .contextMenu { renameButton }
    .alert("Rename Card", isPresented: $isRenaming) {
      TextField("Title", text: $title)
      Button("Cancel", role: .cancel) {}
      Button("Rename") { model.rename(card, to: title) }
    }
  }

  private var renameButton: some View {
    Button("Rename", systemImage: "pencil") {
      title = card.title
      isRenaming = true
    }
  }
}
