import Foundation
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
  private let networking: Networking<Request>

  init(
    _ client: OAuth2Client, over transport: OAuth2Transport,
    _ configuration: NetworkingConfiguration
  ) {
    self.client = client
    var configuration = configuration
    // A form with secrets goes to one URL only, and a refresh token is sent once.
    configuration.redirects = .refuse
    configuration.retry = .never
    configuration.cookies = .none
    configuration.offline = .none
    configuration.sharesRequests = false
    configuration.whenUnreachable = nil
    configuration.circuitBreaker = nil
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
  ///   grant, and with ``NetworkError`` if there is no response.
  public func requestToken(
    grantType: String, parameters: [String: String] = [:], scope: Set<String>? = nil
  ) -> Promise<OAuth2Token> {
    firstly {
      let url = try client.endpoint(client.tokenURL, "the token endpoint")
      let scope = scope ?? client.scope
      var form = parameters
      form["grant_type"] = grantType
      form["scope"] = scope.parameter
      if let audience = client.audience, form["audience"] == nil { form["audience"] = audience }
      return post(form, to: url).map { json in
        try OAuth2Token(
          response: json, issued: wallClock(), requestedScope: scope.isEmpty ? nil : scope)
      }
    }
  }

  /// Sends a form to a URL of the server, with the client's authentication.
  ///
  /// - Parameters:
  ///   - form: The parameters.
  ///   - url: The URL.
  ///   - requiresBody: Whether a successful response must have JSON.
  /// - Returns: A promise of the JSON of the response.
  func post(_ form: [String: String], to url: URL, requiresBody: Bool = true) -> Promise<JSON> {
    firstly {
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
    send(.get(.url(url), headers: ["Accept": "application/json"]), secrets: [], requiresBody: true)
  }

  private func send(
    _ request: Request, secrets: [String], requiresBody: Bool
  ) -> Promise<JSON> {
    let request = request.withoutCredentials().notIntercepted().formatting(.standard)
    return networking.request(request).on(scheduler.context(for: .inline)).parse { response in
      let json = try? JSON(parsing: response.data)
      if let code = json?["error"].string, !(200..<300).contains(response.status) || requiresBody {
        throw OAuth2Error(response, code, json ?? .null, secrets: secrets)
      }
      guard (200..<300).contains(response.status) else {
        throw OAuth2Error(response, "there is no error code of OAuth2")
      }
      guard requiresBody else { return json ?? .null }
      guard let json else { throw OAuth2Error(response, "the body is not JSON") }
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
  fileprivate init(_ response: Response, _ code: String, _ json: JSON, secrets: [String]) {
    self.init(.server(code))
    status = response.status
    let masked = { (text: String) in
      let masked = secrets.reduce(text) { text, secret in
        text.replacingOccurrences(of: secret, with: "***")
      }
      return String(masked.unicodeScalars.prefix(1_024))
    }
    self.code = .server(masked(code))
    serverDescription = json["error_description"].string.map(masked)
    serverURI = json["error_uri"].string.map(masked)
  }

  /// Creates the error of a response that is not one of OAuth2.
  ///
  /// The body is left out, because it may contain a token.
  fileprivate init(_ response: Response, _ reason: String) {
    self.init(.malformedResponse, reason)
    status = response.status
  }
}

extension OAuth2Context: BrieflyDescribed {}
