import Networking

@MainActor final class BoardSummary {
  private(set) var text = ""
  private let networking = Networking<BoardsAPI>()

  func show(_ text: String) { self.text = text }

  func show(failure: any Error) { text = "\(failure)" }

  func load() {
    when(networking.request(.boards).toString(), networking.request(.board(id: 1)).toString())
      .map { $0 + $1 }
      .done(show)
      .fail(show(failure:))
  }
}
