import Foundation
import Mocking

/// The backend of a ``Walk``: a server or mocks.
enum Backend {
  /// A loopback server in this process.
  case server(BoardsServer)
  /// A server at a URL, which does not report its number of concurrent requests.
  case url(URL)
  /// Mocked responses, without a server.
  case mocks(CountingProvider)

  var title: String {
    switch self {
    case .server(let server):
      "Over HTTP, to a server at \(server.url) that delays each response by "
        + server.delay.inMilliseconds
    case .url(let url): "Over HTTP, to the server at \(url)"
    case .mocks: "Mocked: the same delay, without a server"
    }
  }

  /// Runs one walk in each mode, in order.
  ///
  /// - Throws: ``Walk/Failure`` of the first walk that fails.
  func walk(_ modes: [RequestMode]) async throws -> [Run] {
    var runs: [Run] = []
    for mode in modes {
      resetMaxConcurrentRequests()
      let measurements = try await Walk(mode: mode, networking: client(mode)).start().value
      runs.append(
        Run(
          mode: mode, measurements: measurements, maxConcurrentRequests: maxConcurrentRequests))
    }
    return runs
  }

  private func client(_ mode: RequestMode) -> Networking<BoardsAPI> {
    switch self {
    case .server(let server): client(mode, server.url)
    case .url(let url): client(mode, url)
    case .mocks(let provider): Networking(mode: mode, mockProvider: provider)
    }
  }

  private func client(_ mode: RequestMode, _ url: URL) -> Networking<BoardsAPI> {
    let networking = Networking<BoardsAPI>(mode: mode)
    networking.baseURL = url
    return networking
  }

  private func resetMaxConcurrentRequests() {
    switch self {
    case .server(let server): server.resetMaxConcurrentRequests()
    case .url: break
    case .mocks(let provider): provider.resetMaxConcurrentRequests()
    }
  }

  private var maxConcurrentRequests: Int? {
    switch self {
    case .server(let server): server.maxConcurrentRequests
    case .url: nil
    case .mocks(let provider): provider.maxConcurrentRequests
    }
  }
}

extension Board {
  /// The initial boards of the server and of the mocks.
  static let samples = [
    Board(id: 1, title: "Balsa Fish", cards: ["Cut the fins", "Sand the body"]),
    Board(id: 2, title: "Paper Plane", cards: ["Fold", "Throw"]),
    Board(id: 3, title: "Tin Robot", cards: ["Find the key"]),
    Board(id: 4, title: "Kite", cards: ["Wait for wind"]),
    Board(id: 5, title: "Music Box", cards: ["Oil the cylinder", "Tune the comb"]),
    Board(id: 6, title: "Spinning Top"),
  ]
}

// MARK: Mocks

extension MockProvider<BoardsAPI> {
  /// Returns a provider with a response for each endpoint, each after the same delay.
  static func boards(delay: Duration) -> MockProvider {
    MockProvider(delay: .fixed(delay)) { endpoint in
      switch endpoint {
      case .login: .json(["token": "t-1"])
      case .boards: .json(Board.samples.map(\.summary))
      case .board(let id):
        Board.samples.first { $0.id == id }.map { .json($0) } ?? .status(404)
      case .create(let title): .json(Board(id: 7, title: title), status: 201)
      case .update(let id, let title): .json(Board(id: id, title: title))
      case .delete: .status(204)
      }
    }
  }
}

/// A transport provider that counts the concurrent requests of a mock provider.
final class CountingProvider: TransportProvider {
  private struct Counts {
    var current = 0
    var maximum = 0
  }

  private let provider: MockProvider<BoardsAPI>
  private let counts = MockState(Counts())

  init(_ provider: MockProvider<BoardsAPI>) {
    self.provider = provider
  }

  /// The maximum number of concurrent requests since ``resetMaxConcurrentRequests()``.
  var maxConcurrentRequests: Int { counts.withValue { $0.maximum } }

  func resetMaxConcurrentRequests() { counts.withValue { $0 = Counts() } }

  func transport(for endpoint: BoardsAPI, real: any Transport) -> (any Transport)? {
    provider.transport(for: endpoint, real: real).map {
      CountingTransport(transport: $0, provider: self)
    }
  }

  private func requestStarted() {
    counts.withValue { counts in
      counts.current += 1
      counts.maximum = max(counts.maximum, counts.current)
    }
  }

  private func requestEnded() { counts.withValue { $0.current -= 1 } }

