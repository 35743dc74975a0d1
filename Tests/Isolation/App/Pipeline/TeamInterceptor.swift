import Networking

struct TeamInterceptor: Interceptor {
  let team: String

  func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    var exchange = exchange
    exchange.request.headers["X-Team"] = team
    return next(exchange).tap { response in
      print(response.status, response.url)
    }
  }
}

func teamClient() -> Networking<BoardsAPI> {
  let networking = Networking<BoardsAPI>()
  networking.interceptors = [TeamInterceptor(team: "red")]
  return networking
}
