import Foundation
import LoadSupport
import Mocking
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What the work is done with.
enum Client {
  /// A client without cookies, as the peers are without them, that calls back where it is.
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
    let addresses = addresses(arguments)
    if addresses.count > 1 {
      let turn = Turn()
      client.setBaseURL { addresses[turn.next() % addresses.count] }
    } else {
      client.setBaseURL(addresses.first)
    }
    return client
  }

  /// The addresses to ask, one after the other: one has no more ports for connections than some 28,000.
  private static func addresses(_ arguments: Arguments) -> [URL] {
    (arguments["url"] ?? "").split(separator: ",").compactMap { URL(string: String($0)) }
  }

  private static func transport(_ arguments: Arguments) -> any Transport {
    if arguments["transport"] == "urlsession" {
      let configuration = URLSessionConfiguration.ephemeral
      configuration.httpMaximumConnectionsPerHost = arguments.number("at-once", or: 1)
      return URLSessionTransport(configuration: configuration)
    }
    var options = CurlTransport.Options()
    options.tls.certificateAuthorities = arguments["ca"].map { URL(fileURLWithPath: $0) }
    options.allowsHTTP2 = arguments["http"] == "2"
    options.connectionCacheSize = max(options.connectionCacheSize, arguments.number("at-once", or: 1))
    if options.allowsHTTP2 { options.maximumConnectionsPerHost = 1 }
    return CurlTransport(options: options)
  }
}

/// Counts up.
private final class Turn: Sendable {
  private let count = Atomic(0)

  func next() -> Int { count.wrappingAdd(1, ordering: .relaxed).oldValue }
}
