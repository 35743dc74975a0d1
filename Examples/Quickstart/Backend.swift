import Foundation
import Mocking

/// What a walk talks to, and who counts there how many requests are handled at once.
enum Backend {
  case server(BoardsServer)
  /// A server of the user's own; how many at once is known to that alone.
  case url(URL)
  case mocks(Gauge)

  var title: String {
    switch self {
    case .server(let server):
      "Over HTTP, to a server at \(server.url) that answers after \(server.delay.inMilliseconds)"
    case .url(let url): "Over HTTP, to the server at \(url)"
    case .mocks: "Mocked: the same delay, and no server"
    }
  }

  /// Walks once in each mode, one after the other.
  ///
  /// - Throws: ``Run/Failure``, at the first walk that comes to its end too soon.
  func walk(_ modes: [RequestMode]) async throws -> [Run] {
    var runs: [Run] = []
    for mode in modes {
      beginCounting()
      do {
        let laps = try await Walk(networking: client(mode)).start().value
        runs.append(Run(mode: mode, laps: laps, mostAtOnce: mostAtOnce))
      } catch {
        throw Run.Failure(mode: mode, reason: error)
      }
    }
    return runs
  }

  private func client(_ mode: RequestMode) -> Networking<BoardsAPI> {
    switch self {
    case .server(let server): client(mode, server.url)
    case .url(let url): client(mode, url)
    case .mocks(let gauge): Networking(mode: mode, mockProvider: gauge)
    }
  }

  private func client(_ mode: RequestMode, _ url: URL) -> Networking<BoardsAPI> {
    let networking = Networking<BoardsAPI>(mode: mode)
    networking.setBaseURL(url)
    return networking
  }

  private func beginCounting() {
    switch self {
    case .server(let server): server.beginCounting()
    case .url: break
    case .mocks(let gauge): gauge.beginCounting()
    }
  }

  private var mostAtOnce: Int? {
    switch self {
    case .server(let server): server.mostAtOnce
    case .url: nil
    case .mocks(let gauge): gauge.mostAtOnce
    }
  }
}
