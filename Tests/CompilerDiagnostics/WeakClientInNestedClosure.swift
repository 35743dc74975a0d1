// expect: reference to captured var 'networking' in concurrently-executing code
import Networking

func authenticate(
  _ networking: Networking<Request>, _ token: @escaping @Sendable () -> Promise<String>
) {
  networking.middleware = { [weak networking] _, _ in
    token().tap { token in networking?.authenticate(bearerToken: token) }.asVoid()
  }
}

func authenticateOnceUnwrapped(
  _ networking: Networking<Request>, _ token: @escaping @Sendable () -> Promise<String>
) {
  networking.middleware = { [weak networking] _, _ in
    guard let networking else { return .rejected(CancellationError()) }
    return token().tap { token in networking.authenticate(bearerToken: token) }.asVoid()
  }
}
