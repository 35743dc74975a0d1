import Networking

@MainActor final class AsyncBoard {
  private(set) var title = ""
  private let networking = Networking<BoardsAPI>()

  func load() async {
    do {
      title = try await networking.request(.board(id: 1)).validate().decode(Board.self).value.title
    } catch {
      title = "\(error)"
    }
  }
}
