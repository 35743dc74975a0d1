import Networking

func heading(_ board: Board) -> String { board.title.uppercased() }

@MainActor final class Headings {
  private let networking = Networking<BoardsAPI>()

  func load() -> Promise<[String]> {
    networking.request(.boards).validate().decode([Board].self)
      .map { boards in boards.map { heading($0) } }
  }
}
