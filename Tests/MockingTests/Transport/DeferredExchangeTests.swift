import CatenaSystem
import Foundation
import TestGate
import TestSupport
import Testing

@testable import Mocking

@Suite(.gated)
struct DeferredExchangeTests {
  private final class LoggingHandle: TransportHandle {
    let log = Log<String>()
    /// A closure that runs during the first `suspend`, before it takes effect.
    let whileSuspending = Mutex<(@Sendable () -> Void)?>(nil)

    func suspend() {
      whileSuspending.withLock { $0.take() }?()
      log.append("suspend")
    }

    func resume() { log.append("resume") }
    func cancel() { log.append("cancel") }
  }

  private final class ExchangeReference: Sendable {
    let exchange = Mutex<DeferredExchange<Int>?>(nil)
    func suspend() { exchange.withLock { $0 }?.suspend() }
    func resume() { exchange.withLock { $0 }?.resume() }
  }

  @Test func aResumeDuringTheStartIsApplied() {
    let (promise, resolver) = Promise<Int>.pending()
    let (handle, reference) = (LoggingHandle(), ExchangeReference())
    let exchange = DeferredExchange(promise, on: TestScheduler(), { _ in }) { _, _, _ in
      reference.suspend()
      return handle
    }
    reference.exchange.withLock { $0 = exchange }
    handle.whileSuspending.withLock { $0 = { reference.resume() } }
    exchange.wait(atMost: nil)
    resolver.fulfill(1)
    reference.exchange.withLock { $0 = nil }
    #expect(handle.log.entries == ["suspend", "resume"])
  }

  @Test(arguments: [(Int?.none, true), (10, true), (nil, false)])
  func theTimeBeforeAResponseCountsAsIdleTime(_ body: Int?, _ isTooLong: Bool) async {
    let time = TestScheduler()
    let transport = MockTransport(scheduler: time) {
      Route(nil, "/") { _ in
        after(.seconds(40), scheduler: time)
          .map { Mock.text("x").delayed(by: isTooLong ? .seconds(30) : .seconds(20)) }
      }
    }
    let exchange = ExchangeRecorder(
      transport,
      HTTPRequest(
        method: .post, url: .of("http://a/"), body: body.map { .data(Data(count: $0)) } ?? .none,
        idleTimeout: .seconds(60)))
    await time.advance(by: .seconds(60))
    #expect(exchange.current.failure?.code == (isTooLong ? .timedOut(.idle) : nil))
    #expect(exchange.current.lastEvents == 1)
  }

  @Test func timeThatPassesWhileSuspendedIsNotCounted() async {
    let time = TestScheduler()
    let (promise, resolver) = Promise<Int>.pending()
    let failures = Log<TransportFailure>()
    let exchange = DeferredExchange(
      promise, on: time, { if case .failure(let failure) = $0 { failures.append(failure) } }
    ) { _, _, _ in LoggingHandle() }
    exchange.wait(atMost: .seconds(5))
    exchange.suspend()
    await time.advance(by: .seconds(6))
    #expect(failures.entries.isEmpty)
    exchange.resume()
    await time.advance(by: .seconds(4))
    #expect(failures.entries.isEmpty)
    await time.advance(by: .seconds(1))
    #expect(failures.entries.map(\.code) == [.timedOut(.idle)])
    #expect(promise.isCancelled)
    withExtendedLifetime(resolver) {}
  }
}
