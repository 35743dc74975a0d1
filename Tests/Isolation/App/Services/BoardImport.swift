import Networking

@MainActor final class BoardImport {
  private(set) var imported: [String] = []
  private let networking = Networking<BoardsAPI>()

  func create(_ titles: [String]) -> Promise<Int> {
    reduce(titles, 0) { count, title in
      self.imported.append(title)
      return self.networking.request(.create(title: title)).validate().map { _ in count + 1 }
    }
  }
}
