import LoadSupport
import Mocking

/// Concurrent GET requests with validation and decoding.
struct Gets {
  private let client: Networking<BoardsAPI>
  private let requests: Int
  private let atOnce: Int
  private let warmUp: Int
  private let isAwaited: Bool

  init(_ arguments: Arguments) {
    client = Client.make(arguments)
    requests = arguments.number("requests", or: 1)
    atOnce = arguments.number("at-once", or: 1)
    warmUp = arguments.number("warm-up", or: 0)
    isAwaited = arguments["style"] == "await"
  }

  func run() async {
    if warmUp > 0 { _ = await lanes(warmUp) }
    await Outcome.print(of: requests) { await lanes(requests) }
  }

  private func lanes(_ count: Int) async -> Int {
    let client = client
    let lanes = Lanes(count, atOnce: atOnce)
    if isAwaited {
      return await lanes.awaiting { number in
        _ = try await client.request(.board(id: number)).validate().decode(Board.self).value
      }
    }
    return await lanes.callingBack { number, done in
      client.request(.board(id: number)).validate().decode(Board.self)
        .done { _ in done(nil) }
        .fail(policy: .allErrors) { done($0) }
    }
  }
}
