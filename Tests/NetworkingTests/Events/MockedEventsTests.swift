import Foundation
import Mocking
import Networking
import Promises
import TestSupport
import Testing

/// The events of mocked calls on virtual time: exactly these, in this order, at these times.
@Suite(.timeLimit(.minutes(5)))
struct MockedEventsTests {
  private let time = TestScheduler()
  private let monitor = RecordingMonitor()

  private func client(
    mode: RequestMode = .async, _ configure: (inout NetworkingConfiguration) -> Void = { _ in },
    @RouteBuilder routes: () -> [Route]
  ) throws -> Networking<Request> {
    var configuration = NetworkingConfiguration()
    configuration.cookies = .none
    configuration.scheduler = time
    configuration.monitors = [monitor]
    configure(&configuration)
    let client = Networking<Request>(
      mode: mode, transport: MockTransport(scheduler: time, routes: routes),
      configuration: configuration)
    client.setBaseURL(URL(string: "https://api.example.com/"))
    client.callbackContext = .inline
    return client
  }

  @Test func aPlainCallGoesFromTheQueueToItsEnd() async throws {
    let client = try client {
      Route(.get, "/boards", Mock.text("hello").delayed(by: .seconds(2)))
    }
    let call = client.request(.get("boards"))
    await time.run()
    _ = try await call.value
    #expect(
      monitor.events.numbered == [
        "0.0 0.0 queued", "0.0 0.0 started", "1.1 0.0 sending", "1.1 0.0 answered by mock",
        "1.1 0.0 request sent", "1.1 2.0 head 200", "1.1 2.0 body of 5 bytes",
        "1.1 2.0 finished with 200",
      ])
    #expect(
      monitor.events.map { $0.request?.description } == ["GET boards", "GET boards"]
        + Array(repeating: "GET https://api.example.com/boards", count: 6))
  }

  @Test func aRetriedCallTellsOfEachAttempt() async throws {
    let client = try client {
      $0.retry = .exponential(initial: .seconds(1), jitter: .none, limit: 3)
    } routes: {
      Route(.get, "/boards", .sequence(.status(503), .failure(.connectionLost), .json([])))
    }
    let call = client.request(.get("boards"))
    await time.run()
    _ = try await call.value
    #expect(
      monitor.events.numbered == [
        "0.0 0.0 queued", "0.0 0.0 started",
        "1.1 0.0 sending", "1.1 0.0 answered by mock", "1.1 0.0 request sent", "1.1 0.0 head 503",
        "1.1 0.0 body of 0 bytes",
        "1.1 0.0 retrying by attempt 2 after 1.0 seconds, as the status 503 is not acceptable",
        "2.1 1.0 sending", "2.1 1.0 answered by mock", "2.1 1.0 request sent",
        "2.1 1.0 retrying by attempt 3 after 2.0 seconds, as the connection was lost: mocked",
        "3.1 3.0 sending", "3.1 3.0 answered by mock", "3.1 3.0 request sent", "3.1 3.0 head 200",
        "3.1 3.0 body of 2 bytes", "3.1 3.0 finished with 200",
      ])
  }

  @Test func aRedirectedCallTellsOfEachHop() async throws {
    let client = try client {
      Route(.post, "/old", .redirect(to: "/new?token=secret", status: 303))
      Route(.get, "/new", .text("there"))
    }
    let call = client.request(.post("old", parameters: ["a": 1]))
    await time.run()
    _ = try await call.value
    #expect(
      monitor.events.numbered == [
        "0.0 0.0 queued", "0.0 0.0 started",
        "1.1 0.0 sending 7 bytes", "1.1 0.0 answered by mock", "1.1 0.0 request sent, 7 bytes",
        "1.1 0.0 head 303", "1.1 0.0 body of 0 bytes",
        "1.1 0.0 redirected to https://api.example.com/new?token=***",
        "1.2 0.0 sending", "1.2 0.0 answered by mock", "1.2 0.0 request sent", "1.2 0.0 head 200",
        "1.2 0.0 body of 5 bytes", "1.2 0.0 finished with 200",
      ])
    #expect(
      monitor.events.last?.request?.description == "GET https://api.example.com/new?token=***")
  }
}
