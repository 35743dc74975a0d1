import CatenaSystem
import Foundation
import Networking
public import Promises

/// The client, the HTTP requests and the time of a grant.
///
/// A grant receives it and makes its requests with it.
public struct OAuth2Context: Sendable {
  /// The registration of the app.
  public let client: OAuth2Client
  /// The source of time for waits.
  public let scheduler: any Scheduler
  let wallClock: @Sendable () -> Date
  /// Returns whether a request may be repeated.
  ///
  /// It is `false` after the end of the session.
  var mayRepeat: @Sendable () -> Bool = { true }
  /// Checks that this process still has the lock of the token, before a repetition.
  var checkLock: @Sendable () -> Promise<Void> = { .fulfilled(()) }
  /// The time after which no repetition begins.
  ///
  /// `nil` means no limit.
  var repetitionEnd: Duration?
  /// The policy of all requests but those of a poll.
  private let policy: RetryPolicy
  private let networking: Networking<Request>

  init(
    _ client: OAuth2Client, over transport: OAuth2Transport,
    _ configuration: NetworkingConfiguration
  ) {
    self.client = client
    var configuration = configuration
    policy =
      configuration.retry.limit > 0
      ? configuration.retry : .exponential(initial: .seconds(1), limit: 3)
    // A form with secrets goes to one URL only. It is repeated here, by another rule for lost
    // connections, and with a new authentication of the client.
    configuration.redirects = .refuse
    configuration.retry = .never
    configuration.cookies = .none
    configuration.offline = .none
    configuration.sharesRequests = false
    configuration.whenUnreachable = nil
    // A server may repeat the values of a request in the description of an error.
    configuration.logging.maximumBodySize = 0
    configuration.maximumBodySize = min(configuration.maximumBodySize ?? .max, 1 << 20)
    configuration.callTimeout = configuration.callTimeout ?? .seconds(30)
    scheduler = configuration.scheduler ?? .live
    configuration.scheduler = scheduler
    wallClock = configuration.wallClock
    networking =
      switch transport {
      case .session(let session):
        Networking<Request>(sessionConfiguration: session, configuration: configuration)
      case .transport(let transport):
        Networking<Request>(transport: transport, configuration: configuration)
      }
  }

  /// Sends a request to the token endpoint.
  ///
  /// - Parameters:
  ///   - grantType: The value of `grant_type`.
  ///   - parameters: The other parameters, without those of the client's authentication.
  ///   - scope: The scope to request. `nil` uses that of the client.
  /// - Returns: A promise of the token. It is rejected with ``OAuth2Error`` if the server refuses the
  ///   grant, with its code `temporarilyUnavailable` if the server has a temporary failure in all
  ///   attempts, and with ``NetworkError`` if there is no response.
  public func requestToken(
    grantType: String, parameters: [String: String] = [:], scope: Set<String>? = nil
  ) -> Promise<OAuth2Token> {
    let scope = scope ?? client.scope
    return requestToken(
      grantType: grantType, parameters: parameters, scope: scope, authorized: scope)
  }

  /// Sends a request to the token endpoint.
  ///
  /// - Parameters:
  ///   - grantType: The value of `grant_type`.
  ///   - parameters: The other parameters, without those of the client's authentication.
  ///   - scope: The scope to request.
  ///   - authorized: The scope of the token if the response has none.
  ///   - policy: The policy of repetitions. `nil` uses that of the context.
  /// - Returns: A promise of the token.
  func requestToken(
    grantType: String, parameters: [String: String], scope: Set<String> = [],
    authorized: Set<String>, policy: RetryPolicy? = nil
  ) -> Promise<OAuth2Token> {
    firstly {
      let url = try client.endpoint(client.tokenURL, "the token endpoint")
      var form = parameters
      form["grant_type"] = grantType
      form["scope"] = scope.parameter
      if let audience = client.audience, form["audience"] == nil { form["audience"] = audience }
      return post(form, to: url, policy: policy).map { json in
        try OAuth2Token(
          response: json, issued: wallClock(),
          requestedScope: authorized.isEmpty ? nil : authorized)
      }
    }
  }

  /// Sends a form to a URL of the server, with the client's authentication.
  ///
  /// - Parameters:
  ///   - form: The parameters.
  ///   - url: The URL.
  ///   - requiresBody: Whether a successful response must have JSON.
  ///   - policy: The policy of repetitions. `nil` uses that of the context.
  /// - Returns: A promise of the JSON of the response.
  func post(
    _ form: [String: String], to url: URL, requiresBody: Bool = true, policy: RetryPolicy? = nil
  ) -> Promise<JSON> {
    let isUsedUp = form["code"] != nil || form["refresh_token"] != nil
    return repeating(
      HTTPRequest(method: .post, url: url), policy ?? self.policy, isUsedUp: isUsedUp
    ) {
      let additions = try client.authentication(for: url)
      let members = form.merging(additions.parameters) { _, new in new }
      var headers = additions.headers
      if headers["Accept"] == nil { headers["Accept"] = "application/json" }
      let parameters = Parameters(members.mapValues { .string($0) })
      let request = Request.post(
        .url(url), parameters: parameters, headers: headers, contentType: .formURLEncoded)
      let secrets = Self.secrets(members, additions.headers, client.secret)
      return send(request, secrets: secrets, requiresBody: requiresBody)
    }
  }

  /// Returns the JSON of a URL.
  func getJSON(_ url: URL) -> Promise<JSON> {
    repeating(HTTPRequest(method: .get, url: url), policy) {
      send(
        .get(.url(url), headers: ["Accept": "application/json"]), secrets: [], requiresBody: true)
    }
  }

