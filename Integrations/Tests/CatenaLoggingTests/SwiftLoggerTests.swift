import CatenaLogging
import Foundation
import InMemoryLogging
import Logging
import Mocking
import Testing

struct SwiftLoggerTests {
  private static let url = "https://api.example.com/boards/7"

  /// Makes a request with a logger of a level, and returns the logged entries.
  private static func entries(
    _ level: Logger.Level, _ request: Request = .get("\(raw: url)"),
    _ mock: Mock = .json(["id": 7])
  ) async -> [InMemoryLogHandler.Entry] {
    var handler = InMemoryLogHandler()
    handler.logLevel = level
    var configuration = NetworkingConfiguration()
    configuration.logging = LoggingConfiguration(Logger(label: "boards") { _ in handler })
    let transport = MockTransport { Route(nil, "/{path*}", mock) }
    let client = Networking<Request>(transport: transport, configuration: configuration)
    _ = await client.request(request).result
    await client.flush()
    return handler.entries
  }

  @Test func callIsTwoMessagesWithMetadata() async throws {
    let entries = await Self.entries(.info)
    #expect(entries.map(\.level) == [.info, .info])
    let last = try #require(entries.last)
    #expect("\(last.message)".contains("GET \(Self.url): finished with 200 after 1 attempt"))
    #expect(last.metadata["http.request.method"] == "GET")
    #expect(last.metadata["url.full"] == "\(Self.url)")
    #expect(last.metadata["http.response.status_code"] == "200")
    #expect(last.metadata["http.request.resend_count"] == nil)
    #expect(last.metadata["call"] == entries.first?.metadata["call"])
    let call = try #require(last.metadata["call"])
    #expect("\(last.message)".hasPrefix("\(call) "))
  }

  @Test func failureIsAnErrorWithItsType() async throws {
    let entries = await Self.entries(.error, .get("\(raw: Self.url)"), .failure(.connectionLost))
    #expect(entries.map(\.level) == [.error])
    #expect(entries.first?.metadata["error.type"] == "connectionLost")
  }

  @Test func timeoutHasItsPhase() async throws {
    let entries = await Self.entries(
      .error, .get("\(raw: Self.url)", .timeout(.zero)), .text("late").delayed(by: .seconds(60)))
    #expect(entries.first?.metadata["error.type"] == "timedOut.call")
  }

  @Test func levelOfTheLoggerIsThatOfTheClient() {
    let expected: [(Logger.Level, LoggingConfiguration.Level)] = [
      (.trace, .verbose), (.debug, .verbose), (.info, .info), (.notice, .error),
      (.critical, .error),
    ]
    for (level, clientLevel) in expected {
      var logger = Logger(label: "boards") { _ in InMemoryLogHandler() }
      logger.logLevel = level
      #expect(LoggingConfiguration(logger).level == clientLevel)
    }
  }

  @Test func verboseEntriesHaveDetailsWithoutSecrets() async throws {
    let entries = await Self.entries(
      .debug,
      .post(
        "\(raw: Self.url)?token=sesame", json: ["password": "sesame"], headers: ["X-Board": "7"]))
    #expect(entries.contains { $0.level == .debug })
    let details = entries.compactMap { $0.metadata["details"] }.map { "\($0)" }.joined()
    #expect(details.contains("X-Board: 7"))
    #expect(details.contains("password"))
    let all = entries.map { "\($0.message) \($0.metadata)" }.joined()
    #expect(!all.contains("sesame"))
  }

  @Test func retryHasTheNumberOfEarlierAttempts() async throws {
    let handler = InMemoryLogHandler()
    var configuration = NetworkingConfiguration()
    configuration.logging = LoggingConfiguration(Logger(label: "boards") { _ in handler })
    configuration.retry = .exponential(initial: .zero, limit: 1)
    let transport = MockTransport {
      Route(.get, "/{path*}", .sequence([.status(503), .text("ok")]))
    }
    let client = Networking<Request>(transport: transport, configuration: configuration)
    _ = try await client.request(.get("\(raw: Self.url)")).value
    await client.flush()
    #expect(handler.entries.last?.metadata["http.request.resend_count"] == "1")
  }
}
