import Networking

@MainActor final class LoginForm {
  var user = ""
  var password = ""
  private(set) var boards: [Board] = []
  private(set) var message: String?
  private let networking: Networking<BoardsAPI>

  init(networking: Networking<BoardsAPI> = Networking()) {
    self.networking = networking
  }

  func submit() {
    networking.request(.login(user: user, password: password))
      .validate()
      .toJson()
      .tap { json in self.networking.authenticate(bearerToken: json["token"].string ?? "") }
      .then { _ in self.networking.request(.boards) }
      .validate()
      .decode([Board].self)
      .done { self.boards = $0 }
      .fail { self.message = "\($0)" }
  }
}
