import Promises
import Synchronization

/// The ``JournalMachine`` behind a lock; settles promises outside it.
final class Journal: Sendable {
  private let machine: Mutex<JournalMachine>

  init(limits: MockServerLimits) {
    machine = Mutex(JournalMachine(limits: limits))
  }

  func read<Value>(_ body: (JournalMachine) -> Value) -> Value where Value: Sendable {
    machine.withLock { body($0) }
  }

  // MARK: From the server

  func opened() -> Int { machine.withLock { $0.opened() } }

  func closed(_ connection: ClosedConnection) {
    for waiter in machine.withLock({ $0.closed(connection) }) { waiter.fulfill(connection) }
  }

  func beganHandling() { machine.withLock { $0.beganHandling() } }

  func endedHandling() { machine.withLock { $0.endedHandling() } }

  func record(_ request: ReceivedRequest) {
    let (waiter, gone) = machine.withLock { $0.record(request) }
    waiter?.fulfill(request)
    withExtendedLifetime(gone) {}
  }

  func stop() {
    let waiters = machine.withLock { $0.stop() }
    for waiter in waiters.requests { waiter.reject(MockServerError.stopped) }
    for waiter in waiters.closings { waiter.reject(MockServerError.stopped) }
  }

  // MARK: From those who watch

  func resetMostHandling() { machine.withLock { $0.resetMostHandling() } }

  func takeRequest() -> Promise<ReceivedRequest> {
    wait { machine, resolver in machine.take(resolver) }
  }

  func closing(of connection: Int) -> Promise<ClosedConnection> {
    wait { machine, resolver in machine.awaitClosing(of: connection, resolver) }
  }

  private func wait<Value>(
    _ ask: (inout JournalMachine, Resolver<Value>) -> JournalMachine.Waiting<Value>
  ) -> Promise<Value> {
    let (promise, resolver) = Promise<Value>.pending()
    switch machine.withLock({ ask(&$0, resolver) }) {
    case .over(let result): resolver.resolve(result)
    case .waits(let id):
      resolver.onCancel { [weak self] in
        let gone = self?.machine.withLock { $0.cancel(id) }
        withExtendedLifetime(gone) {}
      }
    }
    return promise
  }
}
