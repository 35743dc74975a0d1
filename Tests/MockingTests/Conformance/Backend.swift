#if os(Linux) || os(macOS)
  import Foundation
  import Mocking
  import Networking
  import Promises
  import TestSupport
  import Testing

  /// A backend of routes that is served to a kind of transport on loopback sockets or in memory.
  ///
  /// Each list of routes is a separate origin. The transport retains the servers.
  final class Backend: Transport {
    typealias Handler = @Sendable (_ request: ReceivedRequest) throws -> Mock

    /// The URLs of the origins, without a trailing slash.
    let urls: [URL]
    /// The requests received by all origins, if the backend was created with a handler.
    let received: Log<ReceivedRequest>
    /// The servers; empty in memory.
    let servers: [MockServer]
    private let transport: any Transport

    init(
      _ kind: TransportKind, origins: [[Route]], scheduler: any Scheduler = .live,
      received: Log<ReceivedRequest> = Log()
    ) throws {
      self.received = received
      switch kind {
      case .curl, .urlSession:
        servers = try origins.map { try MockServer(routes: $0, scheduler: scheduler) }
        urls = servers.map(\.url)
        transport =
          kind == .curl ? PlatformTransport.make() : URLSessionTransport(scheduler: scheduler)
      case .mock:
        servers = []
        urls = try origins.indices.map {
          try #require(URL(string: "http://127.0.0.1:\(50_001 + $0)"))
        }
        transport = OriginTransport(
          zip(urls, origins).map { ($0, MockTransport(routes: $1, scheduler: scheduler)) })
      }
    }

    /// Creates a backend of several origins that share one handler and record all requests.
    convenience init(
      _ kind: TransportKind, origins: Int = 1, scheduler: any Scheduler = .live,
      discardsBodies: Bool = false, _ handler: @escaping Handler = { _ in .status(200) }
    ) throws {
      let received = Log<ReceivedRequest>()
      var route = Route(nil, "/{rest*}") { request in
        received.append(request)
        return try handler(request)
      }
      if discardsBodies { route = route.discardingBody() }
      try self.init(
        kind, origins: Array(repeating: [route], count: origins), scheduler: scheduler,
        received: received)
    }

    func start(
      _ request: HTTPRequest, _ receive: @escaping @Sendable (_ event: TransportEvent) -> Void
    ) -> any TransportHandle {
      transport.start(request, receive)
    }

    /// The requests received so far.
    var requests: [ReceivedRequest] { received.entries }

    /// Returns the URL of a target, which begins with a slash, at an origin.
    func url(_ target: String = "/", origin: Int = 0) throws -> URL {
      try #require(URL(string: urls[origin].absoluteString + target))
    }

    /// Returns a client of the first origin, by default without cookies.
    func client(
      _ configure: (inout NetworkingConfiguration) -> Void = { _ in }
    ) -> Networking<Request> {
      var configuration = NetworkingConfiguration()
      configuration.cookies = .none
      // No idle timeout, because other tests can delay this one by any duration.
      configuration.idleTimeout = nil
      configure(&configuration)
      let client = Networking<Request>(transport: self, configuration: configuration)
      client.baseURL = urls[0]
      return client
    }

    /// Sends a GET request with a client and returns the response.
    func get(_ path: RequestPath = "/") async throws -> Response {
      try await client().request(.get(path)).value
    }

    /// Sends a GET request with a client and returns the error.
    func failure(of path: RequestPath = "/") async -> NetworkError? {
      await client().request(.get(path)).result.failure()
    }
  }
#endif
