import LoadSupport
import Mocking

/// Promise chains of requests, each sent after the previous response is decoded.
struct Chains {
  private let client: Networking<BoardsAPI>
  private let chains: Int
  private let length: Int
  private let warmUp: Int

  init(_ arguments: Arguments) {
    client = Client.make(arguments)
    length = arguments.number("length", or: 100)
    chains = arguments.number("chains", or: 1)
    warmUp = arguments.number("warm-up", or: 0)
  }

  func run() async {
    if warmUp > 0 { _ = await lanes(warmUp) }
    await Outcome.print(of: chains * length) { await lanes(chains) }
  }

  private func lanes(_ count: Int) async -> Int {
    let (client, length) = (client, length)
    return await Lanes(count, atOnce: 1).awaiting { _ in
      var board = client.request(.board(id: 1)).validate().decode(Board.self)
      for _ in 1..<max(length, 1) {
        board = board.then { client.request(.board(id: $0.id)) }.validate().decode(Board.self)
      }
      _ = try await board.value
    }
  }
}
