import Networking
import Promises

/// A connection of a server, which parses the requests and sends the responses.
///
/// It serves one exchange at a time. While a response is in progress, pipelined bytes are buffered
/// up to a limit; beyond it, the socket is not read.
///
/// `@unchecked Sendable` because all its state is used only on the thread of the event loop.
final class Connection: EventLoop.EventHandler, @unchecked Sendable {
  enum Phase {
    /// Receives requests and sends responses.
    case serving
    /// Resets the connection at the client's first byte.
    case resetting
    /// The last response has been sent. Further input is discarded until the client closes the
    /// connection. If the server closed it earlier, unread input would cause a reset, and the
    /// client could lose the response.
    case draining
    case closed
  }

  /// The state of a connection after a step.
  enum Progress {
    /// The next step is possible.
    case continues
    /// Waits for input, a handler or a delay.
    case waits
    /// Waits for the socket to become writable.
    case blocked
  }

  let index: Int
  private(set) var socket: Socket
  let core: ServerCore
  /// The IP address of the client.
  private(set) lazy var clientAddress = socket.peerAddress
  private var token: UInt64 = 0
  private var interest: Readiness = []
  private var isProcessing = false
  /// Whether further requests of this connection wait until other connections have been served.
  private var isYielding = false
  /// The timer for the end of the head that is being received, and the number of exchanges before it.
  private var headTimer: (action: ScheduledAction, exchange: Int)?
  /// The timer of a response that the client does not read, and the progress at its start.
  private var sendTimer: (action: ScheduledAction, progress: SendProgress)?

  private(set) var phase = Phase.serving
  /// The current exchange, or a new value between two exchanges.
  var exchange = ServerExchange()
  /// The time of the last bytes from the client, or of the end of the last response.
  private var lastActivity = ContinuousClock.now
  var parser: RequestParser
  /// The number of requests received.
  var requestCount = 0
  private var completedExchanges = 0
  var player = ScriptPlayer()
  private var inputHasEnded = false
  /// The number of bytes of this connection in the total of the server.
  private var countedBodyBytes = 0

  init(_ socket: Socket, _ index: Int, _ core: ServerCore) {
    self.socket = socket
    self.index = index
    self.core = core
    parser = RequestParser(limits: core.limits)
  }

  func start(_ fault: MockFault?) {
    interest = .readable
    token = core.loop.watch(socket.descriptor, for: interest, self)
    if let limit = core.limits.idleTime { closeWhenIdle(for: limit, checkingAfter: limit) }
    switch fault {
    case nil: break
    case .close, .malformedChunk: drain()
    case .reset: scheduleReset()
    case .stall: exchange.stall()
    case .garbage(let data):
      play(ResponseScript(garbage: data))
      process()
    }
  }

  /// Resets the connection at the client's first byte, or after 0.2 seconds.
  ///
  /// A client that is still connecting would treat an immediate reset as a refused connection.
  private func scheduleReset() {
    phase = .resetting
    after(.milliseconds(200)) { $0.close(by: .server, resetting: true) }
  }

  /// Stops sending, and discards input until the client closes the connection, for at most 2
  /// seconds.
  func drain() {
    guard phase != .closed else { return }
    socket.finishSending()
    phase = .draining
    after(.seconds(2)) { $0.close(by: .server) }
  }

  /// Closes the connection if it waits for bytes of a request for longer than a limit.
  private func closeWhenIdle(for limit: Duration, checkingAfter delay: Duration) {
    after(delay) { connection in
      guard connection.phase != .closed else { return }
      let waitsForClient =
        connection.isReceiving || connection.exchange.upload.map { !$0.isFull } == true
      let idleTime = waitsForClient ? connection.lastActivity.duration(to: .now) : .zero
      if idleTime >= limit { return connection.close(by: .server) }
      connection.closeWhenIdle(for: limit, checkingAfter: limit - idleTime)
    }
  }

  /// Runs a closure on the loop's thread after a delay.
  ///
  /// Uses the system's time, not the server's scheduler, because a test does not control this
  /// delay.
  private func after(_ delay: Duration, _ body: @escaping @Sendable (Connection) -> Void) {
    _ = LiveScheduler.system.schedule(after: delay) { [loop = core.loop, weak self] in
      guard let self else { return }
      loop.execute { body(self) }
    }
  }

  // MARK: Events

