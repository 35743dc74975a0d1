import Foundation
import Get
import LoadSupport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// GET requests with Get, which validates and decodes each response.

let arguments = Arguments()
let requests = arguments.number("requests", or: 1)
let warmUp = arguments.number("warm-up", or: 0)
let atOnce = arguments.number("at-once", or: 1)

let client = APIClient(baseURL: URL(string: arguments["url"] ?? "")) { configuration in
  configuration.sessionConfiguration = .ephemeral
  configuration.sessionConfiguration.httpMaximumConnectionsPerHost = atOnce
}

@Sendable func gets(_ count: Int) async -> Int {
  await Lanes(count, atOnce: atOnce).awaiting { number in
    _ = try await client.send(Request<Board>(path: "/boards/\(number)")).value
  }
}

if warmUp > 0 { _ = await gets(warmUp) }
await Outcome.print(of: requests) { await gets(requests) }
