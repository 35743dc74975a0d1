import Foundation
import Mocking
import MockingRecordings
import Networking
import NetworkingInterceptors
import Promises
import TestGate
import TestSupport
import Testing

/// The events that interceptors, refreshes, sharing, and tapes cause.
@Suite(.gated)
struct StageEventsTests {
  private let fixture = EventFixture()

  private struct RespondingInterceptor: Interceptor {
    func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
      .fulfilled(Response(head: HTTPResponseHead(status: 203), request: exchange.request))
    }
  }

  private struct ForwardingInterceptor: Interceptor {
    func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise { next(exchange) }
  }

  @Test func anInterceptorThatRespondsIsNamed() async throws {
    let client = fixture.client()
    client.interceptors = [ForwardingInterceptor(), RespondingInterceptor()]
    _ = client.request(.get("boards"))
    await fixture.time.run()
    #expect(
      fixture.monitor.events.timedKinds == EventFixture.begun + [
        "0.0 0.0 served by RespondingInterceptor", "0.0 0.0 finished with 203",
      ])
  }

  @Test func anInterceptorThatForwardsIsNotNamed() async throws {
    let client = fixture.client { Route(.get, "/boards", .status(200)) }
    client.interceptors = [ForwardingInterceptor()]
    _ = client.request(.get("boards"))
    await fixture.time.run()
    #expect(
      fixture.monitor.events.timedKinds == EventFixture.begun + EventFixture.hop("1.1", 200) + [
        "1.1 0.0 finished with 200"
      ])
  }

  @Test func refreshedCredentialsAreReported() async throws {
    let client = fixture.client { Route(.get, "/boards", .sequence(.status(401), .status(200))) }
    client.interceptors = [RefreshInterceptor { _ in Promise<Void>.fulfilled(()) }]
    _ = client.request(.get("boards"))
    await fixture.time.run()
    #expect(
      fixture.monitor.events.timedKinds == EventFixture.begun + EventFixture.hop("1.1", 401) + [
        "1.1 0.0 credentials refreshed"
      ] + EventFixture.hop("2.1", 200) + ["2.1 0.0 finished with 200"])
  }

  @Test func aRequestResentByAResponseInterceptorIsARetry() async throws {
    let client = fixture.client { Route(.get, "/boards", .sequence(.status(503), .status(200))) }
    client.interceptors = [
      ResponseInterceptor { result, _ in
        if case .success(let response) = result, response.status == 503 {
          .resend(after: .fulfilled(()))
        } else {
          .pass
        }
      }
    ]
    _ = client.request(.get("boards"))
    await fixture.time.run()
    #expect(
      fixture.monitor.events.timedKinds == EventFixture.begun + EventFixture.hop("1.1", 503) + [
        "1.1 0.0 retrying in 0.0 seconds (attempt 2): the status 503 is not acceptable"
      ] + EventFixture.hop("2.1", 200) + ["2.1 0.0 finished with 200"])
  }

  @Test(arguments: [false, true])
  func aSharedExchangeNamesTheLeadingCall(_ leaderLeaves: Bool) async throws {
    let client = fixture.client {
      $0.sharesRequests = true
    } routes: {
      Route(.get, "/boards", Mock.text("hello").delayed(by: .seconds(2)))
    }
    client.interceptors = [ForwardingInterceptor()]
    let calls = (0..<3).map { _ in client.request(.get("boards")) }
    await fixture.time.advance(by: .seconds(1))
    if leaderLeaves { calls[0].cancel() }
    await fixture.time.run()
    let eventsByCall = fixture.monitor.events.byCall
    let leader = try #require(eventsByCall.first)
    #expect(
      leader.timedKinds == EventFixture.begun
        + (leaderLeaves
          ? EventFixture.hop("1.1", 200).prefix(3) + ["1.1 1.0 cancelled"]
          : EventFixture.hop("1.1", 200, bytes: 5, to: 2) + ["1.1 2.0 finished with 200"]))
    #expect(eventsByCall.count == 3)
    for follower in eventsByCall.dropFirst() {
      #expect(
        follower.timedKinds == EventFixture.begun + [
          "0.0 0.0 shared with \(leader[0].call)", "0.0 2.0 finished with 200",
        ])
    }
  }

  /// A random part of a delay otherwise has up to 18 decimals.
  @Test(
    arguments: [
      (.seconds(1.2345678901), "1.235 seconds"), (.seconds(0.0012345678), "0.001 seconds"),
      (.milliseconds(80), "0.08 seconds"), (.zero, "0.0 seconds"),
    ] as [(Duration, String)])
  func delaysAreRounded(_ delay: Duration, _ text: String) {
    let failure = NetworkEvent.Failure(code: .connectionLost, description: "lost")
    let kind = NetworkEvent.Kind.retrying(after: delay, because: failure, attempt: 2)
    #expect("\(kind)" == "retrying in \(text) (attempt 2): lost")
    #expect("\(MockDelay.fixed(delay))" == text)
  }

  /// The events of calls without a hop of their own.
  @Test func theURLIsCompleteWithoutAHop() async throws {
    let client = fixture.client {
      $0.sharesRequests = true
    } routes: {
      Route(.get, "/shared", Mock.status(200).delayed(by: .seconds(1)))
      Route(.get, "/broken", .failure(.connectionLost))
    }
    client.interceptors.append(CircuitBreaker(threshold: 1), at: .origin)
    for path in ["shared", "shared", "broken"] {
      _ = client.request(.get("\(path)", parameters: ["token": "s3cret"])).fail { _ in }
    }
    await fixture.time.run()
    _ = client.request(.get("broken", parameters: ["token": "s3cret"])).fail { _ in }
    client.interceptors = [RespondingInterceptor()]
    _ = client.request(.get("own", parameters: ["token": "s3cret"]))
    await fixture.time.run()
    let urls = fixture.monitor.events.filter(\.isFinal).compactMap { $0.request?.url }
    let expected = ["broken", "shared", "shared", "broken", "own"].map {
      "https://api.example.com/\($0)?token=***"
    }
    #expect(urls == expected)
  }

  @Test func aHopInterceptorThatRespondsIsNamed() async throws {
    let client = fixture.client()
    client.interceptors[.hop] = [ForwardingInterceptor(), RespondingInterceptor()]
    _ = client.request(.get("boards"))
    await fixture.time.run()
    #expect(
      fixture.monitor.events.kinds == [
        "queued", "started", "served by RespondingInterceptor", "finished with 203",
      ])
  }

  @Test func replayedResponsesNameTheTape() async throws {
    let folder = TemporaryFolder()
    let file = folder.url("boards.har")
    let tape = try Tape(
      file, mode: .all, over: MockTransport { Route(.get, "/boards", .text("hello")) })
    let request = HTTPRequest(url: .of("https://api.example.com/boards"))
    _ = await tape.perform(request)
    try tape.save()
    let client = fixture.client(over: try Tape(replaying: file))
    _ = client.request(.get("boards"))
    await fixture.time.run()
    #expect(
      fixture.monitor.events.kinds == [
        "queued", "started", "sending", "served by tape", "request sent", "head 200",
        "body of 5 bytes", "finished with 200",
      ])
  }

  @Test func unmonitoredRequestsAreNotMarkedAsWatched() async throws {
    let transport = FakeTransport { _ in .response(200) }
    let client = fixture.client(over: transport) { $0.monitors = [] }
    let call = client.request(.get("boards"))
    await fixture.time.run()
    _ = try await call.value
    let registration = client.addMonitor(fixture.monitor)
    _ = client.request(.get("boards"))
    await fixture.time.run()
    registration.remove()
    _ = client.request(.get("boards"))
    await fixture.time.run()
    #expect(transport.requests.map(\.options.reportsConnection) == [false, true, false])
    // Watching does not change the request.
    #expect(Set(transport.requests).count == 1)
  }
}
