import Dispatch
import Promises

/// What the connections of a server share, and the server's life.
///
/// `@unchecked Sendable` because `listener`, `connections` and `scratch` are protected by being touched
/// on the loop's thread alone.
final class ServerCore: @unchecked Sendable {
  let loop: EventLoop
  let book: StubBook
  let requestJournal: RequestJournal
  let limits: MockServerLimits
  let scheduler: any Scheduler
  let journal: Journal
  let ledger = MockLedger()
  private let connectionFault: @Sendable (Int) -> MockFault?
  private(set) var listener: Listener?
  private var connections: [Int: Connection] = [:]
  /// Where bytes are received; one for all connections, since only one at a time receives.
  let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 128 * 1024, alignment: 16)

  init(
    book: StubBook, routes: [Route], limits: MockServerLimits, scheduler: any Scheduler,
    connectionFault: @escaping @Sendable (Int) -> MockFault?
  ) throws(SocketError) {
    self.book = book
    requestJournal = RequestJournal(
      limits: JournalLimits(
        requests: limits.recordedRequests, bodyBytes: limits.recordedBodyBytes), routes: routes)
    self.limits = limits
    self.scheduler = scheduler
    self.connectionFault = connectionFault
    journal = Journal(limits: limits)
    loop = try EventLoop()
  }

  deinit {
    scratch.deallocate()
  }

  func start(_ socket: Socket) {
    loop.execute { self.listener = Listener(socket, self) }
  }

  // MARK: On the loop's thread

  func open(_ socket: Socket) {
    let index = journal.opened()
    let connection = Connection(socket, index, self)
    connections[index] = connection
    connection.start(connectionFault(index))
  }

  func closed(_ connection: Connection) {
    connections[connection.index] = nil
  }

  private func shutDown() {
    listener?.close()
    listener = nil
    for connection in connections.values { connection.close(by: .server) }
    journal.stop()
    loop.stop()
  }

  // MARK: From any thread

  /// Closes everything; returns when that is done.
  func stop() {
    if loop.isCurrent { return shutDown() }
    let done = DispatchSemaphore(value: 0)
    let isRunning = loop.execute {
      self.shutDown()
      done.signal()
    }
    if isRunning { done.wait() }
  }
}
