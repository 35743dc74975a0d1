import Networking

struct Page: Codable {
  var boards: [Board]
  var next: Int?
}

@MainActor final class AllPages {
  private(set) var boards: [Board] = []
  private let networking = Networking<BoardsAPI>()

  func load(from number: Int = 1) -> Promise<[Board]> {
    networking.request(.page(number)).validate().decode(Page.self).then { page in
      self.boards += page.boards
      guard let next = page.next else { return .fulfilled(self.boards) }
      return self.load(from: next)
    }
  }
}