  /// Sends a request, and repeats it after temporary failures.
  ///
  /// A form is repeated if the server has responded, or cannot have received it. After a lost
  /// connection, or the status 502 or 504 of a gateway, the server may have used up a code or a refresh
  /// token, so the caller decides.
  ///
  /// - Parameters:
  ///   - request: The method and the URL, for the policy.
  ///   - policy: The policy.
  ///   - isUsedUp: Whether the form has a code or a refresh token, which may be valid once.
  ///   - send: A closure that sends the request.
  /// - Returns: A promise of the JSON of the last response.
  private func repeating(
    _ request: HTTPRequest, _ policy: RetryPolicy, isUsedUp: Bool = false,
    _ send: @escaping @Sendable () throws -> Promise<JSON>
  ) -> Promise<JSON> {
    let pause = Mutex(Duration.zero)
    let schedule = RetrySchedule.custom { [repetitionEnd, scheduler] number, error in
      let result: Result<Response, any Error>
      var retryAfter: Duration?
      switch error {
      case let error as OAuth2Error where error.code == .temporarilyUnavailable:
        // A status such as 400 with an error code counts as the one that the code replaces.
        let status = error.status.flatMap { OAuth2Error.isTemporary($0) ? $0 : nil } ?? 503
        guard !isUsedUp || ![502, 504].contains(status) else { return nil }
        result = .success(Response(head: HTTPResponseHead(status: status), request: request))
        retryAfter = error.retryAfter
      case let error as NetworkError where request.method == .get || error.code.precedesRequest:
        result = .failure(error)
      default: return nil
      }
      guard
        let delay = policy.delay(
          beforeRetry: number,
          after: FailedAttempt(
            number: number, request: request, result: result, retryAfter: retryAfter)),
        repetitionEnd.map({ scheduler.now + delay < $0 }) ?? true
      else { return nil }
      pause.withLock { $0 = delay }
      return .zero
    }
    return retry(schedule, scheduler: scheduler, on: .inline) { attempt in
      guard attempt > 1 else { return try send() }
      return wait(pause.withLock { $0 }).then(on: .inline) { try send() }
    }
  }

  /// Waits before a repetition, unless the session ends.
  private func wait(_ delay: Duration) -> Promise<Void> {
    guard mayRepeat() else {
      return .rejected(OAuth2Error(.signInRequired, "the session has ended"))
    }
    guard delay > .zero else { return checkLock() }
    // A sign-out must not wait much longer.
    let step = min(delay, .seconds(1))
    return after(step, scheduler: scheduler).then(on: .inline) { wait(delay - step) }
  }

  private func send(
    _ request: Request, secrets: [String], requiresBody: Bool
  ) -> Promise<JSON> {
    var options = CallOptions([.withoutCredentials, .notIntercepted, .queryFormat(.standard)])
    // The body of a temporary failure has nothing that is needed, even if it does not end.
    options.discards = { head, _ in OAuth2Error.isTemporary(head.status) }
    let response = networking.send(request, options, #fileID, #line)
    return response.on(scheduler.context(for: .inline)).parse { response in
      let json = try? JSON(parsing: response.data)
      if let code = json?["error"].string, !(200..<300).contains(response.status) || requiresBody {
        throw OAuth2Error(response, code, json ?? .null, secrets: secrets, at: wallClock())
      }
      guard (200..<300).contains(response.status) else {
        throw OAuth2Error(response, "there is no error code of OAuth2", at: wallClock())
      }
      guard requiresBody else { return json ?? .null }
      guard let json else { throw OAuth2Error(response, "the body is not JSON", at: wallClock()) }
      return json
    }
  }

  /// The values of a request that an error must not repeat.
  ///
  /// Short values are left out, because they would mask unrelated words. The longest come first,
  /// because one may contain another.
  private static func secrets(
    _ form: [String: String], _ headers: HTTPHeaders, _ clientSecret: String?
  ) -> [String] {
    let known: Set = ["grant_type", "client_id", "scope", "audience", "redirect_uri", "resource"]
    let values = form.filter { !known.contains($0.key) && !$0.key.hasSuffix("_type") }.values
    return (values + headers.map(\.value) + [clientSecret].compactMap { $0 })
      .filter { $0.utf8.count >= 4 }.sorted { $0.utf8.count > $1.utf8.count }
  }
}

/// The transport of a session's requests.
enum OAuth2Transport: Sendable {
  case session(SessionConfiguration)
  case transport(any Transport)
}

extension OAuth2Error {
  /// Creates the error of a response with an error code.
  ///
  /// Source: RFC 6749 section 5.2.
  fileprivate init(
    _ response: Response, _ code: String, _ json: JSON, secrets: [String], at now: Date
  ) {
    let masked = { (text: String) in
      let masked = secrets.reduce(text) { text, secret in
        text.replacingOccurrences(of: secret, with: "***")
      }
      return String(masked.unicodeScalars.prefix(1_024))
    }
    self.init(Self.code(ofServer: masked(code), status: response.status))
    if self.code == .temporarilyUnavailable { reason = masked(code) }
    status = response.status
    retryAfter = RetryAfter.delay(in: response.headers, now: now)
    serverDescription = json["error_description"].string.map(masked)
    serverURI = json["error_uri"].string.map(masked)
  }

  /// Creates the error of a response that is not one of OAuth2.
  ///
  /// The body is left out, because it may contain a token.
  fileprivate init(_ response: Response, _ reason: String, at now: Date) {
    self.init(
      Self.isTemporary(response.status) ? .temporarilyUnavailable : .malformedResponse, reason)
    status = response.status
    retryAfter = RetryAfter.delay(in: response.headers, now: now)
  }
}

extension OAuth2Context: BrieflyDescribed {}
