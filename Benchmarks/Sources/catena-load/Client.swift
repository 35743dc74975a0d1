import Foundation
import LoadSupport
import Mocking
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Creates the clients of the loads.
enum Client {
  /// Creates a client that calls back inline and has no cookies, because the peers have none.
  static func make<Endpoint: RequestConvertible>(
    of endpoint: Endpoint.Type = Endpoint.self, _ arguments: Arguments
  ) -> Networking<Endpoint> {
    var configuration = NetworkingConfiguration()
    configuration.cookies = .none
    configuration.idleTimeout = .seconds(120)
    configuration.headers = HTTPHeaders(wireFields.map { .init(name: $0, value: $1) })
    let client = Networking<Endpoint>(
      transport: transport(arguments), configuration: configuration)
    client.callbackContext = .inline
    // Several addresses are those of `BoardsAPI`.
    if Addresses.all.count <= 1 { client.baseURL = Addresses.all.first }
    return client
  }

  private static func transport(_ arguments: Arguments) -> any Transport {
    if arguments["transport"] == "urlsession" {
      let configuration = URLSessionConfiguration.ephemeral
      configuration.httpMaximumConnectionsPerHost = arguments.number("at-once", or: 1)
      return URLSessionTransport(configuration: configuration)
    }
    var options = CurlTransport.Options()
    if let path = arguments["ca"] {
      do {
        options.tls = try TLSOptions(
          trust: .all(policy(URL(fileURLWithPath: path), pins: arguments["pins"] == "yes")))
      } catch {
        fatalError("\(error)")
      }
    }
    options.allowsHTTP2 = arguments["http"] == "2"
    options.connectionCacheSize = max(
      options.connectionCacheSize, arguments.number("at-once", or: 1))
    if options.allowsHTTP2 { options.maximumConnectionsPerHost = 1 }
    return CurlTransport(options: options)
  }

  /// Trust in an authority, whose key is also pinned on demand.
  private static func policy(_ authority: URL, pins: Bool) throws -> ServerTrust.Policy {
    let policy = ServerTrust.Policy.authorities(.file(authority))
    guard pins else { return policy }
    let pem = try String(contentsOf: authority, encoding: .utf8)
    return policy.pinnedKeys([try PublicKeyPin(pem: pem)])
  }
}

/// The base URLs, used in rotation: one address has only some 28,000 ports for connections.
enum Addresses {
  static let all = (Arguments()["url"] ?? "").split(separator: ",")
    .compactMap { URL(string: String($0)) }
  private static let count = Atomic(0)

  /// The base URL of the next request.
  ///
  /// `nil` if there is none.
  static var next: URL? {
    all.isEmpty ? nil : all[count.wrappingAdd(1, ordering: .relaxed).oldValue % all.count]
  }
}
