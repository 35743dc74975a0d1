import Foundation
import Networking
import Promises

/// One connection: moves bytes between the socket, the ``RequestMachine`` and the scripts of responses.
///
/// One exchange at a time: while a response is under way, what the client sends ahead is kept, up to a
/// bound, and only then read no further.
///
/// `@unchecked Sendable` because everything in it is protected by being touched on the loop's thread alone.
final class Connection: EventLoop.EventHandler, @unchecked Sendable {
  enum Phase {
    /// Waits for a request, or the rest of one.
    case receiving
    /// A handler is at work.
    case handling
    /// A response is being sent, or waits for its time.
    case playing
    /// Nothing is to happen any more until the client leaves.
    case stalled
    /// The connection is reset by the client's first byte.
    case resetting
    /// All has been sent; what still comes is dropped until the client closes, since closing before
    /// would reset the connection and take the response away from the client.
    case draining
    case closed
  }

  let index: Int
  let socket: Socket
  let core: ServerCore
  private var token: UInt64 = 0
  private var interest: Readiness = []
  private var isProcessing = false

  var phase = Phase.receiving
  var machine: RequestParser
  /// What is being answered.
  var head: RequestHead?
  var outcome: RouteTable.Outcome?
  var exchange = 0
  var routeSet: RouteSet?
  /// What is being answered, where somebody wants to be told.
  var exchangeInProgress: ExchangeInProgress?
  var completedExchanges = 0
  /// Whether the journal counts this connection among those that handle a request.
  var isHandling = false
  var pending: Promise<Mock>?
  /// By which the journal is told what has come of the request.
  var ticket: JournalTicket?
  var player = ScriptPlayer()
  var inputHasEnded = false
  /// What the player waits for, if it is not for time.
  var wantsToWrite = false

  init(_ socket: Socket, _ index: Int, _ core: ServerCore) {
    self.socket = socket
    self.index = index
    self.core = core
    machine = RequestParser(limits: core.limits)
  }

  func start(_ fault: MockFault?) {
    interest = .readable
    token = core.loop.watch(socket.descriptor, for: interest, self)
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

  /// Resets the connection by the client's first byte, or in a moment if that does not come.
  ///
  /// A reset that finds the client still connecting is a refusal to it, and at once it may or may not.
  private func scheduleReset() {
    phase = .resetting
    after(.milliseconds(200)) { $0.close(by: .server, resetting: true) }
  }

  /// Sends no more, and drops what comes until the client closes, or for so long as one takes to.
  func drain() {
    socket.finishSending()
    phase = .draining
    after(.seconds(2)) { $0.close(by: .server) }
  }

  /// Does something on the loop's thread after a time of the system's, not the test's, since it is no part
  /// of any story.
  private func after(_ delay: Duration, _ body: @escaping @Sendable (Connection) -> Void) {
    _ = LiveScheduler.live.schedule(after: delay) { [loop = core.loop, weak self] in
      guard let self else { return }
      loop.execute { body(self) }
    }
  }

  // MARK: Events

  func handle(_ readiness: Readiness) {
    wantsToWrite = false
    if interest.contains(.readable) {
      if readiness.intersection([.readable, .hangup, .broken]) != [] { receive() }
    } else if readiness.contains(.broken) {
      close(by: .client)
    } else if readiness.contains(.hangup) {
      endInput()
    }
    process()
  }

  private func receive() {
    switch socket.receive(core.scratch) {
    case .bytes(let count):
      if phase == .resetting { return close(by: .server, resetting: true) }
      guard phase != .draining else { return }
      machine.receive(UnsafeRawBufferPointer(rebasing: core.scratch[..<count]))
    case .wouldBlock: break
    case .ended: endInput()
    case .failed: close(by: .client)
    }
  }

  /// The client sends no more.
  ///
  /// One that still waits for the beginning of an answer, or for time to pass,
  /// is taken to be gone; one that is being written to gets the rest, if it is there.
  private func endInput() {
    inputHasEnded = true
    switch phase {
    case .handling, .stalled, .resetting: close(by: .client)
    case .playing: if player.isWaiting { close(by: .client) }
    case .draining: close(by: .server)
    case .receiving, .closed: break
    }
  }

  /// Does all that can be done now; called from what it calls itself it does nothing.
  func process() {
    guard !isProcessing else { return }
    isProcessing = true
    defer { isProcessing = false }
    var canContinue = true
    while canContinue {
      switch phase {
      case .receiving:
        if let event = machine.next() { take(event) } else { canContinue = false }
      case .playing: canContinue = advance()
      case .handling, .stalled, .resetting, .draining, .closed: canContinue = false
      }
    }
    if inputHasEnded {
      switch phase {
      case .receiving, .handling, .stalled, .resetting: close(by: .client)
      case .playing: if player.isWaiting { close(by: .client) }
      case .draining: close(by: .server)
      case .closed: break
      }
    }
    updateInterest()
  }

  private func updateInterest() {
    guard phase != .closed else { return }
    var wanted: Readiness = wantsToWrite ? .writable : []
    if !inputHasEnded {
      let acceptsInput =
        phase == .receiving || phase == .draining || machine.bufferedBytes < Self.bufferedBytes
      wanted.insert(acceptsInput ? .readable : .hangup)
    }
    guard wanted != interest else { return }
    interest = wanted
    core.loop.change(socket.descriptor, to: wanted, token)
  }

  // MARK: The end

  func close(by side: ClosedConnection.Side, resetting: Bool = false) {
    guard phase != .closed else { return }
    let isInside =
      switch phase {
      case .receiving: machine.isInsideRequest
      case .handling, .playing, .stalled: true
      case .resetting, .draining, .closed: false
      }
    phase = .closed
    report(side == .client ? .aborted : resetting ? .reset : .closed)
    player.cancel()
    core.loop.ignore(socket.descriptor, token)
    if resetting { socket.resetOnClose() }
    socket.close()
    endHandling()
    core.closed(self)
    let pending = pending.take()
    core.journal.closed(
      ClosedConnection(
        index: index, completedExchanges: completedExchanges, closedBy: side,
        wasInsideExchange: isInside))
    pending?.cancel()
  }

  func endHandling() {
    guard isHandling else { return }
    isHandling = false
    core.journal.endedHandling()
  }

  private static let bufferedBytes = 64 * 1024
}
