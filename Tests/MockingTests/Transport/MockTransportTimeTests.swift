import Foundation
import Mocking
import TestGate
import TestSupport
import Testing

@Suite(.gated)
struct MockTransportTimeTests {
  private let time = TestScheduler()

  private func start(
    _ mock: Mock, body: HTTPBody = .none, idle: Duration? = nil
  ) -> ExchangeRecorder {
    ExchangeRecorder(
      MockTransport(scheduler: time) { Route(nil, "/") { _ in mock } },
      HTTPRequest(method: .post, url: .of("http://a/"), body: body, idleTimeout: idle))
  }

  @Test func headAndBodyHaveSeparateDelays() async {
    let exchange = start(
      .text("abc").delayed(by: .seconds(2)).bodyDelayed(by: .seconds(3)),
      body: .data(Data("hi".utf8)))
    #expect(exchange.current.order == ["sent"])
    await time.advance(by: .seconds(2))
    #expect(exchange.current.order == ["sent", "head"])
    await time.advance(by: .seconds(3))
    #expect(exchange.current.order == ["sent", "head", "body", "end"])
    #expect(exchange.current.metrics?.firstByte == .seconds(2))
    #expect(exchange.current.metrics?.total == .seconds(5))
    #expect(time.scheduledCount == 0)
  }

  @Test func aDribbledBodyArrivesInPieces() async {
    let exchange = start(.text("abcdef").dribbled(pieces: 3, over: .seconds(10)))
    #expect(exchange.current.pieces == [2])
    await time.advance(by: .seconds(5))
    #expect(exchange.current.pieces == [2, 2])
    await time.advance(by: .seconds(5))
    #expect(exchange.current.pieces == [2, 2, 2])
    #expect(exchange.current.order == ["head", "body", "end"])
  }

  @Test func aThroughputAppliesToBothDirections() async {
    let exchange = start(
      .bytes(3_000).throttled(bytesPerSecond: 1_000), body: .data(Data(count: 2_000)))
    await time.advance(by: .milliseconds(500))
    #expect(exchange.current.sent == [100, 200, 300, 400, 500])
    await time.advance(by: .milliseconds(1_500))
    #expect(exchange.current.sent.last == 2_000)
    #expect(exchange.current.order == ["sent", "head"])
    await time.advance(by: .seconds(1))
    #expect(exchange.current.pieces == Array(repeating: 100, count: 10))
    await time.advance(by: .seconds(2))
    #expect(exchange.current.metrics?.total == .seconds(5))
    #expect(exchange.current.body.count == 3_000)
  }

  @Test func suspensionDefersDueEventsUntilResumption() async {
    let exchange = start(.text("abcdef").dribbled(pieces: 3, over: .seconds(10)))
    exchange.suspend()
    await time.advance(by: .seconds(20))
    #expect(exchange.current.pieces == [2])
    exchange.resume()
    #expect(exchange.current.pieces == [2, 2, 2])
    #expect(exchange.current.metrics != nil)
  }

  @Test func cancellationEndsTheExchangeAndItsTimer() async {
    let exchange = start(.text("late").delayed(by: .seconds(30)))
    #expect(time.scheduledCount == 1)
    exchange.cancel()
    exchange.cancel()
    #expect(exchange.current.order == ["failure"])
    #expect(exchange.current.failure?.code == .cancelled)
    #expect(exchange.current.lastEvents == 1)
    #expect(time.scheduledCount == 0)
  }

  @Test func cancellationFromAnEventSuppressesLaterEvents() async {
    let slot = Log<ExchangeRecorder>()
    let transport = MockTransport(scheduler: time) {
      Route(.get, "/") { _ in .text("abc").delayed(by: .seconds(1)) }
    }
    let exchange = ExchangeRecorder(transport, HTTPRequest(url: .of("http://a/"))) { event in
      if case .head = event { slot.entries.first?.cancel() }
    }
    slot.append(exchange)
    await time.advance(by: .seconds(1))
    #expect(exchange.current.order == ["head", "failure"])
  }

  @Test func aDelayBeyondTheIdleTimeoutTimesOut() async {
    let exchange = start(.text("late").delayed(by: .seconds(90)), idle: .seconds(60))
    await time.advance(by: .seconds(59))
    #expect(exchange.current.order.isEmpty)
    await time.advance(by: .seconds(1))
    #expect(exchange.current.failure?.code == .timedOut(.idle))
    #expect(time.scheduledCount == 0)
  }

  @Test func aStallEndsOnCancellation() async {
    let exchange = start(.fault(.stall, at: .body(afterBytes: 5)))
    await time.run()
    #expect(exchange.current.order == ["head", "body"])
    exchange.cancel()
    #expect(exchange.current.failure?.code == .cancelled)
  }

  @Test func aDelayEndsInRealTime() async {
    let transport = MockTransport(delay: .milliseconds(2)) { Route(.get, "/") { _ in .text("a") } }
    #expect(await transport.get(.of("http://a/")).order == ["head", "body", "end"])
  }

  @Test func manyThreadsCanCancelSuspendAndResume() async {
    let transport = MockTransport {
      Route(.get, "/") { _ in .bytes(300_000).throttled(bytesPerSecond: 100_000_000) }
    }
    for _ in 0..<50 {
      let exchange = ExchangeRecorder(transport, HTTPRequest(url: .of("http://a/")))
      await onThreads(4) { number in
        exchange.suspend()
        exchange.resume()
        if number == 3 { exchange.cancel() }
      }
      #expect(await exchange.record.lastEvents == 1)
    }
  }
}
