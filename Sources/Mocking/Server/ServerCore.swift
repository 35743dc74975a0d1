import CatenaSystem
import Dispatch
import Foundation
import Promises

/// The shared state of the connections of a server, which also starts and stops the server.
///
/// `@unchecked Sendable` because `listener`, `reservedPath`, `date`, `reservedSocket`, `connections`
/// and `receiveBuffer` are used only on the thread of the event loop.
final class ServerCore: @unchecked Sendable {
  let loop: EventLoop
  let journal: RequestJournal
  let limits: MockServerLimits
  let scheduler: any Scheduler
  let cors: CORSPolicy
  let tracker: ConnectionTracker
  let queue = MockQueue()
  let webhooks = WebhookSender()
  /// The queue that parses large bodies.
  let bodyQueue = DispatchQueue(label: "Catena.Bodies", attributes: .concurrent)
  let onExchange: (@Sendable (ServedExchange) -> Void)?
  /// The TLS settings, or `nil` for a server without TLS.
  let tls: TLSListener?
  private let routes: Mutex<ActiveRoutes>
  /// The type of the handler of a reserved path, which checks routes.
  private let reservedPathType = Mutex<(any ReservedPathHandler.Type)?>(nil)
  private let connectionFault: @Sendable (Int) -> MockFault?
  private(set) var listener: Listener?
  /// The handler of the requests below a reserved path.
  private(set) var reservedPath: (any ReservedPathHandler)?
  var date = DateHeaderCache()
  /// A bound socket that reserves the port while connections are refused.
  private var reservedSocket: Socket?
  private var connections: [Int: Connection] = [:]
  /// The memory for the bodies of all requests in progress.
  let bodyBudget: BodyBudget
  /// The receive buffer, which all connections share because only one at a time receives.
  let receiveBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 128 * 1024, alignment: 16)

  init(
    _ routes: ActiveRoutes, limits: MockServerLimits, scheduler: any Scheduler, cors: CORSPolicy,
    connectionFault: @escaping @Sendable (Int) -> MockFault?,
    onExchange: (@Sendable (ServedExchange) -> Void)?, tls: TLSListener?
  ) throws(SocketError) {
    journal = RequestJournal(limits: limits.journal, registry: routes.registry)
    tracker = ConnectionTracker(closedLimit: limits.journal.requests)
    self.routes = Mutex(routes)
    self.limits = limits
    bodyBudget = BodyBudget(limit: limits.totalBodyBytes)
    self.scheduler = scheduler
    self.cors = cors
    self.connectionFault = connectionFault
    self.onExchange = onExchange
    self.tls = tls
    loop = try EventLoop()
  }

  deinit {
    receiveBuffer.deallocate()
  }

  func start(_ socket: Socket) {
    if tls != nil { loop.execute { Self.blockSIGPIPE() } }
    loop.execute { self.listener = Listener(socket, self) }
  }

  // MARK: On the loop's thread

  func open(_ socket: Socket) {
    let index = tracker.opened()
    let fault = connectionFault(index)
    var socket = socket
    // Garbage takes the place of the handshake.
    if let tls, fault?.isGarbage != true {
      // Without memory for it, the connection is not continued in clear.
      guard let channel = tls.accept(socket.descriptor, connection: index) else {
        socket.close()
        return tracker.closed(
          ClosedConnection(
            index: index, completedExchanges: 0, closedBy: .server, wasInsideExchange: false))
      }
      socket.channel = channel
    }
    let connection = Connection(socket, index, self)
    connections[index] = connection
    connection.start(fault)
  }

  /// Blocks `SIGPIPE` on this thread, because OpenSSL writes without `MSG_NOSIGNAL`.
  private static func blockSIGPIPE() {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  func closed(_ connection: Connection) {
    connections[connection.index] = nil
    listener?.resume()
  }

  /// Whether the limit allows another connection.
  var acceptsConnections: Bool { limits.connections.map { connections.count < max($0, 1) } ?? true }

  private func shutDown() {
    webhooks.stop()
    // The handler may retain this object.
    reservedPath.take()?.stop()
    listener?.close()
    listener = nil
    reservedSocket?.close()
    reservedSocket = nil
    for connection in connections.values { connection.close(by: .server) }
    journal.stopTaking()
    tracker.stop()
    loop.stop()
  }

  // MARK: From any thread

  var activeRoutes: ActiveRoutes { routes.withLock { $0 } }

  /// Checks that no route is below the reserved path, if there is one.
  func checkReservedPath(_ routes: [Route]) throws(MockServerError) {
    try reservedPathType.withLock { $0 }?.check(routes)
  }

  /// Returns the action that replaces all routes.
  ///
  /// The random numbers and the adjustment of all responses continue; the use counts of sequences
  /// restart.
  ///
  /// - Throws: ``MockServerError`` if a route is malformed. The action cannot fail.
  func replacement(by routes: [Route]) throws(MockServerError) -> @Sendable () -> Void {
    try checkReservedPath(routes)
    let old = activeRoutes
    let adjustments = ResponseAdjustments()
    adjustments.all = old.registry.adjustments.all
    let new = ActiveRoutes(
      registry: StubRegistry(
        try RouteTable(routes, numbers: old.registry.numbers), adjustments: adjustments),
      mockResolver: MockResolver(random: old.mockResolver.random, adjustments: adjustments))
    return { [self] in
      journal.setRegistry(new.registry)
      self.routes.withLock { $0 = new }
    }
  }

  /// Sets the handler of the requests below a reserved path, before it returns.
  ///
  /// - Returns: Whether the server is running.
  func reserve(_ handler: any ReservedPathHandler) -> Bool {
    reservedPathType.withLock { $0 = type(of: handler) }
    return perform {
      self.reservedPath?.stop()
      self.reservedPath = handler
    }
  }

  func refuseConnections(on address: ListeningAddress) {
    perform {
      guard let listener = self.listener else { return }
      listener.close()
      self.listener = nil
      // Prevents the system from assigning the port to a process that requests any free port.
      self.reservedSocket = try? Socket.bound(to: address).socket
    }
  }

  func acceptConnections(on address: ListeningAddress) throws(MockServerError) {
    let failure = Mutex<MockServerError?>(nil)
    let isRunning = perform {
      guard self.listener == nil else { return }
      do throws(SocketError) {
        let socket: Socket
        if let reservedSocket = self.reservedSocket {
          socket = reservedSocket
        } else {
          socket = try Socket.bound(to: address).socket
        }
        self.reservedSocket = socket
        try socket.listen()
        self.reservedSocket = nil
        self.listener = Listener(socket, self)
      } catch {
        failure.withLock { $0 = .cannotListen(port: address.port, reason: error.description) }
      }
    }
    guard isRunning else { throw .stopped }
    if let failure = failure.withLock({ $0 }) { throw failure }
  }

  /// Closes the listening socket and all connections, and saves the data of the routes, before it
  /// returns.
  func stop() {
    perform { self.shutDown() }
    for entry in activeRoutes.registry.entries { entry.route.resources.storage?.saveChanges() }
  }

  /// Runs a job on the thread of the loop, and ends an activity when the job has ended or the loop has
  /// been stopped.
  func execute(during activity: ActivityToken?, _ job: @escaping EventLoop.Job) {
    let isRunning = loop.execute {
      defer { activity?.end() }
      job()
    }
    if !isRunning { activity?.end() }
  }

  /// Runs a job on the thread of the loop and waits until it has ended.
  ///
  /// - Returns: Whether the job ran. `false` if the loop has been stopped.
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

extension MockFault {
  /// Whether the fault sends bytes that are no response.
  fileprivate var isGarbage: Bool { if case .garbage = self { true } else { false } }
}

/// The listening socket of a server, which accepts connections.
///
/// It is used only on the thread of the loop.
final class Listener: EventLoop.EventHandler {
  private let socket: Socket
  private let core: ServerCore
  private var token: UInt64 = 0
  private var isPaused = false
  private var isClosed = false

  init(_ socket: Socket, _ core: ServerCore) {
    self.socket = socket
    self.core = core
    token = core.loop.watch(socket.descriptor, for: .readable, self)
  }

  func handle(_ readiness: Readiness) {
    do {
      // The number is bounded, so that many new connections do not delay the open ones.
      for _ in 0..<64 {
        guard core.acceptsConnections else { return pause() }
        guard let accepted = try socket.accept() else { return }
        core.open(accepted)
        if isClosed { return }
      }
    } catch {
      pauseAfterFailure()
    }
  }

  /// Stops accepting until a connection has closed.
  private func pause() {
    isPaused = true
    core.loop.change(socket.descriptor, to: [], token)
  }

  /// Stops accepting for 20 milliseconds.
  ///
  /// If no file descriptor is free, `accept` fails and the socket stays readable. Without the
  /// pause, the loop would retry continuously until a connection closes.
  private func pauseAfterFailure() {
    pause()
    _ = LiveScheduler.system.schedule(after: .milliseconds(20)) { [core] in
      core.loop.execute { core.listener?.resume() }
    }
  }

  func resume() {
    guard isPaused, !isClosed else { return }
    isPaused = false
    core.loop.change(socket.descriptor, to: .readable, token)
  }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    core.loop.ignore(socket.descriptor, token)
    socket.closeListening()
  }
}
