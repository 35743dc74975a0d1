import Networking

@MainActor final class Session {
  private var refreshToken = "r-1"
  private let networking = Networking<BoardsAPI>()
  private let login = Networking<Request>()

  func start() {
    networking.interceptors.append(
      RefreshInterceptor(on: [401]) { _ in
        self.login
          .request(
            .post(
              "https://api.example.com/refresh", parameters: ["token": .string(self.refreshToken)])
          )
          .validate()
          .toJson()
          .tap { json in
            self.refreshToken = json["refresh_token"].string ?? ""
            self.networking.authenticate(bearerToken: json["token"].string ?? "")
          }
      })
  }
}