  private struct CountingTransport: Transport {
    let transport: any Transport
    let provider: CountingProvider

    func start(
      _ request: HTTPRequest, _ receive: @escaping @Sendable (TransportEvent) -> Void
    ) -> any TransportHandle {
      provider.requestStarted()
      return transport.start(request) { event in
        switch event {
        case .end, .failure: provider.requestEnded()
        case .connected, .servedLocally, .sent, .head, .body, .trailers: break
        }
        receive(event)
      }
    }
  }
}

// MARK: The server

/// A loopback server of the boards API.
///
/// It delays each response, so that the modes take different times.
final class BoardsServer: Sendable {
  private struct Login: Decodable {
    let user: String
    let password: String
  }

  private struct Title: Decodable {
    let title: String
  }

  private static let token = "t-1815"

  private let server: MockServer
  /// The delay of each response.
  let delay: Duration

  /// Starts the server.
  ///
  /// - Parameters:
  ///   - port: The port to listen on. With 0 the system chooses a free port.
  ///   - delay: The delay of each response.
  /// - Throws: `MockServerError` if the server cannot listen on the port.
  init(port: Int = 0, delay: Duration) throws {
    self.delay = delay
    let boards = BoardStore()

    /// Returns a route that requires the token and delays each response.
    func authorized(
      _ method: HTTPMethod, _ template: String,
      _ respond: @escaping @Sendable (ReceivedRequest) throws -> Mock
    ) -> Route {
      Route(method, template) { request in
        let isAuthorized = request.headers["Authorization"] == "Bearer \(Self.token)"
        return (isAuthorized ? try respond(request) : .unauthorized).delayed(by: delay)
      }
    }

    server = try MockServer(port: port) {
      Route(.post, "/login") { request in
        let login = try request.decode(Login.self)
        let isAuthorized = login.user == "ada" && login.password == "lovelace"
        let response = isAuthorized ? Mock.json(Session(token: Self.token)) : .unauthorized
        return response.delayed(by: delay)
      }
      authorized(.get, "/boards") { _ in .json(boards.all.map(\.summary)) }
      authorized(.get, "/boards/{id}") { request in .board(boards[request.id]) }
      authorized(.post, "/boards") { request in
        .json(boards.add(try request.decode(Title.self).title), status: 201)
      }
      authorized(.patch, "/boards/{id}") { request in
        .board(boards.rename(request.id, try request.decode(Title.self).title))
      }
      authorized(.delete, "/boards/{id}") { request in
        boards.remove(request.id) ? .status(204) : .board(nil)
      }
    }
  }

  var url: URL { server.url }

  /// The maximum number of concurrent requests since ``resetMaxConcurrentRequests()``.
  var maxConcurrentRequests: Int { server.peakConcurrentRequests }

  func resetMaxConcurrentRequests() { server.resetPeakConcurrentRequests() }

  func nextRequest() -> Promise<ReceivedRequest> { server.takeRequest() }

  func stop() { server.stop() }
}

extension ReceivedRequest {
  fileprivate var id: Int? { Int(path["id"]) }
}

extension Mock {
  fileprivate static var unauthorized: Mock {
    .json(["error": "log in and send the token"], status: 401).header("WWW-Authenticate", "Bearer")
  }

  /// Returns a response with a board, or status 404 for `nil`.
  fileprivate static func board(_ board: Board?) -> Mock {
    board.map { .json($0) } ?? .json(["error": "board not found"], status: 404)
  }
}

/// The boards of the server.
private final class BoardStore: Sendable {
  private let boards = MockState(
    Dictionary(uniqueKeysWithValues: Board.samples.map { ($0.id, $0) }))

  var all: [Board] { boards.withValue { $0.values.sorted { $0.id < $1.id } } }

  subscript(id: Int?) -> Board? {
    guard let id else { return nil }
    return boards.withValue { $0[id] }
  }

  func add(_ title: String) -> Board {
    boards.withValue { boards in
      let board = Board(id: (boards.keys.max() ?? 0) + 1, title: title)
      boards[board.id] = board
      return board
    }
  }

  /// Returns the renamed board, or `nil` if the id is unknown.
  func rename(_ id: Int?, _ title: String) -> Board? {
    guard let id else { return nil }
    return boards.withValue { boards in
      boards[id]?.title = title
      return boards[id]
    }
  }

  /// Returns whether the board existed.
  func remove(_ id: Int?) -> Bool {
    guard let id else { return false }
    return boards.withValue { $0.removeValue(forKey: id) != nil }
  }
}
