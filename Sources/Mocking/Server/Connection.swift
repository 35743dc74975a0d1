import Foundation
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
    /// Waits for a request, or for more bytes of one.
    case receiving
    /// A handler is running.
    case handling
    /// A large body is being parsed, or the file of a response opened, on another thread.
    case opening
    /// A response is being sent, or waits for a delay.
    case playing
    /// Sends nothing more and waits until the client closes the connection.
    case stalled
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
  private var token: UInt64 = 0
  private var interest: Readiness = []
  private var isProcessing = false
  /// Whether further requests of this connection wait until other connections have been served.
  private var isYielding = false
  /// The timer for the end of the head that is being received, and the number of exchanges before it.
  private var headTimer: (action: ScheduledAction, exchange: Int)?
  /// The timer of a response that the client does not read, and the progress at its start.
  private var sendTimer: (action: ScheduledAction, progress: SendProgress)?

  var phase = Phase.receiving {
    didSet { if phase == .receiving { lastActivity = .now } }
  }
  /// The time of the last bytes from the client, or of the end of the last response.
  private var lastActivity = ContinuousClock.now
  var parser: RequestParser
  /// The head of the current request.
  var head: RequestHead?
  /// The routing of the current request.
  var routing: RouteTable.Outcome?
  /// The response to the current request, if it is a preflight request.
  var preflightResponse: Mock?
  /// The routes that serve the current request.
  var routes: ActiveRoutes?
  /// The number of requests received.
  var requestCount = 0
  var completedExchanges = 0
  /// The current exchange, if the server has an `onExchange` handler.
  var servedDraft: ServedExchange.Draft?
  /// Whether the tracker counts a request of this connection as in progress.
  var isRequestInProgress = false
  /// The promise of an asynchronous handler.
  var pending: Promise<Mock>?
  /// Reports the outcome of the current request to the journal.
  var reporter: OutcomeReporter?
  /// An action at the end of the exchange, such as the start of the webhooks of the response.
  var atEnd: (() -> Void)?
  var player = ScriptPlayer()
  /// The body of a forwarded request that is still being received.
  var upload: BodyPipe?
  /// The handler of the current request, if it is below a reserved path.
  var reservedHandler: (any ReservedPathHandler)?
  var inputHasEnded = false
  /// The number of bytes of the body of the current request, after it has been received.
  var requestBodyBytes = 0
  /// The memory for the decoded and parsed body of the current request.
  var reservation: BodyReservation?
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
    case .stall: phase = .stalled
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
    socket.finishSending()
    phase = .draining
    after(.seconds(2)) { $0.close(by: .server) }
  }

  /// Closes the connection if it waits for bytes of a request for longer than a limit.
  private func closeWhenIdle(for limit: Duration, checkingAfter delay: Duration) {
    after(delay) { connection in
      guard connection.phase != .closed else { return }
      let waitsForClient =
        connection.phase == .receiving || connection.upload.map { !$0.isFull } == true
      let idleTime =
        waitsForClient
        ? connection.lastActivity.duration(to: .now) : .zero
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

  /// Handles the end of the client's input.
  ///
  /// If a handler is running or the response waits for a delay, the client counts as disconnected.
  /// A response that is being sent continues until its next delay.
  private func endInput() {
    inputHasEnded = true
    switch phase {
    case .handling, .stalled, .resetting: close(by: .client)
    case .playing: if player.isWaiting { close(by: .client) }
    case .draining: close(by: .server)
    case .receiving, .opening, .closed: break
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
      if phase == .receiving, completedExchanges >= end { return yield() }
      if upload != nil { continueUpload() }
      switch phase {
      case .receiving:
        countBody()
        parser.bodyRoom = bodyRoom
        if let event = parser.next() { handle(event) } else { progress = .waits }
      case .playing: progress = advance()
      case .handling, .opening, .stalled, .resetting, .draining, .closed: progress = .waits
      }
    }
    if inputHasEnded {
      switch phase {
      case .receiving, .handling, .stalled, .resetting: close(by: .client)
      case .playing: if player.isWaiting { close(by: .client) }
      case .draining: close(by: .server)
      case .opening, .closed: break
      }
    }
    countBody()
    updateInterest(isBlocked: progress == .blocked)
    updateHeadTimer()
    updateSendTimer(isBlocked: progress == .blocked)
  }

  /// Counts the bytes of the current body in the total of the server.
  private func countBody() {
    let count = phase == .closed ? 0 : parser.bodyBytes + requestBodyBytes
    core.bodyBudget.add(count - countedBodyBytes)
    countedBodyBytes = count
  }

  /// The number of bytes that the body that is being received may use.
  ///
  /// Requests below the reserved path may use more than the limit for all bodies, so that a server whose
  /// bodies have reached it can be controlled.
  private var bodyRoom: Int {
    let room = core.limits.totalBodyBytes - (core.bodyBudget.used - countedBodyBytes)
    return room + (reservedHandler?.maximumBodyBytes ?? 0)
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
    let isInsideHead = phase == .receiving && parser.isInsideHead
    if let headTimer {
      if isInsideHead, headTimer.exchange == completedExchanges { return }
      headTimer.action.cancel()
      self.headTimer = nil
    }
    guard isInsideHead, let limit = core.limits.headTime else { return }
    let exchange = completedExchanges
    let action = core.scheduler.schedule(after: limit) { [scheduler = core.scheduler, weak self] in
      guard let self else { return }
      let activity = scheduler.beginActivity()
      let isRunning = core.loop.execute {
        defer { activity?.end() }
        guard self.phase == .receiving, self.parser.isInsideHead,
          self.completedExchanges == exchange
        else { return }
        self.reject(HTTPParseError(408, "the head is not complete after \(limit.rounded)"))
        self.process()
      }
      if !isRunning { activity?.end() }
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
    let isWaiting = isBlocked && phase == .playing
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
    guard phase == .playing, sendTimer?.progress == progress else { return }
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
        phase == .receiving && !isYielding || phase == .draining
        || parser.bufferedBytes < Self.pipeliningLimit
      wanted.insert(readsInput ? .readable : .hangup)
    }
    guard wanted != interest else { return }
    interest = wanted
    core.loop.change(socket.descriptor, to: wanted, token)
  }

  // MARK: Closing

  func close(by side: ClosedConnection.Side, resetting: Bool = false) {
    guard phase != .closed else { return }
    let isInside =
      switch phase {
      case .receiving: parser.isInsideRequest
      case .handling, .opening, .playing, .stalled: true
      case .resetting, .draining, .closed: false
      }
    phase = .closed
    reservation = nil
    countBody()
    headTimer.take()?.action.cancel()
    sendTimer.take()?.action.cancel()
    endUpload()
    reportServed(side == .client ? .aborted : resetting ? .reset : .closed)
    player.cancel()
    core.loop.ignore(socket.descriptor, token)
    if resetting { socket.resetOnClose() } else if side == .server { socket.channel?.finish() }
    socket.close()
    endRequest()
    core.closed(self)
    let pending = pending.take()
    core.tracker.closed(
      ClosedConnection(
        index: index, completedExchanges: completedExchanges, closedBy: side,
        wasInsideExchange: isInside))
    pending?.cancel()
  }

  func endRequest() {
    guard isRequestInProgress else { return }
    isRequestInProgress = false
    core.tracker.requestEnded()
  }

  /// The number of exchanges after which other connections are served.
  private static let exchangesPerTurn = 16
  /// The maximum number of bytes buffered while a response is in progress.
  private static let pipeliningLimit = 64 * 1024
}
