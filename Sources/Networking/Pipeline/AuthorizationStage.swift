import Promises

/// The stage that adds the client's credentials to hops to their origin, and to no others.
///
/// With Digest authentication it sends a hop that the server challenges once more. With a
/// ``CredentialProvider`` it waits for a value, and sends a rejected hop once more with a new value.
/// An `Authorization` field of the request takes precedence.
struct AuthorizationStage: BuiltInStage {
  func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    guard let credentials = exchange.credentials, credentials.apply(to: exchange.request) else {
      return next(exchange)
    }
    switch credentials.scheme {
    case .fixed(let value): return next(exchange.authorized(by: value))
    case .digest(let authenticator): return respondingToChallenge(by: authenticator, exchange, next)
    case .provided(let provider):
      if let value = provider.currentValue {
        return send(exchange, with: value, of: provider, next)
      }
      return provider.value().then(on: .inline) { value in
        send(exchange, with: value, of: provider, next)
      }
    }
  }

  /// Sends a hop, and sends it once more with a new value if the server rejects the value.
  private func send(
    _ exchange: Exchange, with value: String, of provider: any CredentialProvider,
    _ next: @escaping Next
  ) -> NetworkPromise {
    var first = exchange.authorized(by: value)
    first.discard401 { provider.isRejection($0) }
    // The closure has the exchange that was sent, because a copy of another one would take longer.
    return next(first).followed { [first, discards = exchange.discards] result in
      guard case .success(let response) = result, provider.isRejection(response) else { return nil }
      guard first.request.body.isRepeatable else {
        provider.noteRejection(of: value)
        return nil
      }
      guard let replacement = provider.value(replacing: value) else { return nil }
      return replacement.then(on: .inline) { newValue in
        first.state.end(.success(response))
        first.events?.add(.credentialsRefreshed)
        return next(copy(of: first.authorized(by: newValue)) { $0.parts.value.discards = discards })
      }
    }
  }

  /// Sends a hop, and sends it once more with the response to a challenge.
  private func respondingToChallenge(
    by authenticator: DigestAuthenticator, _ exchange: Exchange, _ next: @escaping Next
  ) -> NetworkPromise {
    var first = exchange.authorized(by: authenticator.fieldValue(for: exchange.request))
    first.discard401 { DigestChallenge.first(of: $0) != nil }
    return next(first).followed { result in
      guard case .success(let response) = result else { return nil }
      guard response.status == 401,
        let value = authenticator.fieldValue(for: exchange.request, after: response)
      else {
        authenticator.receive(response, to: exchange.request)
        return nil
      }
      guard exchange.request.body.isRepeatable else { return nil }
      exchange.events?.add(.challenged)
      return next(exchange.authorized(by: value)).followed { result in
        if case .success(let response) = result {
          authenticator.receive(response, to: exchange.request)
        }
        return nil
      }
    }
  }
}

extension Credentials {
  /// Returns the `Authorization` field for a request that they ``apply(to:)``, if they have a value now.
  func field(for request: HTTPRequest) -> String? {
    guard apply(to: request) else { return nil }
    return switch scheme {
    case .fixed(let value): value
    case .digest(let authenticator): authenticator.fieldValue(for: request)
    case .provided(let provider): provider.currentValue
    }
  }
}

extension Exchange {
  /// Discards the rest of some responses with the status 401, after which the hop is sent once more.
  fileprivate mutating func discard401(
    _ isChallenge: @escaping @Sendable (Response) -> Bool
  ) {
    guard request.body.isRepeatable else { return }
    discard { head, request in
      head.status == 401 && isChallenge(Response(head: head, request: request))
    }
  }
}
