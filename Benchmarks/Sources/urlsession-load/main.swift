import Foundation
import LoadSupport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// GET requests with URLSession; `--decode yes` decodes the body.

let arguments = Arguments()
let requests = arguments.number("requests", or: 1)
let atOnce = arguments.number("at-once", or: 1)
let decodes = arguments["decode"] != nil

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
  await Lanes(count, atOnce: atOnce).callingBack { _, done in board(done) }
}

let warmUp = arguments.number("warm-up", or: 0)
if warmUp > 0 { _ = await lanes(warmUp) }
await Outcome.print(of: requests) { await lanes(requests) }
