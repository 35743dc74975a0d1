import BoardsKit
import SwiftUI

/// The list of the boards, and the selected one.
struct BoardsView: View {
  let workspace: Workspace
  @State private var selection: Board.ID?

  var body: some View {
    NavigationSplitView {
      LoadingView(loader: workspace.boards) { boards in
        List(boards, selection: $selection) { board in
          NavigationLink(board.title, value: board.id)
        }
        .overlay {
          if boards.isEmpty {
            ContentUnavailableView("No Boards", systemImage: "rectangle.stack")
          }
        }
      }
      .navigationTitle("Boards")
      .toolbar { SettingsButton() }
    } detail: {
      if let board = workspace.boards.value?.first(where: { $0.id == selection }) {
        BoardView(board: board, workspace: workspace).id(board)
      } else {
        ContentUnavailableView("Select a Board", systemImage: "rectangle.stack")
      }
    }
    // The changes of an earlier run of the app.
    .task { workspace.outbox.replay() }
  }
}
