#if os(Linux)
  import Foundation
  import Mocking
  import Networking
  import Promises
  import TestSupport
  import Testing

  /// One backend, described once as routes, and served to a subject: on loopback sockets or in memory.
  ///
  /// Each list of routes is an origin of its own. The transport that reaches them keeps them alive.
  final class Backend: Transport {
    typealias Answer = @Sendable (_ request: ReceivedRequest) throws -> Mock

    /// The origins' roots, without a slash behind them.
    let urls: [URL]
    /// What was received, by whichever origin, where the backend was made of an answer.
    let received: Log<ReceivedRequest>
    /// The servers; none in memory.
    let servers: [MockServer]
    private let transport: any Transport

    init(
      _ subject: Subject, origins: [[Route]], scheduler: any Scheduler = .live,
      received: Log<ReceivedRequest> = Log()
    ) throws {
      self.received = received
      switch subject {
      case .curl, .urlSession:
        servers = try origins.map { try MockServer(routes: $0, scheduler: scheduler) }
        urls = servers.map(\.url)
        transport =
          subject == .curl ? CurlTransport() : URLSessionTransport(scheduler: scheduler)
      case .mock:
        servers = []
        urls = try origins.indices.map {
          try #require(URL(string: "http://127.0.0.1:\(50_001 + $0)"))
        }
        transport = OriginTransport(
          zip(urls, origins).map { ($0, MockTransport(routes: $1, scheduler: scheduler)) })
      }
    }

    /// A backend of so many origins, which answer all requests alike and note them.
    convenience init(
      _ subject: Subject, origins: Int = 1, scheduler: any Scheduler = .live,
      discardsBodies: Bool = false, _ answer: @escaping Answer = { _ in .status(200) }
    ) throws {
      let received = Log<ReceivedRequest>()
      var route = Route(nil, "/{rest*}") { request in
        received.append(request)
        return try answer(request)
      }
      if discardsBodies { route = route.discardingBody() }
      try self.init(
        subject, origins: Array(repeating: [route], count: origins), scheduler: scheduler,
        received: received)
    }

    func start(
      _ request: HTTPRequest, _ receive: @escaping @Sendable (_ event: TransportEvent) -> Void
    ) -> any TransportHandle {
      transport.start(request, receive)
    }

    /// The requests received until now.
    var requests: [ReceivedRequest] { received.entries }

    /// A URL of an origin's; the text begins with a slash.
    func url(_ target: String = "/", origin: Int = 0) throws -> URL {
      try #require(URL(string: urls[origin].absoluteString + target))
    }

    /// A client of the first origin, without cookies and default fields unless they are asked for.
    func client(
      _ configure: (inout NetworkingConfiguration) -> Void = { _ in }
    ) -> Networking<Request> {
      var configuration = NetworkingConfiguration()
      configuration.cookies = .none
      configure(&configuration)
      let client = Networking<Request>(transport: self, configuration: configuration)
      client.setBaseURL(urls[0])
      return client
    }

    /// The response to a GET by a client.
    func get(_ path: RequestPath = "/") async throws -> Response {
      try await client().request(.get(path)).value
    }

    /// How a GET by a client fails.
    func failure(of path: RequestPath = "/") async -> NetworkError? {
      await client().request(.get(path)).result.failure()
    }
  }
#endif
