import Networking
import Synchronization

struct TeamInterceptor: Interceptor {
  let team: String

  func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    var exchange = exchange
    exchange.request.headers["X-Team"] = team
    return next(exchange)
  }
}

final class FailureCounter: NetworkMonitor {
  private let failures = Mutex(0)

  var count: Int { failures.withLock { $0 } }

  func observe(_ event: NetworkEvent) {
    if case .failed = event.kind { failures.withLock { $0 += 1 } }
  }
}

/// The client of a user, which logs in again when the token has expired.
final class Session {
  private(set) var requests = 0
  private(set) var logins = 0
  let failures = FailureCounter()
  let networking: Networking<BoardsAPI>

  init(networking: Networking<BoardsAPI>, login: Networking<BoardsAPI>) {
    self.networking = networking
    networking.addMonitor(failures)
    networking.addMonitor { event in
      switch event.kind {
      case .started: self.requests += 1
      case .finished, .failed, .cancelled: self.requests -= 1
      default: break
      }
    }
    networking.interceptors = [
      TeamInterceptor(team: "red"),
      RefreshInterceptor(on: [401]) { _ in
        login.request(.login(user: "ada")).validate().toJson()
          .tap { json in
            self.logins += 1
            self.networking.authenticate(bearerToken: json["token"].string ?? "")
          }
      },
    ]
  }
}
