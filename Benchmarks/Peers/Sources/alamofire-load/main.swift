import Alamofire
import Foundation
import LoadSupport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// GET requests with Alamofire, validated and decoded.

let arguments = Arguments()
let requests = arguments.number("requests", or: 1)
let warmUp = arguments.number("warm-up", or: 0)
let atOnce = arguments.number("at-once", or: 1)
let address = arguments["url"] ?? ""

let configuration = URLSessionConfiguration.ephemeral
configuration.httpMaximumConnectionsPerHost = atOnce
let session = Session(configuration: configuration)

@Sendable func gets(_ count: Int) async -> Int {
  await Lanes(count, atOnce: atOnce).awaiting { number in
    _ = try await session.request(address + "boards/\(number)").validate()
      .serializingDecodable(Board.self).value
  }
}

if warmUp > 0 { _ = await gets(warmUp) }
await Outcome.print(of: requests) { await gets(requests) }
