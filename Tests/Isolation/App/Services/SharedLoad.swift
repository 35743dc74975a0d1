import Networking

@MainActor final class SharedLoad {
  private var loading: Promise<[Board]>?
  private let networking = Networking<BoardsAPI>()

  func boards() -> Promise<[Board]> {
    if let loading { return loading }
    let promise = networking.request(.boards).validate().decode([Board].self)
    loading = promise
    return promise.always { _ in self.loading = nil }
  }
}
