import Foundation
import MockingOAuth2
import MockingResources
import NetworkingOAuth2

/// A server in memory with the same API, for the time before the real one exists.
///
/// Its requests take as long as those over a network, and it has a network that can be switched off.
public final class DemoServer: Sendable {
  let login: MockAuthorizationServer
  let provider: MockProvider<BoardsAPI>
  private let network = MockReachability(.reachable())
  private let loginTransport: MockTransport

  /// Creates a server.
  public init() {
    do {
      login = try MockAuthorizationServer(port: nil)
      let (network, login) = (network, login)
      let offline = Route(nil, "/{path*}", .failure(.notConnectedToInternet))
        .where(.satisfying("offline") { _ in !network.status.isReachable })
      let unauthorized = Route(nil, "/v1/{path*}", .status(401))
        .where(.satisfying("without a valid token") { !login.accepts($0) })
      loginTransport = MockTransport(routes: [offline] + login.routes)
      provider = MockProvider(
        routes: try [offline, unauthorized] + Self.resources(),
        delay: .uniform(.milliseconds(200), .milliseconds(800)))
    } catch {
      preconditionFailure("the data of the demo: \(error)")
    }
  }

  /// Whether the device has a network.
  public var isReachable: Bool {
    get { network.status.isReachable }
    set { network.status = newValue ? .reachable() : .unreachable }
  }

  /// A backend with new clients of the server.
  public var backend: Backend {
    let cache = HTTPCache()
    var configuration = Backend.configuration(cache: cache)
    configuration.caching.includesMocks = true
    configuration.reachability = NetworkReachability(monitor: network)
    var client = login.client("app", scope: ["boards"])
    client.redirectURL = Backend.redirectURL
    return Backend(
      networking: Networking(mockProvider: provider, configuration: configuration),
      session: OAuth2Session(client, store: .memory, transport: loginTransport),
      consent: DemoConsent(transport: loginTransport), cache: cache)
  }

  private static func resources() throws -> [Route] {
    let store = ResourceStore()
    let boards = try Resource(
      "/v1/boards",
      data: [["id": 1, "title": "Balsa Fish"], ["id": 2, "title": "Kite"]], in: store)
    let cards = try Resource(
      "/v1/boards/{board}/cards",
      data: [
        Card(id: UUID(), boardID: 1, title: "Cut the balsa"),
        Card(id: UUID(), boardID: 1, title: "Glue the fins"),
      ], in: store
    ) { options in
      options.ids = .client
      options.foreignKeys = ["board": "boardID"]
    }
    return boards.routes() + cards.routes()
  }
}
