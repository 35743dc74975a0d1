import Foundation
import Mocking
import Networking
import NetworkingInterceptors
import TestGate
import TestSupport
import Testing

/// Loggers of a service.
@Suite(.gated)
struct CaraLoggingTests {
  private let server: MockServer

  init() throws {
    server = try MockServer {
      Route(.get, "/user", .json(["name": "Ada"]))
      Route(.get, "/broken") { _ in .fault(.reset) }
    }
  }

  private var someConfiguration: NetworkingConfiguration {
    var configuration = NetworkingConfiguration()
    configuration.baseURL = server.url
    configuration.session = .ephemeral
    return configuration
  }

  @Test("A6: a logger of one's own with the start, the end, the metrics and the error")
  func customLogger() async throws {
    let service = Networking<Request>(configuration: someConfiguration)
    let (starts, ends) = (Log<String>(), Log<String>())
    // sample A6
    struct CustomLogger: NetworkPlugin {
      let (starts, ends): (Log<String>, Log<String>)
      func willSend(_ request: HTTPRequest) { starts.append("\(request)") }
      func didReceive(_ result: Result<Response, any Error>, of request: HTTPRequest) {
        ends.append(
          result.error.map { "\($0)" } ?? "\((try? result.get().metrics.bytesReceived) ?? 0)")
      }
    }
    service.interceptors.append(CustomLogger(starts: starts, ends: ends))
    // end
    _ = try await service.request(.get("user")).value
    _ = await service.request(.get("broken")).result
    #expect(starts.entries == ["GET \(server.url)/user", "GET \(server.url)/broken"])
    #expect(ends.entries.count == 2 && ends.entries[0] == "14")
    #expect(ends.entries[1].contains("GET \(server.url)/broken"))
  }

  @Test("A7: the console logger")
  func consoleLogger() async throws {
    // sample A7
    var configuration = someConfiguration
    configuration.logging = .info
    // end
    #expect(configuration.logging.responseLogger is StandardLogger)
    #expect(Networking<Request>(configuration: configuration).logLevel == .info)

    let log = Log<String>()
    configuration.logging.responseLogger = ClosureLogger { entry in log.append(entry.description) }
    let service = Networking<Request>(configuration: configuration)
    _ = try await service.request(.get("user")).value
    let line = try #require(await log.entries(1).first)
    #expect(line.contains("GET \(server.url)/user: finished with 200"))
  }
}
