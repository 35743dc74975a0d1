import CatenaSystem
import Foundation
import Mocking
import MockingOAuth2
import Networking
import TestSupport

/// The servers of suspended clients, and what they have received.
final class SuspensionServer: Sendable {
  static let film = Data.pattern(1_000_000)

  private struct State {
    /// The number of accepted POST requests, by number.
    var orders: [Int: Int] = [:]
    /// The received bytes of each upload.
    var uploads: [Int: Int] = [:]
    var wrong: [String] = []
  }

  let login: MockAuthorizationServer
  let shop: MockServer
  private let core: Core

  private final class Core: Sendable {
    let state = Mutex(State())
  }

  /// Starts the servers, whose access tokens live as long as `tokenLife`.
  init(tokenLife: Duration) throws {
    var settings = AuthorizationServerSettings()
    settings.accessTokenLife = tokenLife
    let login = try MockAuthorizationServer(settings)
    let core = Core()
    (self.login, self.core) = (login, core)
    @Sendable func accepted(
      _ request: ReceivedRequest, _ mock: (_ number: Int) -> Mock
    ) -> Mock {
      guard login.accepts(request) else { return .status(401) }
      return mock(Int(request.path["n"]) ?? 0)
    }
    shop = try MockServer {
      Route(.get, "/items/{n}") { request in accepted(request) { .text("item \($0)") } }
      Route(.post, "/orders/{n}") { request in
        accepted(request) { number in
          core.state.withLock { $0.orders[number, default: 0] += 1 }
          return .status(201)
        }
      }
      Route(.get, "/film") { request in
        accepted(request) { _ in
          var mock = Mock.data(Self.film, contentType: "video/mp4")
          mock.headers["ETag"] = "\"film\""
          return mock
        }
      }
      Route(.post, "/files/{n}") { request in
        accepted(request) { number in
          core.state.withLock { state in
            if state.uploads[number] != nil { state.wrong.append("upload \(number) created twice") }
            state.uploads[number] = 0
          }
          return Mock(status: 201, headers: ["Location": "/files/\(number)"])
        }
      }
      Route(.patch, "/files/{n}") { request in
        accepted(request) { number in
          let offset = core.state.withLock { state -> Int in
            let offset = Int(request.headers["Upload-Offset"] ?? "") ?? -1
            if state.uploads[number] != offset {
              state.wrong.append(
                "upload \(number) has \(state.uploads[number] ?? -1), not \(offset)")
            }
            state.uploads[number, default: 0] += request.body.count
            return state.uploads[number] ?? 0
          }
          return Mock(status: 204, headers: ["Upload-Offset": "\(offset)"])
        }
      }
    }
  }

  /// Checks the state against the results of the clients.
  ///
  /// - Parameter lines: The lines of the clients.
  /// - Returns: The violations.
  func violations(_ lines: [String]) -> [String] {
    let state = core.state.withLock { $0 }
    var wrong = state.wrong + lines.filter { $0.hasPrefix("failed") }
    for (number, count) in state.orders.sorted(by: { $0.key < $1.key }) where count > 1 {
      wrong.append("order \(number) was accepted \(count) times")
    }
    for line in lines where line.hasPrefix("ok post ") {
      let number = Int(line.split(separator: " ")[2]) ?? 0
      if state.orders[number] == nil { wrong.append("order \(number) was never received") }
    }
    for line in lines where line.hasPrefix("ok upload ") {
      let number = Int(line.split(separator: " ")[2]) ?? 0
      if state.uploads[number] != 100_000 { wrong.append("upload \(number) is not complete") }
    }
    if login.counts.reused > 0 {
      wrong.append("\(login.counts.reused) refresh tokens were used twice")
    }
    return wrong
  }
}
