import Networking

protocol BoardsService {
  func boards() -> Promise<[Board]>
}

struct RemoteBoards: BoardsService {
  let networking: Networking<BoardsAPI>

  func boards() -> Promise<[Board]> { networking.request(.boards).validate().decode() }
}

struct FixedBoards: BoardsService {
  func boards() -> Promise<[Board]> { .fulfilled([Board(id: 1, title: "Kite")]) }
}

@MainActor final class ServiceScreen {
  private(set) var count = 0
  private let service: any BoardsService

  init(service: any BoardsService) { self.service = service }

  func load() { service.boards().done { self.count = $0.count } }
}
