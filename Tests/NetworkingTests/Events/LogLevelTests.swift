import CatenaSystem
import Foundation
import Mocking
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking

/// The exact log output of each level.
@Suite(.gated)
struct LogLevelTests {
  private let fixture = EventFixture()
  private let log = Log<NetworkLogEntry>()

  /// The log lines, with the calls numbered from 1.
  private var lines: [String] {
    var numbers: [NetworkEvent.CallID: Int] = [:]
    return log.entries.flatMap { entry in
      let call = entry.event.call
      let number = numbers[call] ?? numbers.count + 1
      numbers[call] = number
      return entry.lines.map { $0.replacing("\(call)", with: "#\(number)", maxReplacements: 1) }
    }
  }

  private func client(
    _ level: LoggingConfiguration.Level, retry: RetryPolicy = .never,
    _ change: (inout LoggingConfiguration) -> Void = { _ in }, @RouteBuilder routes: () -> [Route]
  ) -> Networking<Request> {
    fixture.client { [log] configuration in
      configuration.retry = retry
      configuration.logging = LoggingConfiguration(level, to: ClosureLogger { log.append($0) })
      change(&configuration.logging)
    } routes: {
      routes()
    }
  }

  @Test func theErrorLevelHasOneLinePerFailure() async throws {
    let client = client(.error, retry: .delayed(.seconds(2), limit: 2)) {
      Route(.get, "/broken", .failure(.connectionLost))
      Route(.get, "/fine", .json([]))
      Route(.get, "/missing", .status(404))
    }
    _ = client.request(.get("broken?token=s3cret")).fail { _ in }
    _ = client.request(.get("fine"))
    _ = client.request(.get("missing"))
    await fixture.time.run()
    #expect(
      lines == [
        "#1 GET https://api.example.com/broken?token=***: failed (connectionLost) after 3 attempts, 4.000 s: the connection was lost: mocked, after 3 attempts (the connection was lost; 2 s later the connection was lost; 2 s later the connection was lost)"
      ])
    #expect(log.entries.map(\.category) == [.error])
  }

  /// The steps after a request for a response with the status 404, and the number of lines about it.
  struct Steps: Sendable {
    let count: Int
    let run: @Sendable (NetworkPromise) -> Promise<Void>

    init(_ count: Int, _ run: @escaping @Sendable (NetworkPromise) -> Promise<Void>) {
      self.count = count
      self.run = run
    }

    static let all = [
      Steps(1) { $0.decode([String: Int].self).asVoid() }, Steps(1) { $0.toJson().asVoid() },
      Steps(1) { $0.toJsonDictionary().asVoid() }, Steps(1) { $0.toString().asVoid() },
      Steps(1) { when($0.toJson(), $0.toString()).asVoid() },
      Steps(1) { $0.validate(contentTypes: ["application/json"]).toJson().asVoid() },
      Steps(0) { $0.validate(statusCodes: [404]).toJson().asVoid() },
      Steps(0) { $0.validate().toJson().asVoid() }, Steps(0) { $0.toJsonArray().asVoid() },
      Steps(0) { $0.toData().asVoid() }, Steps(0) { $0.asVoid() },
    ]
  }

  @Test(arguments: Steps.all)
  func aBodyThatIsDecodedWhateverItsStatusIsLoggedOnce(_ steps: Steps) async {
    let client = client(.error) { Route(.get, "/missing", .json(["id": 1], status: 404)) }
    steps.run(client.request(.get("missing?token=s3cret"))).always { _ in }
    await fixture.time.run()
    let line =
      "#1 GET https://api.example.com/missing?token=***: the body was decoded although the status is 404; validate() rejects such a response"
    #expect(lines == Array(repeating: line, count: steps.count))
    #expect(log.entries.allSatisfy { $0.category == .error && $0.level == .error })
  }

  @Test func theInfoLevelHasStartsRetriesRedirectsAndEnds() async throws {
    let client = client(.info, retry: .delayed(.seconds(2), limit: 2)) {
      Route(.put, "/old", .sequence(.status(503), .redirect(to: "/new", status: 307)))
      Route(.put, "/new", .text("hello"))
    }
    _ = client.request(.put("old", parameters: ["a": 1]))
    await fixture.time.run()
    #expect(
      lines == [
        "#1 PUT https://api.example.com/old: sending 7 bytes",
        "#1 PUT https://api.example.com/old: retrying in 2.0 seconds (attempt 2): the status 503 is not acceptable",
        "#1 PUT https://api.example.com/old: redirected to https://api.example.com/new",
        "#1 PUT https://api.example.com/new: finished with 200 after 2 attempts, 2.000 s, 7 bytes sent, 5 received",
      ])
  }

  @Test func theVerboseLevelHasHeaderFieldsAndSmallBodies() async throws {
    let client = client(.verbose) {
      Route(
        .post, "/login",
        Mock.json(["access_token": "s3cret", "name": "Ada"]).header("Set-Cookie", "id=s3cret"))
    }
    _ = client.request(
      .post(
        "login", parameters: ["user": "ada", "password": "s3cret"],
        headers: ["X-Api-Key": "s3cret"]))
    await fixture.time.run()
    let lines = lines
    #expect(lines.first == "#1 POST login: queued")
    #expect(lines.contains("#1   X-Api-Key: ***"))
    #expect(lines.contains(#"#1   {"password":"***","user":"ada"}"#))
    #expect(lines.contains("#1   Set-Cookie: ***"))
    #expect(lines.contains(#"#1   {"access_token":"***","name":"Ada"}"#))
    #expect(!lines.joined().contains("s3cret"))
  }

  @Test func largeAndBinaryBodiesAreNotLogged() async throws {
    let client = client(.verbose) {
      $0.maximumBodySize = 10
    } routes: {
      Route(.get, "/large", .text("0123456789a"))
      Route(.get, "/small", .text("012345678\n"))
      Route(.get, "/binary", .data(Data([0xFF, 0, 1]), contentType: "image/png"))
    }
    for path in ["large", "small", "binary"] {
      _ = client.request(.get(RequestPath(raw: path)))
      await fixture.time.run()
    }
    let shown = lines.filter { $0.contains("   ") && !$0.contains(": ") }
    #expect(shown == ["#2   012345678 "])
  }

  @Test func cancellationsAndCallsWithoutAResponseAreLogged() async throws {
    struct Refusal: Error {}
    let client = client(.info) { Route(.get, "/slow", Mock.text("late").delayed(by: .seconds(5))) }
    let call = client.request(.get("slow"))
    await fixture.time.advance(by: .seconds(1))
    call.cancel()
    client.middleware = { _, _ in .rejected(Refusal()) }
    _ = client.request(.get("slow")).fail { _ in }
    await fixture.time.run()
    #expect(
      lines == [
        "#1 GET https://api.example.com/slow: sending",
        "#1 GET https://api.example.com/slow: cancelled after 1 attempt, 1.000 s",
        "#2 GET slow: failed after 0 attempts, 0.000 s: Refusal()",
      ])
  }

  @Test func eachLoggerReceivesItsLevel() async throws {
    let (requests, responses, errors) = (Counter(), Counter(), Counter())
    let client = client(.info) {
      $0.requestLogger = ClosureLogger { _ in _ = requests.add() }
      $0.responseLogger = ClosureLogger { _ in _ = responses.add() }
      $0.errorLogger = nil
    } routes: {
      Route(.get, "/fine", .json([]))
      Route(.get, "/broken", .failure(.connectionLost))
    }
    _ = client.request(.get("fine"))
    _ = client.request(.get("broken")).fail { _ in }
    await fixture.time.run()
    #expect((requests.value, responses.value, errors.value) == (2, 1, 0))
    #expect(log.entries == [])
  }

  @Test func virtualTimeWaitsForEachLoggerOnAnActor() async {
    /// A scheduler that counts the calls on actors for which it waits.
    struct CallCounter: Scheduler {
      let calls = Counter()
      var now: Duration { .zero }

      func schedule(
        after delay: Duration, _ action: @escaping @Sendable () -> Void
      ) -> ScheduledAction {
        ScheduledAction {}
      }

      func context(for context: ExecutionContext) -> ExecutionContext {
        calls.add()
        return context
      }
    }
    let time = CallCounter()
    let logging = LoggingConfiguration(.info, to: ClosureLogger { @MainActor _ in })
    let queue = LogMonitor.queue(logging, scheduler: time)
    let failure = NetworkEvent.Failure(code: .connectionLost, description: "")
    for kind in [.redirected(to: "/"), .cancelled, .failed(failure)] as [NetworkEvent.Kind] {
      let before = time.calls.value
      _ = queue.add(.init(event: NetworkEvent(kind), level: .info))
      await withCheckedContinuation { continuation in queue.flush { continuation.resume() } }
      #expect(time.calls.value > before)
    }
  }

  @Test func theNoneLevelAttachesNoLogger() {
    let client = Networking<Request>(transport: MockTransport(routes: []), configuration: .plain)
    #expect(client.settings.withLock { $0.settings.eventSinks.isEmpty })
  }

  @Test func aNewLevelAppliesToTheNextRequest() async throws {
    let client = client(.none) {
      Route(.get, "/{name}", Mock.text("hello").delayed(by: .seconds(1)))
    }
    #expect(client.logLevel == .none)
    _ = client.request(.get("silent"))
    client.logLevel = .info
    #expect(client.logLevel == .info)
    _ = client.request(.get("a"))
    client.logLevel = .verbose
    _ = client.request(.get("b", headers: ["X-Shown": "1"]))
    client.logLevel = .error
    _ = client.request(.get("c"))
    client.logLevel = .none
    _ = client.request(.get("silent"))
    await fixture.time.run()
    let text = lines.joined(separator: "\n")
    #expect(!text.contains("silent") && !text.contains("/c"))
    #expect(
      lines.filter { $0.hasPrefix("#1 ") } == [
        "#1 GET https://api.example.com/a: sending",
        "#1 GET https://api.example.com/a: finished with 200 after 1 attempt, 1.000 s, 0 bytes sent, 5 received",
      ])
    #expect(lines.contains("#2   X-Shown: 1") && lines.contains("#2   hello"))
    #expect(!lines.contains("#1   hello"))
    let settings = client.settings.withLock { $0.settings }
    #expect(settings.eventSinks.count == 1)  // The fixture's own monitor.
  }

  @Test func concurrentLevelChangesLeaveOneLogWithCompleteCalls() async throws {
    let (running, most, last) = (Counter(), Log<Int>(), Log<Void>())
    var configuration = NetworkingConfiguration.plain
    configuration.logging = LoggingConfiguration(
      .none,
      to: ClosureLogger { [log] entry in
        most.append(running.add())
        log.append(entry)
        if "\(entry)".contains("/last: finished") { last.append(()) }
        running.add(-1)
      })
    let client = Networking<Request>(
      transport: MockTransport { Route(.get, "/{name}", .text("hello")) },
      configuration: configuration)
    client.callbackContext = .inline
    let calls = Log<NetworkPromise>()
    await onThreads(4) { index in
      for round in 0..<100 {
        client.logLevel =
          index.isMultiple(of: 2) ? .info : round.isMultiple(of: 3) ? .none : .verbose
        calls.append(client.request(.get("https://api.example.com/a")))
      }
    }
    for call in calls.entries { _ = try await call.value }
    client.logLevel = .info
    #expect(client.settings.withLock { $0.settings.eventSinks.count } == 1)
    _ = try await client.request(.get("https://api.example.com/last")).value
    client.logLevel = .none
    #expect(client.settings.withLock { $0.settings.eventSinks.isEmpty })
    _ = await last.entries(1)
    #expect(most.entries.allSatisfy { $0 == 1 })
    for events in log.entries.map(\.event).byCall {
      #expect([2, 8].contains(events.count) && events.last?.isFinal == true)
    }
  }

  @Test func serverTextCannotBreakALogLine() {
    let entry = NetworkLogEntry(
      level: .info, category: .response, event: NetworkEvent(.queued),
      lines: ["a\nb\u{1B}[31m", "c\r\nd"])
    #expect(entry.lines == ["a b [31m", "c  d"])
    #expect(entry.description == "a b [31m\nc  d")
  }

  @Test func theStandardLoggerWritesCompleteLinesWithTimes() {
    let event = NetworkEvent(
      .queued, elapsed: .milliseconds(250), callStart: Date(timeIntervalSince1970: 1_800_000_000))
    let entry = NetworkLogEntry(
      level: .info, category: .request, event: event, lines: ["one", "two"])
    #expect(
      StandardLogger.text(entry)
        == "2027-01-15T08:00:00.250Z one\n2027-01-15T08:00:00.250Z two\n")
  }
}
