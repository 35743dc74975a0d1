import Networking

@MainActor final class SearchField {
  private(set) var results: [Board] = []
  private var search: Promise<[Board]>?
  private let networking = Networking<BoardsAPI>()

  var text = "" {
    didSet { textChanged() }
  }

  private func textChanged() {
    search?.cancel()
    search = after(.milliseconds(300))
      .then { self.networking.request(.search(self.text)) }
      .validate()
      .decode([Board].self)
      .done { results in self.results = results }
      .fail { error in print(error) }
  }
}
