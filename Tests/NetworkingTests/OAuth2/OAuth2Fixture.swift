import Foundation
import Mocking
import MockingOAuth2
import Networking
import NetworkingOAuth2
import Promises
import TestSupport

/// A mock authorization server and a shop that accepts its tokens, in virtual time.
struct OAuth2Fixture {
  let time: TestScheduler
  let login: MockAuthorizationServer
  /// A transport of the shop, which accepts the tokens of the server at `/orders` and `/upload`.
  let shop: MockTransport

  init(_ configure: (inout AuthorizationServerSettings) -> Void = { _ in }) throws {
    let time = TestScheduler()
    var settings = AuthorizationServerSettings()
    configure(&settings)
    let login = try MockAuthorizationServer(settings, port: nil, scheduler: time)
    self.time = time
    self.login = login
    shop = MockTransport(scheduler: time) {
      Route(.get, "/orders") { request in login.accepts(request) ? .json([]) : .status(401) }
      Route(.post, "/upload") { request in login.accepts(request) ? .json([]) : .status(401) }
      Route(.get, "/public", .json([]))
      Route(.get, "/moved", .redirect(to: "https://other.example/orders"))
    }
  }

  /// The start of virtual time.
  static let start = Date(timeIntervalSince1970: 1_800_000_000)

  var configuration: NetworkingConfiguration {
    var configuration = NetworkingConfiguration()
    configuration.scheduler = time
    configuration.cookies = .none
    configuration.wallClock = { [time] in
      Self.start.addingTimeInterval(time.now / .seconds(1))
    }
    return configuration
  }

  func session(
    _ client: String = "app", store: some TokenStoring = .memory, scope: Set<String> = [],
    _ configure: (inout NetworkingConfiguration) -> Void = { _ in }
  ) -> OAuth2Session {
    var configuration = configuration
    configure(&configuration)
    return OAuth2Session(
      login.client(client, scope: scope), store: store, transport: login.transport,
      configuration: configuration)
  }

  func client(
    _ session: OAuth2Session, _ level: TokenLevel = .user, _ type: AuthorizationType = .bearer,
    _ configure: (inout NetworkingConfiguration) -> Void = { _ in }
  ) -> Networking<Request> {
    var configuration = configuration
    configure(&configuration)
    let client = Networking<Request>(transport: shop, configuration: configuration)
    client.baseURL = .of("https://shop.example")
    client.authorize(with: session, level, type)
    client.callbackContext = .inline
    return client
  }

  /// Signs the user in.
  func signIn(_ session: OAuth2Session) async throws -> OAuth2Token {
    try await time.run {
      try await session.signIn(.password(username: "ann", password: "ann-password")).value
    }
  }

  /// The number of requests that the shop has received.
  var received: Int { shop.journal.entries.count }

  /// The statuses of some promises, in order.
  static func statuses(_ promises: [NetworkPromise]) -> [Int?] {
    promises.map { $0.fulfilledValue?.status }
  }
}
