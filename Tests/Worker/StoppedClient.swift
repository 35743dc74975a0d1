#if os(Linux) || os(macOS)
  import Foundation
  import Networking
  import TestSupport

  // Sends a request whose response arrives while this process is stopped.
  //
  //     stopped-client curl URL
  //     stopped-client url-session URL
  //     stopped-client call URL
  //
  // The idle timeout of an exchange, or the limit of the call, is five seconds. The program prints the body
  // of the response, or the code of the failure.
  enum StoppedClient {
    private static let limit = Duration.seconds(5)

    static func run(_ arguments: [String]) async throws {
      guard arguments.count == 3, let url = URL(string: arguments[2]) else { exit(64) }
      let request = HTTPRequest(url: url, idleTimeout: limit)
      switch arguments[1] {
      #if os(Linux)
        case "curl": report(await CurlTransport().perform(request))
      #endif
      case "url-session": report(await URLSessionTransport().perform(request))
      case "call":
        var configuration = NetworkingConfiguration()
        configuration.idleTimeout = nil
        configuration.callTimeout = limit
        let client = Networking<Request>(configuration: configuration)
        let response = try await client.request(.get(.url(url))).value
        log(String(decoding: response.data, as: UTF8.self))
      default: exit(64)
      }
    }

    private static func report(_ record: ExchangeRecord) {
      log(record.failure.map { "\($0.code)" } ?? String(decoding: record.body, as: UTF8.self))
    }
  }
#endif