  func handle(_ readiness: Readiness) {
    if interest.contains(.readable) {
      let isReady =
        readiness.intersection([.readable, .hangup, .broken]) != []
        || socket.channel?.wantsWrite == true
      if isReady { receive() }
    } else if readiness.contains(.broken) {
      close(by: .client)
    } else if readiness.contains(.hangup) {
      endInput()
    }
    process()
  }

  private func receive() {
    switch socket.receive(core.receiveBuffer) {
    case .bytes(let count):
      lastActivity = .now
      if phase == .resetting { return close(by: .server, resetting: true) }
      guard phase != .draining else { return }
      parser.bodyRoom = bodyRoom
      parser.receive(UnsafeRawBufferPointer(rebasing: core.receiveBuffer[..<count]))
    case .wouldBlock: break
    case .ended: endInput()
    case .failed:
      guard socket.channel?.hasFailedHandshake == true else { return close(by: .client) }
      // Input that is not read would reset the connection, and the client could lose the alert.
      socket.channel = nil
      drain()
    }
  }

  private func endInput() {
    inputHasEnded = true
    closeAfterInput(isParsed: false)
  }

  /// Closes the connection if the end of the client's input ends it.
  ///
  /// - Parameter isParsed: Whether all input has been parsed.
  private func closeAfterInput(isParsed: Bool) {
    switch phase {
    case .serving:
      guard exchange.endsWithInput(isParsed: isParsed, isDelayed: player.isWaiting) else { return }
      close(by: .client)
    case .resetting: close(by: .client)
    case .draining: close(by: .server)
    case .closed: break
    }
  }

  /// Parses requests and sends responses until the connection has to wait.
  ///
  /// After a number of exchanges it lets other connections make progress, and continues later. Nested
  /// calls are no-ops.
  func process() {
    guard !isProcessing, !isYielding else { return }
    isProcessing = true
    defer { isProcessing = false }
    var progress = Progress.continues
    let end = completedExchanges + Self.exchangesPerTurn
    while progress == .continues {
      if isReceiving, completedExchanges >= end { return yield() }
      if exchange.upload != nil { continueUpload() }
      progress = phase == .serving ? step() : .waits
    }
    if inputHasEnded { closeAfterInput(isParsed: true) }
    countBody()
    updateInterest(isBlocked: progress == .blocked)
    updateHeadTimer()
    updateSendTimer(isBlocked: progress == .blocked)
  }

  /// Parses the next part of a request, or sends the next part of a response.
  private func step() -> Progress {
    switch exchange.phase {
    case .receiving:
      countBody()
      parser.bodyRoom = bodyRoom
      guard let event = parser.next() else { return .waits }
      handle(event)
      return .continues
    case .playing: return advance()
    case .handling, .opening, .stalled: return .waits
    }
  }

  /// Whether the connection waits for a request, or for more bytes of one.
  private var isReceiving: Bool { phase == .serving && exchange.phase == .receiving }

  /// Counts the bytes of the current body in the total of the server.
  private func countBody() {
    let count = phase == .closed ? 0 : parser.bodyBytes + exchange.bodyByteCount
    core.bodyBudget.add(count - countedBodyBytes)
    countedBodyBytes = count
  }

  /// The number of bytes that the body that is being received may use.
  private var bodyRoom: Int {
    let room = core.limits.totalBodyBytes - (core.bodyBudget.used - countedBodyBytes)
    return room + exchange.additionalBodyRoom
  }

  /// Continues after the events of other connections.
  private func yield() {
    isYielding = true
    updateInterest(isBlocked: false)
    core.loop.afterNextEvents { [self] in
      isYielding = false
      process()
    }
  }

  /// Starts the timer of a head that is incomplete, and cancels the timer of an earlier one.
  private func updateHeadTimer() {
    let isInsideHead = isReceiving && parser.isInsideHead
    if let headTimer {
      if isInsideHead, headTimer.exchange == completedExchanges { return }
      headTimer.action.cancel()
      self.headTimer = nil
    }
    guard isInsideHead, let limit = core.limits.headTime else { return }
    let exchange = completedExchanges
    let action = core.scheduler.schedule(after: limit) { [weak self] in
      guard let self else { return }
      core.execute(during: core.scheduler.beginActivity()) {
        guard self.isReceiving, self.parser.isInsideHead, self.completedExchanges == exchange else {
          return
        }
        self.reject(HTTPParseError(408, "the head is not complete after \(limit.rounded)"))
        self.process()
      }
    }
    headTimer = (action, exchange)
  }

