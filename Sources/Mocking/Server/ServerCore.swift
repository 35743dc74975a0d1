import Dispatch
import Promises
import Synchronization

/// What the connections of a server share, and the server's life.
///
/// `@unchecked Sendable` because `listener`, `date`, `reserved`, `connections` and `scratch` are protected by being touched
/// on the loop's thread alone.
final class ServerCore: @unchecked Sendable {
  let loop: EventLoop
  let requestJournal: RequestJournal
  let limits: MockServerLimits
  let scheduler: any Scheduler
  let journal: Journal
  let queue = ResponseQueue()
  let onExchange: (@Sendable (ServedExchange) -> Void)?
  private let currentRouteSet: Mutex<RouteSet>
  private let connectionFault: @Sendable (Int) -> MockFault?
  private(set) var listener: Listener?
  var date = DateHeaderCache()
  /// What keeps the port while connections are refused.
  private var reserved: Socket?
  private var connections: [Int: Connection] = [:]
  /// Where bytes are received; one for all connections, since only one at a time receives.
  let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 128 * 1024, alignment: 16)

  init(
    _ routeSet: RouteSet, limits: MockServerLimits, scheduler: any Scheduler,
    connectionFault: @escaping @Sendable (Int) -> MockFault?,
    onExchange: (@Sendable (ServedExchange) -> Void)?
  ) throws(SocketError) {
    requestJournal = RequestJournal(
      limits: JournalLimits(
        requests: limits.recordedRequests, bodyBytes: limits.recordedBodyBytes),
      routes: routeSet.routes)
    currentRouteSet = Mutex(routeSet)
    self.limits = limits
    self.scheduler = scheduler
    self.connectionFault = connectionFault
    self.onExchange = onExchange
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
    listener?.resume()
  }

  /// Whether another connection may be accepted.
  var acceptsConnections: Bool { limits.connections.map { connections.count < max($0, 1) } ?? true }

  private func shutDown() {
    listener?.close()
    listener = nil
    reserved?.close()
    reserved = nil
    for connection in connections.values { connection.close(by: .server) }
    journal.stop()
    loop.stop()
  }

  // MARK: From any thread

  var routeSet: RouteSet { currentRouteSet.withLock { $0 } }

  func replace(_ routeSet: RouteSet) {
    var routeSet = routeSet
    routeSet.firstRoute = requestJournal.replaceRoutes(with: routeSet.routes)
    currentRouteSet.withLock { [routeSet] in $0 = routeSet }
  }

  func refuseConnections(on port: Int) {
    perform {
      guard let listener = self.listener else { return }
      listener.close()
      self.listener = nil
      // Nobody who asks for any free port shall have this one meanwhile.
      self.reserved = try? Socket.bound(to: port).socket
    }
  }

  func acceptConnections(on port: Int) throws(MockServerError) {
    let failure = Mutex<MockServerError?>(nil)
    let isRunning = perform {
      guard self.listener == nil else { return }
      do throws(SocketError) {
        let socket: Socket
        if let reserved = self.reserved {
          socket = reserved
        } else {
          socket = try Socket.bound(to: port).socket
        }
        self.reserved = socket
        try socket.listen()
        self.reserved = nil
        self.listener = Listener(socket, self)
      } catch {
        failure.withLock { $0 = .cannotListen(port: port, reason: error.description) }
      }
    }
    guard isRunning else { throw .stopped }
    if let failure = failure.withLock({ $0 }) { throw failure }
  }

  /// Closes everything; returns when that is done.
  func stop() {
    perform { self.shutDown() }
  }

  /// Runs a job on the loop's thread; returns when that is done, or false when the loop has been stopped.
  @discardableResult
  private func perform(_ job: @escaping EventLoop.Job) -> Bool {
    if loop.isCurrent {
      job()
      return true
    }
    let done = DispatchSemaphore(value: 0)
    let isRunning = loop.execute {
      job()
      done.signal()
    }
    if isRunning { done.wait() }
    return isRunning
  }
}

/// Takes a server's connections in; on the loop's thread only.
final class Listener: EventLoop.EventHandler {
  private let socket: Socket
  private let core: ServerCore
  private var token: UInt64 = 0
  private var isWaiting = false
  private var isClosed = false

  init(_ socket: Socket, _ core: ServerCore) {
    self.socket = socket
    self.core = core
    token = core.loop.watch(socket.descriptor, for: .readable, self)
  }

  func handle(_ readiness: Readiness) {
    do {
      // Not without end, so that a flood of connections leaves time for those that are there.
      for _ in 0..<64 {
        guard core.acceptsConnections else { return wait() }
        guard let accepted = try socket.accept() else { return }
        core.open(accepted)
        if isClosed { return }
      }
    } catch {
      pause()
    }
  }

  /// Takes none in until a connection has closed.
  private func wait() {
    isWaiting = true
    core.loop.change(socket.descriptor, to: [], token)
  }

  /// Without descriptors left there is nothing to be done until some connection ends, and the listening
  /// socket would be ready all the time.
  private func pause() {
    core.loop.change(socket.descriptor, to: [], token)
    isWaiting = true
    _ = LiveScheduler.live.schedule(after: .milliseconds(20)) { [core] in
      core.loop.execute { core.listener?.resume() }
    }
  }

  func resume() {
    guard isWaiting, !isClosed else { return }
    isWaiting = false
    core.loop.change(socket.descriptor, to: .readable, token)
  }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    core.loop.ignore(socket.descriptor, token)
    socket.closeListening()
  }
}
