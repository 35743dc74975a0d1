import Foundation
import Networking
import Promises

extension OAuth2Grant {
  /// The grant of a device without a browser: the user enters a code on another one.
  ///
  /// ```swift
  /// let grant = OAuth2Grant.device { code in
  ///   print("Open \(code.verificationURL) and enter \(code.userCode)")
  /// }
  /// ```
  ///
  /// The client asks the server in the interval that the server sets, and in one of five seconds more
  /// after each `slow_down`, until the user has decided or the code expires. After a temporary failure
  /// of the network or of the server the interval doubles until the next response, and is not shorter
  /// than the `Retry-After` of the server. If the code would expire before, the failure is the result.
  ///
  /// Source: RFC 8628.
  ///
  /// - Parameters:
  ///   - scope: The scope to request. `nil` uses that of the client.
  ///   - prompt: A closure that shows the code. It runs once, on its actor.
  /// - Returns: The grant. It fails with the code `insecureURL` of ``OAuth2Error``, and does not run the
  ///   closure, if a page of the server has another scheme than `https`. `http` is allowed on this
  ///   machine, and with ``OAuth2Client/allowsInsecureURLs``.
  public static func device(
    scope: Set<String>? = nil,
    @_inheritActorContext prompt:
      @escaping @Sendable @isolated(any) (_ authorization: DeviceAuthorization) async throws -> Void
  ) -> OAuth2Grant {
    OAuth2Grant(
      "device_code",
      asynchronous: { context in
        let request = try await DeviceRequest.start(context, scope: scope)
        try await prompt(request.authorization)
        return try await request.poll()
      })
  }
}

/// A device authorization that waits for the user.
private struct DeviceRequest: Sendable {
  let context: OAuth2Context
  /// The requested scope, which the server need not repeat.
  let scope: Set<String>
  let deviceCode: String
  let authorization: DeviceAuthorization
  let interval: Duration
  /// The time at which the code expires, by the scheduler.
  let deadline: Duration

  static func start(_ context: OAuth2Context, scope: Set<String>?) async throws -> DeviceRequest {
    let url = try context.client.endpoint(
      context.client.deviceAuthorizationURL, "the device authorization endpoint")
    let scope = scope ?? context.client.scope
    var form = ["client_id": context.client.id]
    form["scope"] = scope.parameter
    form["audience"] = context.client.audience
    let json = try await context.post(form, to: url).value
    // One known server spells the name of the page in another way.
    let page = json["verification_uri"].string ?? json["verification_url"].string
    guard let deviceCode = json["device_code"].string, let userCode = json["user_code"].string,
      let pageURL = page.flatMap({ URL(reference: $0) })
    else {
      throw OAuth2Error(.malformedResponse, "there is no device code")
    }
    let complete = json["verification_uri_complete"].string.flatMap { URL(reference: $0) }
    // The prompt opens them or shows them as a code to scan, so other schemes could do anything.
    for page in [pageURL, complete].compactMap({ $0 }) {
      _ = try context.client.endpoint(page, "the verification page")
    }
    let life = min(max(json["expires_in"].double ?? 1_800, 0), 86_400)
    let interval = min(max(json["interval"].double ?? 5, 1), 3_600)
    return DeviceRequest(
      context: context, scope: scope, deviceCode: deviceCode,
      authorization: DeviceAuthorization(
        userCode: userCode, verificationURL: pageURL,
        completeURL: complete,
        expires: context.wallClock() + life),
      interval: .seconds(interval), deadline: context.scheduler.now + .seconds(life))
  }

  /// Asks for the token until the user has decided.
  func poll() async throws -> OAuth2Token {
    var (interval, backoff, wait) = (self.interval, self.interval, self.interval)
    var failure: any Error = OAuth2Error(.server("expired_token"))
    while true {
      guard context.scheduler.now + wait < deadline else { throw failure }
      try await context.scheduler.sleep(for: wait)
      do {
        return try await context.requestToken(
          grantType: "urn:ietf:params:oauth:grant-type:device_code",
          parameters: ["device_code": deviceCode, "client_id": context.client.id],
          authorized: scope, policy: .never
        ).value
      } catch let error as OAuth2Error where error.code == .server("authorization_pending") {
        (backoff, wait, failure) = (interval, interval, OAuth2Error(.server("expired_token")))
      } catch let error as OAuth2Error where error.code == .server("slow_down") {
        interval += .seconds(5)
        (backoff, wait) = (interval, max(interval, error.retryAfter ?? .zero))
        failure = OAuth2Error(.server("expired_token"))
      } catch let error as NetworkError where error.code.isTemporary || error.code.isTimeout {
        backoff *= 2
        (wait, failure) = (backoff, error)
      } catch let error as OAuth2Error where error.code == .temporarilyUnavailable {
        backoff *= 2
        (wait, failure) = (max(backoff, error.retryAfter ?? .zero), error)
      }
    }
  }
}
