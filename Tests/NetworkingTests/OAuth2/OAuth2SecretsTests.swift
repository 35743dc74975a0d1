import Foundation
import Mocking
import MockingRecordings
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking
@testable import NetworkingOAuth2
import NetworkingTracing

/// No secret of a grant appears in a log, an event, an error, a recording or a curl command.
@Suite(.gated)
struct OAuth2SecretsTests {
  /// A transport that responds to each token request with canaries, after a failure if there is one.
  private final class CanaryServer: Sendable {
    let requests = Log<HTTPRequest>()
    let failure: [TransportEvent]?

    init(failure: [TransportEvent]?) {
      self.failure = failure
    }

    var transport: FakeTransport {
      FakeTransport { request in
        self.requests.append(request)
        let json: HTTPHeaders = ["Content-Type": "application/json"]
        if request.url.path == "/device" {
          return .response(
            200, json,
            """
            {"device_code":"canary1-device","user_code":"canary1-user",\
            "verification_uri":"https://a.example/d","interval":1,"expires_in":100}
            """)
        }
        if let failure = self.failure {
          guard failure.isEmpty, case .data(let form) = request.body else { return failure }
          // A server that repeats the request.
          let text = String(decoding: form, as: UTF8.self)
          let values = text.split(separator: "&").map { $0.drop { $0 != "=" }.dropFirst() }
          let words = values.filter { !$0.contains("urn") }.joined(separator: " and ")
          return .response(
            400, json, #"{"error":"invalid_grant","error_description":"not \#(words)"}"#)
        }
        let claims = Data(#"{"aud":"app"}"#.utf8).base64URLEncoded
        return .response(
          200, json,
          """
          {"access_token":"canary1-access","refresh_token":"canary1-refresh","token_type":"Bearer",\
          "expires_in":3600,"id_token":"canary1.\(claims).canary"}
          """)
      }
    }
  }

  private struct Code: ConsentStrategy {
    let pages: Log<URL>

    func consent(to request: ConsentRequest) async throws -> ConsentResponse {
      let redirectURL = URL.of("app:/cb")
      pages.append(request.pageURL(redirectingTo: redirectURL))
      let url = try #require(URL(string: "app:/cb?code=canary1-code&state=\(request.state)"))
      return ConsentResponse(url, redirectURL: redirectURL)
    }
  }

  private static let names = [
    "password", "client_credentials", "refresh_token", "authorization_code", "device_code",
    "token_exchange", "extension", "assertion",
  ]

  private func grant(_ name: String, _ pages: Log<URL>) -> OAuth2Grant {
    switch name {
    case "password": .password(username: "ann", password: "canary1-password")
    case "client_credentials": .clientCredentials
    case "refresh_token": .refreshToken("canary1-old-refresh")
    case "authorization_code": .authorizationCode(Code(pages: pages))
    case "device_code": .device { _ in }
    case "token_exchange":
      .tokenExchange("canary1-subject", actor: "canary1-actor", audience: "x")
    case "extension": .extension("urn:x", parameters: ["client_assertion": "canary1-assertion"])
    default:
      .extension(
        "urn:ietf:params:oauth:grant-type:jwt-bearer", parameters: ["assertion": "canary1.a.b"])
    }
  }

  private static let failures: [String: [TransportEvent]] = [
    "error": [],
    "page": .response(500, ["Content-Type": "text/html"], "<p>token=canary1-page-token</p>"),
    "broken": .response(
      200, ["Content-Type": "application/json"], #"{"access_token":"canary1-broken"#),
    "lost": [.failure(TransportFailure(code: .connectionLost))],
  ]

  @Test func aStoreAndASessionAreDumpedWithoutTheirSecrets() throws {
    let folder = TemporaryFolder()
    let additions = ClientAuthentication(
      headers: ["X-Key": "canary1-key"], parameters: ["client_assertion": "canary1-assertion"])
    var text = "\(additions)"
    dump(additions, to: &text)
    for key in [TokenEncryptionKey.passphrase("canary1-pass"), .bytes(Data("canary1".utf8))] {
      let store = try FileTokenStore(folder.url("tokens"), encryptedWith: key)
      let client = OAuth2Client(
        id: "app", secret: "canary1-secret", tokenURL: .of("https://a.example/t"))
      let session = OAuth2Session(client, store: store)
      text += "\(store) \(session)"
      dump(store, to: &text)
      dump(session, to: &text)
    }
    #expect(!text.contains("canary1") && !text.contains("99, 97, 110, 97"))
  }

  @Test func anErrorRepeatsNoValueOfItsRequest() async throws {
    let long = String(repeating: "t", count: 1_500)
    let text = "unknown token \(long), user anna with anna-2024!, secret s3cr3t-value"
    let transport = FakeTransport { _ in
      .response(
        400, ["Content-Type": "application/json"],
        #"{"error":"invalid_grant","error_description":"\#(text)"}"#)
    }
    let client = OAuth2Client(
      id: "app", secret: "s3cr3t-value", tokenURL: .of("https://a.example/token"))
    let grants: [OAuth2Grant] = [
      .refreshToken(long), .password(username: "anna", password: "anna-2024!"),
    ]
    for grant in grants {
      let error = try #require(
        await grant.token(for: client, transport: transport).result.failure(as: OAuth2Error.self))
      let description = try #require(error.serverDescription)
      #expect(!description.contains("s3cr3t"))
      if grant.name == "password" {
        #expect(!description.contains("2024") && !description.contains("anna"))
      } else {
        #expect(!description.contains("ttt"))
      }
    }
  }

  @Test(arguments: names, ["none", "error", "page", "broken", "lost"])
  func noSecretAppears(name: String, failure: String) async throws {
    let time = TestScheduler()
    let folder = TemporaryFolder()
    let server = CanaryServer(failure: Self.failures[failure])
    let tape = try Tape(folder.url("tape.har"), mode: .all, over: server.transport)
    let monitor = RecordingMonitor()
    let lines = Log<String>()
    var configuration = NetworkingConfiguration()
    configuration.scheduler = time
    configuration.monitors = [monitor]
    configuration.logging = LoggingConfiguration(
      .verbose, to: ClosureLogger { lines.append($0.description) })
    var client = OAuth2Client(
      id: "app", secret: "canary1-secret", tokenURL: .of("https://a.example/token"),
      authorizationURL: .of("https://a.example/authorize"),
      authentication: name == "password" ? .requestBody : .basic)
    client.deviceAuthorizationURL = .of("https://a.example/device")
    let pages = Log<URL>()
    let session = OAuth2Session(
      client, store: .memory, transport: tape, configuration: configuration)
    let grant = grant(name, pages)
    let signedIn = session.signIn(grant)
    await time.run()
    #expect((signedIn.currentError == nil) == (failure == "none"))

    var text = "\(grant) \(session.client) \(lines.entries.joined(separator: "\n"))"
    dump(grant, to: &text)
    dump(session.client, to: &text)
    if let error = signedIn.currentError {
      text += "\(error) \(String(reflecting: error)) \(error.localizedDescription)"
      dump(error, to: &text)
    }
    if let token = signedIn.fulfilledValue { dump(token, to: &text) }
    for event in monitor.events {
      text += "\(event) \(String(reflecting: event))"
      dump(event, to: &text)
    }
    for request in server.requests.entries {
      text += "\(request) \(request.curlCommand())"
      dump(request, to: &text)
    }
    try tape.save()
    text += try String(contentsOf: folder.url("tape.har"), encoding: .utf8)
    #expect(!lines.entries.isEmpty && !monitor.events.isEmpty && text.contains("a.example"))
    let found = text.ranges(of: "canary").prefix(3).map { range in
      let start = text.index(range.lowerBound, offsetBy: -80, limitedBy: text.startIndex)
      return String(text[(start ?? text.startIndex)..<range.upperBound])
    }
    #expect(found.isEmpty)
    // Nor do the secrets that the grant has made.
    for request in server.requests.entries {
      guard case .data(let data) = request.body else { continue }
      for pair in String(decoding: data, as: UTF8.self).split(separator: "&")
      where pair.hasPrefix("code_verifier=") {
        #expect(!text.contains(pair.dropFirst("code_verifier=".count)))
      }
    }
  }
}
