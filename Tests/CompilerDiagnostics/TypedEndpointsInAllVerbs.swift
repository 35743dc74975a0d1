// compiles
import Foundation
import Networking
import NetworkingStreams
import NetworkingTracing
import NetworkingTransfers
import NetworkingValues

struct GetBoard: TypedEndpoint {
  typealias ResponseType = Data
  var request: Request { .get("board") }
}

enum FilmsAPI: RequestConvertible {
  case film(id: Int)

  var request: Request { .get("films") }
}

func send(_ networking: Networking<FilmsAPI>, file: URL, cache: ValueCache<URL, Data>) throws {
  networking.download(GetBoard(), to: file, .timeout(.seconds(5)))
  networking.transfer(GetBoard(), to: file)
  networking.transfer(GetBoard())
  networking.transfer(file, to: GetBoard(), by: .tus())
  networking.discardTransfer(of: file, to: GetBoard())
  networking.prefetch([GetBoard()], cached: cache)
  networking.prefetch([GetBoard()], cached: cache) { response in response.data }
  _ = networking.stream(GetBoard())
  _ = networking.events(of: GetBoard(), .retry(.never))
  _ = networking.lines(of: GetBoard())
  _ = networking.jsonLines(of: GetBoard(), as: Data.self)
  _ = networking.pages(of: GetBoard(), next: .link)
  _ = networking.value(for: GetBoard(), cached: cache)
  _ = networking.value(for: GetBoard(), cached: cache) { response in response.data }
  _ = try networking.curlCommand(for: GetBoard())

  networking.download(.film(id: 7), to: file, .timeout(.seconds(5)))
  networking.transfer(.film(id: 7), to: file)
  networking.transfer(.film(id: 7))
  networking.transfer(file, to: .film(id: 7), by: .tus())
  networking.discardTransfer(of: file, to: .film(id: 7))
  networking.prefetch([.film(id: 7)], cached: cache)
  networking.prefetch([.film(id: 7)], cached: cache) { response in response.data }
  _ = networking.stream(.film(id: 7))
  _ = networking.events(of: .film(id: 7), .retry(.never))
  _ = networking.lines(of: .film(id: 7))
  _ = networking.jsonLines(of: .film(id: 7), as: Data.self)
  _ = networking.pages(of: .film(id: 7), next: .link)
  _ = networking.value(for: .film(id: 7), cached: cache)
  _ = networking.value(for: .film(id: 7), cached: cache) { response in response.data }
  _ = try networking.curlCommand(for: .film(id: 7))
}

func send(_ networking: Networking<GetBoard>, file: URL, cache: ValueCache<URL, Data>) {
  networking.download(GetBoard(), to: file)
  networking.transfer(GetBoard())
  networking.prefetch([GetBoard()], cached: cache)
  _ = networking.events(of: .init())
  _ = networking.value(for: GetBoard(), cached: cache)
}
