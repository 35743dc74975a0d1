import Networking

enum SessionError: Error, Equatable {
  case expired
  case locked(until: Int)
}

@MainActor final class SessionExpiry {
  private var logins = 0
  private let networking = Networking<BoardsAPI>()

  func login() -> Promise<Response> {
    logins += 1
    return networking.request(.login(user: "ada", password: "lovelace")).validate()
  }

  func load() -> Promise<Response> {
    networking.request(.boards)
      .map { response in
        if response.status == 401 { throw SessionError.expired }
        return response
      }
      .recover(SessionError.expired) { self.login() }
  }
}
