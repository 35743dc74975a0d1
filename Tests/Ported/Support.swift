import Foundation
import Mocking
import Networking
import Promises
import TestSupport

/// A transport that sends the requests to all hosts over sockets to one server on the loopback
/// address.
///
/// The samples keep the addresses of their descriptions. The server runs at least as long as the
/// transport.
struct LoopbackTransport: Transport {
  private let server: MockServer
  private let transport = PlatformTransport.make()

  init(_ server: MockServer) {
    self.server = server
  }

  func start(
    _ request: HTTPRequest, _ receive: @escaping @Sendable (_ event: TransportEvent) -> Void
  ) -> any TransportHandle {
    var request = request
    var parts = URLComponents(url: request.url, resolvingAgainstBaseURL: true)
    parts?.scheme = server.url.scheme
    parts?.host = server.url.host()
    parts?.port = server.port
    request.url = parts?.url ?? request.url
    return transport.start(request, receive)
  }
}

/// Starts a server that responds with `{}` to the requests that none of the routes matches.
func sampleServer(@RouteBuilder _ routes: () -> [Route] = { [] }) throws -> MockServer {
  try MockServer(routes: routes() + [Route(nil, "/{path*}", .json([:]))])
}

extension NetworkingConfiguration {
  /// The configuration of a client that shares nothing with others and writes no files.
  ///
  /// It has no time limits, because other tests can delay this one by any duration.
  static var isolated: NetworkingConfiguration {
    var configuration = NetworkingConfiguration()
    configuration.caching.storage = .none
    configuration.cookies = .none
    configuration.offline = .temporary
    configuration.connectTimeout = nil
    configuration.idleTimeout = nil
    configuration.bodyTimeout = nil
    return configuration
  }
}

extension Networking {
  /// Makes a client whose requests to any host go to a server on the loopback address.
  convenience init(
    to server: MockServer, mode: RequestMode? = nil,
    mockProvider: (any TransportProvider<Endpoint>)? = nil,
    configuration: NetworkingConfiguration = .isolated
  ) {
    self.init(
      mode: mode, mockProvider: mockProvider, transport: LoopbackTransport(server),
      configuration: configuration)
  }
}

/// A clock that records the delays of retries, and does not wait for them.
struct ImpatientScheduler: Scheduler {
  let delays = Log<Duration>()
  private let clock = LiveScheduler.live

  var now: Duration { clock.now }

  func schedule(
    after delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> ScheduledAction {
    delays.append(delay)
    return clock.schedule(after: .zero, action)
  }
}
