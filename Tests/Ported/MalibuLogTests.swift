import Foundation
import Mocking
import Networking
import Promises
import TestGate
import TestSupport
import Testing

/// A logger that keeps the lines of its entries.
private struct LineLogger: NetworkLogger {
  let lines = Log<String>()

  func log(_ entry: NetworkLogEntry) {
    for line in entry.lines { lines.append(line) }
  }
}

/// Malibu: logging.
@Suite(.gated)
struct MalibuLogTests {
  @Test("M25: levels and loggers", arguments: LoggingConfiguration.Level.allCases)
  func logging(_ level: LoggingConfiguration.Level) async throws {
    let server = try sampleServer {
      Route(.delete, "/api/boards/{id}", .fault(.reset))
    }
    let (errors, requests, responses) = (LineLogger(), LineLogger(), LineLogger())
    var configuration = NetworkingConfiguration.isolated
    configuration.logging = LoggingConfiguration(level)
    // sample M25
    configuration.logging.errorLogger = errors

    configuration.logging.requestLogger = requests

    configuration.logging.responseLogger = responses
    // end
    let networking = Networking<SharkywatersEndpoint>(to: server, configuration: configuration)
    _ = try await networking.request(.createBoard(type: 2, title: "Balsa Fish")).value
    _ = await networking.request(.deleteBoard(id: 7)).result
    // The last entry: the loggers of a client receive the entries in order.
    if level >= .error { _ = await errors.lines.entries(1) }
    let text = requests.lines.entries.joined(separator: "\n")
    #expect(errors.lines.entries.contains { $0.contains("/api/boards/7") } == (level >= .error))
    #expect(text.contains("POST http://sharkywaters.com/api/boards") == (level >= .info))
    #expect(responses.lines.entries.contains { $0.contains(" 200 ") } == (level >= .info))
    #expect(text.contains("Accept: application/json") == (level == .verbose))
    #expect(text.contains("Balsa Fish") == (level == .verbose))
  }

  #if os(Linux) || os(macOS)
    /// Runs in a separate process, because the configuration belongs to the whole process.
    @Test("M25b: level and loggers of all clients") func loggingOfAllClients() async {
      await #expect(processExitsWith: .success) {
        let server = try sampleServer()
        let (errors, requests, responses) = (LineLogger(), LineLogger(), LineLogger())
        NetworkingConfiguration.default.logging = .info
        // sample M25b
        NetworkingConfiguration.default.logging.errorLogger = errors

        NetworkingConfiguration.default.logging.requestLogger = requests

        NetworkingConfiguration.default.logging.responseLogger = responses
        // end
        let networking = Networking<SharkywatersEndpoint>(to: server, configuration: .default)
        networking.callbackContext = .inline
        _ = try await networking.request(.fetchBoards).value
        #expect(await requests.lines.entries(1).contains { $0.contains("/api/boards") })
        #expect(await responses.lines.entries(1).contains { $0.contains(" 200 ") })
        #expect(errors.lines.entries.isEmpty)
      }
    }
  #endif
}
