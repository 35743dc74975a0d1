import Foundation
import Mocking
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct MockExchangeTests {
  /// Whose short delays are over before `schedule` returns, as with a timer on another thread that is
  /// quicker than who set it.
  private final class HastyScheduler: Scheduler {
    let time = TestScheduler()
    private let ahead = Mutex(Duration.zero)

    var now: Duration { time.now + ahead.withLock { $0 } }

    func schedule(
      after delay: Duration, _ action: @escaping @Sendable () -> Void
    ) -> ScheduledAction {
      guard delay < .milliseconds(10) else { return time.schedule(after: delay, action) }
      ahead.withLock { $0 += delay }
      action()
      return ScheduledAction {}
    }
  }

  @Test func aTimerThatFiresBeforeItIsKeptDoesNotCancelTheNext() async throws {
    let scheduler = HastyScheduler()
    let transport = MockTransport(scheduler: scheduler) {
      Route(
        .get, "/",
        .text("ab").delayed(by: .milliseconds(1)).bodyDelayed(by: MockDelay.seconds(1)))
    }
    let isOver = Mutex(false)
    let url = try #require(URL(string: "http://a/"))
    let handle = transport.start(HTTPRequest(method: .get, url: url)) { event in
      if case .end = event { isOver.withLock { $0 = true } }
    }
    await scheduler.time.advance(by: .seconds(2))
    #expect(isOver.withLock { $0 })
    handle.cancel()
  }
}
