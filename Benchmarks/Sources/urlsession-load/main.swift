import Foundation
import LoadSupport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// GET requests with URLSession; `--decode yes` decodes the body, and `--style await` has tasks that await
// the responses in place of handlers.

let arguments = Arguments()
let requests = arguments.number("requests", or: 1)
let atOnce = arguments.number("at-once", or: 1)
let decodes = arguments["decode"] != nil
let isAwaited = arguments["style"] == "await"

guard let url = URL(string: (arguments["url"] ?? "") + "boards/7") else { exit(2) }
let configuration = URLSessionConfiguration.ephemeral
configuration.httpMaximumConnectionsPerHost = atOnce
let session = URLSession(configuration: configuration)

@Sendable func board(_ done: @escaping @Sendable ((any Error)?) -> Void) {
  session.dataTask(with: url) { data, response, error in
    guard let data, (response as? HTTPURLResponse)?.statusCode == 200 else {
      return done(error ?? URLError(.badServerResponse))
    }
    do {
      if decodes { _ = try JSONDecoder().decode(Board.self, from: data) }
      done(nil)
    } catch {
      done(error)
    }
  }.resume()
}

func lanes(_ count: Int) async -> Int {
  let lanes = Lanes(count, atOnce: atOnce)
  guard isAwaited else { return await lanes.callingBack { _, done in board(done) } }
  return await lanes.awaiting { _ in
    let (data, response) = try await session.data(from: url)
    guard (response as? HTTPURLResponse)?.statusCode == 200 else {
      throw URLError(.badServerResponse)
    }
    if decodes { _ = try JSONDecoder().decode(Board.self, from: data) }
  }
}

let warmUp = arguments.number("warm-up", or: 0)
if warmUp > 0 { _ = await lanes(warmUp) }
await Outcome.print(of: requests) { await lanes(requests) }
