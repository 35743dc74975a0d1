import Foundation
import Mocking

/// The boards API on a loopback socket, slow enough for the modes to differ.
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
  /// How long each answer takes.
  let delay: Duration

  /// Starts the server.
  ///
  /// - Parameters:
  ///   - port: where to listen; 0 has the system choose.
  ///   - delay: how long each answer takes.
  /// - Throws: `MockServerError` when the port cannot be listened on.
  init(port: Int = 0, delay: Duration) throws {
    self.delay = delay
    let boards = BoardStore()

    /// A route that lets nobody in without the token, and takes its time.
    func guarded(
      _ method: HTTPMethod, _ template: String,
      _ answer: @escaping @Sendable (ReceivedRequest) throws -> Mock
    ) -> Route {
      Route(method, template) { request in
        let isKnown = request.headers["Authorization"] == "Bearer \(Self.token)"
        return (isKnown ? try answer(request) : .refused).delayed(by: delay)
      }
    }

    server = try MockServer(port: port) {
      Route(.post, "/login") { request in
        let login = try request.decode(Login.self)
        let isKnown = login.user == "ada" && login.password == "lovelace"
        let answer = isKnown ? Mock.json(Session(token: Self.token)) : .refused
        return answer.delayed(by: delay)
      }
      guarded(.get, "/boards") { _ in .json(boards.all.map(\.summary)) }
      guarded(.get, "/boards/{id}") { request in .board(boards[request.id]) }
      guarded(.post, "/boards") { request in
        .json(boards.add(try request.decode(Title.self).title), status: 201)
      }
      guarded(.patch, "/boards/{id}") { request in
        .board(boards.rename(request.id, try request.decode(Title.self).title))
      }
      guarded(.delete, "/boards/{id}") { request in
        boards.remove(request.id) ? .status(204) : .board(nil)
      }
    }
  }

  var url: URL { server.url }

  /// The most requests that were being handled at once since ``beginCounting()``.
  var mostAtOnce: Int { server.peakConcurrentRequests }

  func beginCounting() { server.resetPeakConcurrentRequests() }

  func nextRequest() -> Promise<ReceivedRequest> { server.takeRequest() }

  func stop() { server.stop() }
}

extension ReceivedRequest {
  fileprivate var id: Int? { Int(path["id"]) }
}

extension Mock {
  fileprivate static var refused: Mock {
    .json(["error": "log in, and send the token"], status: 401).header("WWW-Authenticate", "Bearer")
  }

  fileprivate static func board(_ board: Board?) -> Mock {
    board.map { .json($0) } ?? .json(["error": "there is no such board"], status: 404)
  }
}