  /// The progress of a client that reads a response.
  private struct SendProgress: Equatable {
    let exchange: Int
    let sentByteCount: Int
    /// The number of bytes that the system has not delivered.
    ///
    /// It decreases before the socket becomes writable again.
    var undelivered = 0
  }

  /// Starts the timer of a response that waits for its client, and cancels it when the client has read
  /// some bytes.
  ///
  /// Uses the system's time, because a test does not control how fast a socket is read.
  private func updateSendTimer(isBlocked: Bool) {
    let isWaiting = isBlocked && exchange.phase == .playing
    var progress = SendProgress(
      exchange: completedExchanges, sentByteCount: player.sentByteCount)
    if let sendTimer {
      progress.undelivered = sendTimer.progress.undelivered
      if isWaiting, sendTimer.progress == progress { return }
      sendTimer.action.cancel()
      self.sendTimer = nil
    }
    guard isWaiting, let limit = core.limits.sendTime else { return }
    progress.undelivered = socket.undeliveredByteCount
    let action = LiveScheduler.system.schedule(after: limit) {
      [progress, loop = core.loop, weak self] in
      guard let self else { return }
      loop.execute { self.checkSendProgress(since: progress) }
    }
    sendTimer = (action, progress)
  }

  /// Closes the connection if the client has read nothing since the timer was started.
  private func checkSendProgress(since progress: SendProgress) {
    guard exchange.phase == .playing, sendTimer?.progress == progress else { return }
    sendTimer = nil
    guard socket.undeliveredByteCount < progress.undelivered else {
      return close(by: .server, resetting: true)
    }
    updateSendTimer(isBlocked: true)
  }

  /// Watches the socket for the next event.
  ///
  /// - Parameter isBlocked: Whether the response waits for the socket to become writable.
  private func updateInterest(isBlocked: Bool) {
    guard phase != .closed else { return }
    var wanted: Readiness = isBlocked || socket.channel?.wantsWrite == true ? .writable : []
    if !inputHasEnded {
      let readsInput =
        isReceiving && !isYielding || phase == .draining
        || parser.bufferedBytes < Self.pipeliningLimit
      wanted.insert(readsInput ? .readable : .hangup)
    }
    guard wanted != interest else { return }
    interest = wanted
    core.loop.change(socket.descriptor, to: wanted, token)
  }

  // MARK: The end of an exchange

  /// Ends an exchange whose response has been sent, and prepares the next one.
  func completeExchange() {
    report(.complete)
    completedExchanges += 1
    endRequest()
    resetExchange()
    lastActivity = .now
  }

  /// Tells the tracker that the request is not in progress any more.
  func endRequest() {
    guard exchange.isInProgress else { return }
    exchange.isInProgress = false
    core.tracker.requestEnded()
  }

  private func resetExchange() {
    // The values of the old exchange are dropped after the access to the property has ended, because
    // they may be objects of users.
    var exchange = ServerExchange()
    swap(&exchange, &self.exchange)
    exchange.reservation?.release()
  }

  func close(by side: ClosedConnection.Side, resetting: Bool = false) {
    guard phase != .closed else { return }
    let isInside =
      phase == .serving && (exchange.phase != .receiving || parser.isInsideRequest)
    phase = .closed
    exchange.reservation?.release()
    countBody()
    headTimer.take()?.action.cancel()
    sendTimer.take()?.action.cancel()
    endUpload()
    report(side == .client ? .aborted : resetting ? .reset : .closed)
    player.cancel()
    core.loop.ignore(socket.descriptor, token)
    if resetting { socket.resetOnClose() } else if side == .server { socket.channel?.finish() }
    socket.close()
    endRequest()
    core.closed(self)
    let pending = exchange.pending.take()
    resetExchange()
    core.tracker.closed(
      ClosedConnection(
        index: index, completedExchanges: completedExchanges, closedBy: side,
        wasInsideExchange: isInside))
    pending?.cancel()
  }

  /// The number of exchanges after which other connections are served.
  private static let exchangesPerTurn = 16
  /// The maximum number of bytes buffered while a response is in progress.
  private static let pipeliningLimit = 64 * 1024
}
