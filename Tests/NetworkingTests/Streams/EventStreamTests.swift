import Foundation
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking
@testable import NetworkingStreams

/// Streams of events over several connections, in virtual time.
@Suite(.gated)
struct EventStreamTests {
  private static let head = TransportEvent.head(
    HTTPResponseHead(status: 200, headers: ["Content-Type": "text/event-stream; charset=utf-8"]))

  private static func events(_ body: String, _ end: TransportEvent? = .end(TransportMetrics()))
    -> [TransportEvent]
  {
    [head] + (body.isEmpty ? [] : [.body(Data(body.utf8))]) + (end.map { [$0] } ?? [])
  }

  private static let lost = TransportEvent.failure(TransportFailure(code: .connectionLost))
  private static let noContent = [TransportEvent].response(204)

  /// A server that responds to each request with the next script, and to others with 204.
  private final class Server: Sendable {
    let time = TestScheduler()
    let transport: FakeTransport
    /// The times of the requests.
    let times = Log<Duration>()

    init(_ scripts: [TransportEvent]...) {
      let rest = Log<Int>()
      transport = FakeTransport { [times, time] _ in
        rest.append(1)
        times.append(time.now)
        let number = rest.entries.count - 1
        return number < scripts.count ? scripts[number] : EventStreamTests.noContent
      }
    }

    func client(
      _ change: (inout NetworkingConfiguration) -> Void = { _ in }
    ) -> Networking<Request> {
      var configuration = NetworkingConfiguration.plain
      configuration.scheduler = time
      change(&configuration)
      let client = Networking<Request>(transport: transport, configuration: configuration)
      client.baseURL = URL.of("https://api.example.com")
      return client
    }

    /// Reads all events.
    func read(
      _ request: Request = .get("prices"), from client: Networking<Request>? = nil,
      lastEventID: String = "",
      _ reconnection: EventReconnection = EventReconnection(jitter: .none),
      options: RequestOption = .all([])
    ) async -> (data: [String], error: NetworkError?) {
      var events = (client ?? self.client()).events(
        of: request, lastEventID: lastEventID, options)
      events.options.reconnection = reconnection
      let log = Log<String>()
      do {
        try await time.run { [events] in
          for try await event in events { log.append(event.data) }
        }
        return (log.entries, nil)
      } catch {
        return (log.entries, error as? NetworkError)
      }
    }

    var lastEventIDs: [String?] { transport.requests.map { $0.headers["Last-Event-ID"] } }
  }

