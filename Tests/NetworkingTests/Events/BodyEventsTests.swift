import Foundation
import Mocking
import Networking
import Promises
import TestGate
import TestSupport
import Testing

/// The end events of downloads and streams.
@Suite(.gated)
struct BodyEventsTests {
  private let fixture = EventFixture()

  private func client(
    _ configure: (inout NetworkingConfiguration) -> Void = { _ in }
  ) -> Networking<Request> {
    fixture.client(configure) {
      Route(.get, "/feed", Mock.text("0123456789").dribbled(pieces: 5, over: .seconds(5)))
      Route(.get, "/missing", Mock.text("no such thing", status: 404))
    }
  }

  @Test func aDownloadEndsWhenItsFileIsComplete() async throws {
    let folder = TemporaryFolder()
    let file = folder.url("feed")
    let fileExists = Log<Bool>()
    let client = client()
    client.addMonitor { event in
      if event.isFinal { fileExists.append(FileManager.default.fileExists(atPath: file.path)) }
    }
    let call = client.download(.get("feed"), to: file)
    await fixture.time.run()
    _ = try await call.value
    #expect(await fileExists.entries(1) == [true])
    let kinds = await fixture.monitor.events(ofCalls: 1).kinds
    #expect(kinds.suffix(3) == ["head 200", "body of 10 bytes", "finished with 200"])
  }

  @Test func aStreamEndsWithItsBody() async throws {
    let client = client()
    let response = client.stream(.get("feed"))
    await fixture.time.advance(by: .seconds(2))
    let bytes = try await response.value.bytes
    #expect(fixture.monitor.events.kinds.last == "head 200")
    await fixture.time.run()
    for try await _ in bytes {}
    let (head, end) = (fixture.monitor.events[5], fixture.monitor.events.suffix(2))
    #expect(
      Array(end).kinds == ["body of 10 bytes", "finished with 200"]
        && end.last.map {
          $0.elapsed > head.elapsed
        } == true)
    guard case .finished(_, let metrics)? = end.last?.kind else { return #expect(Bool(false)) }
    #expect(metrics.bytesReceived == 10)
  }

  @Test func anAbandonedStreamIsCancelled() async throws {
    let client = client()
    let response = client.stream(.get("feed"))
    await fixture.time.advance(by: .seconds(2))
    try await response.value.bytes.cancel()
    await fixture.time.run()
    #expect(fixture.monitor.events.kinds.suffix(2) == ["head 200", "cancelled"])
  }

  @Test func aStreamThatTimesOutFails() async throws {
    let client = client { $0.callTimeout = .seconds(3) }
    let response = client.stream(.get("feed"))
    await fixture.time.advance(by: .seconds(2))
    let bytes = try await response.value.bytes
    await fixture.time.run()
    #expect(
      fixture.monitor.events.kinds.suffix(2) == [
        "head 200", "failed: the call timed out",
      ])
    await #expect(throws: NetworkError.self) { for try await _ in bytes {} }
  }

  @Test func aStreamWithAnErrorStatusEndsNormally() async throws {
    let client = client()
    let response = client.stream(.get("missing"))
    await fixture.time.run()
    #expect(try await response.value.status == 404)
    #expect(
      fixture.monitor.events.kinds.suffix(3) == [
        "head 404", "body of 13 bytes", "finished with 404",
      ])
  }

  @Test func theRestOfALargeFailureIsNotAwaited() async throws {
    var large = Mock.bytes(2 << 20).throttled(bytesPerSecond: 1 << 19)
    large.status = 500
    let client = fixture.client { [large] in
      Route(.get, "/feed", large)
    }
    let response = client.stream(.get("feed"))
    await fixture.time.run()
    #expect(try await response.value.data.count == 1 << 20)
    let kinds = fixture.monitor.events.kinds
    #expect(kinds.filter { $0.hasPrefix("body of") }.count == 1)
    #expect(kinds.last == "finished with 500")
  }

  @Test func aBodyAboveTheLimitIsAFailure() async throws {
    let client = fixture.client {
      $0.maximumBodySize = 4
    } routes: {
      Route(.get, "/feed", .text("0123456789"))
    }
    _ = client.request(.get("feed")).fail { _ in }
    await fixture.time.run()
    #expect(
      fixture.monitor.events.kinds.suffix(2) == [
        "head 200", "failed: the body of the response exceeds a limit: more than 4 bytes",
      ])
  }
}