  @Test func anEventIsDecodedByTheDecoderOfItsClient() async throws {
    struct Message: Decodable, Equatable {
      let sentAt: String
    }
    let server = Server(Self.events("data: {\"sent_at\": \"now\"}\n\n"))
    let client = server.client {
      let decoder = JSONDecoder()
      decoder.keyDecodingStrategy = .convertFromSnakeCase
      $0.decoder = decoder
    }
    var events = client.events(of: .get("a"), .retry(.never)).makeAsyncIterator()
    let event = try #require(try await events.next())
    #expect(try event.decode(Message.self) == Message(sentAt: "now"))
    #expect(throws: NetworkError.self) {
      try event.decode(Message.self, decoder: JSONDecoder())
    }
    #expect(event == ServerSentEvent("{\"sent_at\": \"now\"}"))
  }

  @Test func theStatus204EndsTheSequence() async {
    let server = Server()
    let (data, error) = await server.read()
    #expect(data.isEmpty && error == nil && server.transport.requests.count == 1)
    #expect(server.transport.requests[0].headers["Accept"] == "text/event-stream")
    #expect(server.transport.requests[0].headers["Cache-Control"] == "no-store")
    #expect(server.lastEventIDs == [nil])
  }

  @Test func aHeaderFieldOfTheRequestIsKept() async {
    let server = Server()
    _ = await server.read(.get("prices", headers: ["Accept": "text/*"]))
    #expect(server.transport.requests[0].headers["Accept"] == "text/*")
  }

  @Test func theClientConnectsAgainWithTheLastIdentifier() async {
    let server = Server(
      Self.events("id: 1\ndata: a\n\n"), Self.events("data: b\n\nid: 2\n\n", Self.lost),
      Self.events("id: 3\ndata: c"))
    let (data, error) = await server.read()
    #expect(data == ["a", "b"] && error == nil)
    #expect(server.lastEventIDs == [nil, "1", "2", "2"])
    // After an event the delay starts again, and doubles without one.
    #expect(server.times.entries == [0, 3, 6, 12].map { .seconds($0) })
  }

  @Test func theSequenceCanContinueAnEarlierOne() async {
    let server = Server(Self.events("data: a\n\n"))
    _ = await server.read(lastEventID: "x7")
    #expect(server.lastEventIDs == ["x7", "x7"])
  }

  @Test func anIdentifierThatNoFieldCanHaveIsNotSent() async {
    let server = Server(Self.events("id: a\u{1}b\ndata: a\n\n"), Self.events("id: é\ndata: b\n\n"))
    let (data, error) = await server.read()
    #expect(data == ["a", "b"] && error == nil)
    #expect(server.lastEventIDs == [nil, nil, "é"])
  }

  @Test func theServerSetsTheTimeToWait() async {
    let server = Server(
      Self.events("retry: 10000\n\n"), Self.events("data: a\n\n"),
      Self.events("retry: 0\ndata: b\n\n"))
    let (data, _) = await server.read()
    #expect(data == ["a", "b"])
    #expect(server.times.entries == [0, 10, 20, 20.5].map { .seconds($0) })
  }

  @Test(arguments: [
    ("retry: 0\n\n", [0, 0.5, 1.5, 3.5]), ("retry: 0\ndata: a\n\n", [0, 0.5, 1, 1.5]),
    ("retry: 499\n\n", [0, 0.5, 1.5, 3.5]), ("retry: 750\n\n", [0, 0.75, 2.25, 5.25]),
  ])
  func theTimeOfTheServerHasAMinimum(body: String, times: [Double]) async {
    let script = Self.events(body)
    let server = Server(script, script, script)
    _ = await server.read()
    #expect(server.times.entries == times.map { .seconds($0) })
  }

  @Test func aShorterDelayOfTheClientIsTheMinimum() {
    let rules = EventReconnection(delay: .milliseconds(125), jitter: .none)
    #expect(rules.delay(beforeAttempt: 1, serverDelay: .zero) == .milliseconds(125))
    #expect(rules.delay(beforeAttempt: 3, serverDelay: .zero) == .milliseconds(500))
    #expect(rules.delay(beforeAttempt: 1, serverDelay: .milliseconds(250)) == .milliseconds(250))
  }

  @Test(arguments: ["data: a\n\n", "retry: 0\ndata: a\n\n"], [Duration.zero, .seconds(-1)])
  func thereIsAPauseWhateverTheClientAndTheServerSet(body: String, delay: Duration) async {
    let script = Self.events(body)
    let server = Server(script, script, Self.events(""))
    let rules = EventReconnection(delay: delay, maximumDelay: .zero, jitter: .none)
    _ = await server.read(.get("prices"), rules)
    #expect(server.times.entries == [0, 100, 200, 300].map { .milliseconds($0) })
  }

  @Test(arguments: [(4_096, true), (4_097, false)])
  func aLongIdentifierIsNotSent(length: Int, isSent: Bool) async {
    let id = String(repeating: "x", count: length)
    let server = Server(Self.events("id: \(id)\ndata: a\n\n"))
    let (data, error) = await server.read()
    #expect(data == ["a"] && error == nil)
    #expect(server.lastEventIDs == [nil, isSent ? id : nil])
  }

  @Test func aLongIdentifierIsIgnored() async throws {
    let id = String(repeating: "x", count: 4_097)
    let server = Server(Self.events("id: 1\ndata: a\n\nid: \(id)\ndata: b\n\n"))
    var events = server.client().events(of: .get("prices"), .retry(.never))
      .makeAsyncIterator()
    #expect(try await events.next()?.id == "1")
    #expect(try await events.next() == ServerSentEvent("b", id: "1"))
    let again = Server(Self.events("id: 1\ndata: a\n\nid: \(id)\ndata: b\n\n"))
    _ = await again.read()
    #expect(again.lastEventIDs == [nil, "1"])
    let (data, error) = await again.read(lastEventID: id)
    #expect(data.isEmpty && error?.code == .invalidHeader)
    #expect(error?.reason?.hasPrefix("the lastEventID has 4097 bytes") == true)
  }

  @Test(arguments: [
    ("id: 0123456789", "the field id of an event"),
    ("data:0123456789", "the field data of an event"),
    ("data:123\ndata:123\ndata:1", "the field data of an event"), ("unknown: 01234567", "an event"),
  ])
  func anEventAboveTheLimitNamesItsField(_ lines: String, _ part: String) async {
    let server = Server(Self.events("\(lines)\n\n"))
    var events = server.client().events(of: .get("prices"), maximumEventSize: 8)
      .makeAsyncIterator()
    let error = await #expect(throws: NetworkError.self) { try await events.next() }
    #expect(error?.code == .bodyTooLarge && error?.reason == "\(part) has more than 8 bytes")
  }

  @Test func theDelayDoublesUpToItsMaximum() async {
    let server = Server(
      Self.events(""), Self.events(""), Self.events(""), Self.events("data: a\n\n"), Self.events("")
    )
    let rules = EventReconnection(
      delay: .seconds(1), maximumDelay: .seconds(3), jitter: .none)
    _ = await server.read(.get("prices"), rules)
    #expect(server.times.entries == [0, 1, 3, 6, 7, 9].map { .seconds($0) })
  }

  @Test func theLimitIsThatOfFailuresInARow() async {
    let server = Server(
      Self.events("", Self.lost), Self.events("data: a\n\n", Self.lost), Self.events("", Self.lost))
    let (data, error) = await server.read(
      .get("prices"), EventReconnection(jitter: .none, limit: 1))
    #expect(data == ["a"] && error?.code == .connectionLost)
    #expect(server.transport.requests.count == 3)
  }

  @Test func jitterOnlyMakesADelayLonger() {
    let second = Duration.seconds(1)
    func delay(_ jitter: RetrySchedule.Jitter, _ random: Double) -> Duration? {
      EventReconnection(jitter: jitter)
        .delay(beforeAttempt: 1, serverDelay: second, random: random)
    }
    #expect(delay(.none, 1) == second)
    #expect(delay(.equal, 0) == second && delay(.equal, 1) == .milliseconds(1_500))
    #expect(delay(.full, 0) == second && delay(.full, 1) == .seconds(2))
    let patient = EventReconnection().delay(
      beforeAttempt: 9, serverDelay: .seconds(300), random: 0)
    #expect(patient == .seconds(300))
  }

  @Test func withoutReconnectionTheEndOfTheBodyIsTheEnd() async {
    let server = Server(Self.events("data: a\n\n"))
    let (data, error) = await server.read(.get("prices", .retry(.never)))
    #expect(data == ["a"] && error == nil && server.transport.requests.count == 1)
    let lossy = Server(Self.events("data: a\n\n", Self.lost))
    let client = lossy.client { $0.retry = .immediate(limit: 3) }
    let loss = await lossy.read(.get("prices", .retry(.never)), from: client)
    #expect(loss.data == ["a"] && loss.error?.code == .connectionLost)
    #expect(lossy.transport.requests.count == 1)
  }

  @Test func theRetryPolicyOfTheCallIsThatOfTheReconnection() async {
    let server = Server(
      .response(503), Self.events("data: a\n\n"), .response(503), .response(503),
      Self.events("retry: 7000\ndata: b\n\n"), .response(200, [:], ""))
    let (data, error) = await server.read(
      .get("prices"), options: .retry(.delayed(.seconds(2), limit: 3)))
    #expect(data == ["a", "b"] && error?.code == .missingContentType)
    #expect(server.times.entries == [0, 2, 4, 6, 8, 15].map { .seconds($0) })
  }

  @Test func theLimitOfTheRetryPolicyIsThatOfFailuresInARow() async {
    let server = Server(
      Self.events("data: a\n\n"), .response(503), .response(503), .response(503))
    let (data, error) = await server.read(.get("prices"), options: .retry(.immediate(limit: 2)))
    #expect(data == ["a"] && error?.code == .unacceptableStatus(503))
    #expect(server.times.entries == [0, 100, 200].map { .milliseconds($0) })
  }

  @Test func aRetryPolicyForAnyMethodSendsAPOSTAgain() async {
    var policy = RetryPolicy.delayed(.seconds(1), limit: 1)
    for retriesAnyMethod in [false, true] {
      policy.retriesAnyMethod = retriesAnyMethod
      let server = Server(Self.events("data: a\n\n"))
      let (data, error) = await server.read(.post("chat"), options: .retry(policy))
      #expect(data == ["a"] && error == nil)
      #expect(server.transport.requests.count == (retriesAnyMethod ? 2 : 1))
    }
  }

  @Test func aStreamReportsThatItIsNotStoredOffline() async {
    let server = Server([.failure(TransportFailure(code: .notConnectedToInternet))])
    let (_, error) = await server.read(.get("prices", .storedOffline))
    #expect(error?.reason?.hasPrefix("not stored, because") == true)
    #expect(error?.isStoredOffline == false)
  }

  @Test func aRequestWithoutASafeMethodIsNotSentAgain() async {
    let server = Server(Self.events("data: a\n\n"))
    let (data, error) = await server.read(.post("chat", parameters: ["prompt": "hi"]))
    #expect(data == ["a"] && error == nil && server.transport.requests.count == 1)
    let safe = Server(Self.events("data: a\n\n"))
    _ = await safe.read(.get("prices"))
    #expect(safe.transport.requests.count == 2)
  }

  @Test func aFailureOfTheFirstConnectionIsThrown() async {
    let server = Server([.failure(TransportFailure(code: .cannotConnect))])
    let (_, error) = await server.read()
    #expect(error?.code == .cannotConnect && server.transport.requests.count == 1)
  }

  @Test func aFailureOfALaterConnectionIsNot() async {
    let server = Server(
      Self.events("data: a\n\n"), [.failure(TransportFailure(code: .cannotConnect))],
      [.failure(TransportFailure(code: .dnsFailed))], Self.events("data: b\n\n"))
    let (data, error) = await server.read()
    #expect(data == ["a", "b"] && error == nil)
    #expect(server.times.entries == [0, 3, 9, 21, 24].map { .seconds($0) })
  }

  @Test(arguments: [
    ([TransportEvent].response(404, [:], "gone"), NetworkError.Code.unacceptableStatus(404)),
    (
      .response(201, ["Content-Type": "text/event-stream"], "data: a\n\n"), .unacceptableStatus(201)
    ),
    (
      .response(200, ["Content-Type": "text/plain"], "data: a\n\n"),
      .unacceptableContentType("text/plain")
    ),
    (.response(200, [:], "data: a\n\n"), .missingContentType),
    (
      events("data: a\n\n", .failure(TransportFailure(code: .malformedResponse))),
      .malformedResponse
    ),
  ])
  func anUnsuitableResponseIsAnError(
    _ script: [TransportEvent], _ code: NetworkError.Code
  ) async {
    let server = Server(script)
    let (_, error) = await server.read()
    #expect(error?.code == code && server.transport.requests.count == 1)
    let later = Server(Self.events("data: a\n\n"), script)
    #expect(await later.read().error?.code == code)
    #expect(later.transport.requests.count == 2)
  }

  @Test func theRetryPolicyOfTheClientAppliesToEachConnection() async {
    let server = Server(
      .response(503), Self.events("data: a\n\n"), .response(503), Self.events("data: b\n\n"))
    let client = server.client { $0.retry = .delayed(.seconds(1), limit: 1) }
    let (data, error) = await server.read(from: client)
    #expect(data == ["a", "b"] && error == nil)
    #expect(server.times.entries == [0, 1, 4, 5, 8].map { .seconds($0) })
  }

  @Test func aLongEventIsAnError() async {
    let server = Server(Self.events("data: 12345678\n\n", nil))
    let error = await Task {
      for try await _ in server.client().events(of: .get("prices"), maximumEventSize: 10) {}
    }.result.failure(as: NetworkError.self)
    #expect(error?.code == .bodyTooLarge && error?.response?.status == 200)
    #expect(error?.reason?.contains("more than 10 bytes") == true)
    #expect(server.transport.cancelled == 1)
  }

  @Test func theDeadlinesEndWithTheHead() async throws {
    let server = Server(Self.events("data: a\n\n", nil))
    let client = server.client {
      $0.callTimeout = .seconds(5)
      $0.attemptTimeout = .seconds(5)
    }
    let data = Log<String>()
    let task = Task {
      for try await event in client.events(of: .get("prices")) { data.append(event.data) }
    }
    _ = await data.entries(1)
    await server.time.advance(by: .seconds(3_600))
    #expect(server.transport.cancelled == 0 && server.time.scheduledCount == 0)
    task.cancel()
    _ = await task.result
    #expect(server.transport.cancelled == 1)
  }

  @Test func theDeadlinesCoverTheTimeBeforeTheHead() async throws {
    let server = Server([])
    let client = server.client { $0.callTimeout = .seconds(5) }
    let (_, error) = await server.read(from: client)
    #expect(error?.code == .timedOut(.call) && server.transport.cancelled == 1)
  }

  @Test func theIdleTimeoutOfAStreamCanBeSet() async throws {
    let server = Server()
    let client = server.client { $0.idleTimeout = .seconds(60) }
    for try await _ in client.events(of: .get("a"), idleTimeout: .seconds(20)) {}
    for try await _ in client.lines(of: .get("a")) {}
    #expect(server.transport.requests.map(\.idleTimeout) == [.seconds(20), .seconds(60)])
  }

  @Test func cancellingTheTaskEndsTheWaitBeforeAConnection() async {
    let server = Server(Self.events("data: a\n\n"))
    let data = Log<String>()
    let client = server.client()
    let task = Task {
      for try await event in client.events(of: .get("prices")) { data.append(event.data) }
    }
    _ = await data.entries(1)
    task.cancel()
    #expect(await task.result.failure(as: CancellationError.self) != nil)
    #expect(server.transport.requests.count == 1)
  }

  @Test func theSequenceEndsAfterAnError() async throws {
    let server = Server(.response(500), Self.events("data: a\n\n"))
    var events = server.client().events(of: .get("prices")).makeAsyncIterator()
    await #expect(throws: NetworkError.self) { try await events.next() }
    #expect(try await events.next() == nil && server.transport.requests.count == 1)
  }

  @Test func eachIteratorHasAConnectionOfItsOwn() async throws {
    let server = Server(Self.events("data: a\n\n"), Self.events("data: b\n\n"))
    let sequence = server.client().events(of: .get("prices"))
    #expect(server.transport.requests.isEmpty)
    var (first, second) = (sequence.makeAsyncIterator(), sequence.makeAsyncIterator())
    #expect(try await first.next()?.data == "a")
    #expect(try await second.next()?.data == "b")
  }

  @Test @MainActor func eventsAreReadOnTheActorOfTheCaller() async throws {
    let server = Server(Self.events("data: a\n\n"))
    var data: [String] = []
    for try await event in server.client().events(of: .get("prices"), .retry(.never)) {
      MainActor.assertIsolated()
      data.append(event.data)
    }
    #expect(data == ["a"])
  }
}
