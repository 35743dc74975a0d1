import Foundation
import Networking
import Promises

/// The state of one exchange of a ``Connection``: a request and its response.
///
/// A connection has a new value before each request. Methods take an event and return the action
/// for the connection, which performs it. All members are used on the thread of the event loop.
struct ServerExchange {
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
  }

  /// The part of the server that responds.
  enum Target {
    case reservedPath(any ReservedPathHandler)
    case routes(RouteTable.Outcome, ActiveRoutes)
  }

  /// The response to a preflight request, indirect because the exchange is copied for each request.
  private indirect enum Preflight {
    case response(Mock)
  }

  /// The action after the head of a request.
  enum BodyAction {
    /// Receives the body.
    ///
    /// `isNeeded` is that of ``RequestParser/receiveBody(_:isNeeded:)``.
    case receive(RequestParser.BodyPolicy, isNeeded: Bool = false)
    /// Responds without the bytes of the body, and then closes the connection.
    case respond(RequestBody)
  }

  /// The action after the last step of a response.
  enum EndAction: Hashable {
    case receiveNextRequest
    /// Discards the rest of the input.
    case drain
    case close
    case reset
    case stall
  }

  private(set) var phase = Phase.receiving
  /// The head of the request.
  ///
  /// `nil` before it is received, and if it is malformed.
  private(set) var head: RequestHead?
  /// The part of the server that responds, or `nil` if there is no head.
  private(set) var target: Target?
  /// The response, if the request is a preflight request.
  var preflightResponse: Mock? {
    if case .response(let mock)? = preflight { mock } else { nil }
  }
  private var preflight: Preflight?
  /// The number of the request on its connection.
  private(set) var number = 0
  /// The number of bytes of the body after it has been received.
  private(set) var bodyByteCount = 0
  /// The memory for the decoded and parsed body.
  var reservation: BodyReservation?
  /// The body of a forwarded request that is still being received.
  var upload: BodyPipe?
  /// The promise of an asynchronous handler.
  var pending: Promise<Mock>?
  /// Whether the tracker counts the request as in progress.
  var isInProgress = false
  /// Reports the outcome of the request to the journal.
  var reporter: OutcomeReporter?
  /// The report on the exchange, if the server has an `onExchange` handler or a journal of responses.
  var draft: ServedExchange.Draft?
  /// An action at the end of the exchange, such as the start of the webhooks of the response.
  var atEnd: (() -> Void)?

  /// The routes that may respond, or `nil` for a reserved path.
  var routing: RouteTable.Outcome? {
    if case .routes(let routing, _)? = target { routing } else { nil }
  }

  /// The resolver of the responses, or `nil` for a reserved path.
  var resolver: MockResolver? {
    if case .routes(_, let routes)? = target { routes.mockResolver } else { nil }
  }

  /// The number of bytes that the body may use beyond the limit for all bodies.
  ///
  /// Requests below the reserved path may, so that a server whose bodies have reached the limit can
  /// be controlled.
  var additionalBodyRoom: Int {
    if case .reservedPath(let handler)? = target { handler.maximumBodyBytes } else { 0 }
  }

  // MARK: The request

  /// Receives the head of a request below the reserved path.
  ///
  /// A body that is declared as too large is not read.
  mutating func receive(_ head: RequestHead, for handler: any ReservedPathHandler) -> BodyAction {
    (self.head, target) = (head, .reservedPath(handler))
    guard case .sized(let length) = head.framing, length > handler.maximumBodyBytes else {
      return .receive(.keep(upTo: handler.maximumBodyBytes), isNeeded: true)
    }
    return respondWithoutBody(of: length)
  }

  /// Receives the head of another request.
  ///
  /// - Parameters:
  ///   - head: The head.
  ///   - routing: The routes for it.
  ///   - routes: The routes of the server.
  ///   - preflightResponse: The response, if it is a preflight request.
  ///   - journalLimit: The maximum size of a body that only the journal keeps.
  ///   - hasQueuedMocks: Whether an enqueued mock may respond.
  ///   - isAwaited: Whether a test waits for the request.
  /// - Returns: The action.
  mutating func receive(
    _ head: RequestHead, for routing: RouteTable.Outcome, of routes: ActiveRoutes,
    preflightResponse: Mock?, journalLimit: Int, hasQueuedMocks: @autoclosure () -> Bool,
    isAwaited: @autoclosure () -> Bool
  ) -> BodyAction {
    (self.head, target) = (head, .routes(routing, routes))
    preflight = preflightResponse.map { .response($0) }
    let isRouted = if case .routes = routing { true } else { false }
    guard preflightResponse == nil, isRouted || hasQueuedMocks() else {
      // The response does not depend on the body, so the client does not have to send it.
      if head.expectsContinue { return respondWithoutBody(of: 0) }
      // Only the journal reads the body.
      return .receive(preflightResponse == nil ? .keep(upTo: journalLimit) : .discard)
    }
    guard isRouted, head.framing != .none else { return .receive(.collect) }
    if routing.discardsBody { return .receive(.discard) }
    guard !hasQueuedMocks() else { return .receive(.collect) }
    if routing.forwardsBody { return .receive(.stream(after: Self.keptBytes)) }
    return .receive(routing.readsBody || isAwaited() ? .collect : .limited(keep: journalLimit))
  }

  private mutating func respondWithoutBody(of length: Int) -> BodyAction {
    head?.keepsAlive = false
    var body = RequestBody()
    body.byteCount = length
    return .respond(body)
  }

  /// Receives the body, or its first bytes if it is forwarded.
  mutating func receive(_ body: RequestBody, of number: Int) {
    bodyByteCount = body.data.count
    self.number = number
  }

  // MARK: The response

  /// Starts to wait for a handler.
  ///
  /// - Parameter promise: The response. `nil` for a handler with a completion.
  mutating func handle(_ promise: Promise<Mock>? = nil) {
    phase = .handling
    pending = promise
  }

  /// Starts to wait for work on another thread.
  mutating func open() { phase = .opening }

  /// Starts to send a response.
  mutating func play(_ script: ResponseScript) {
    phase = .playing
    draft?.status = script.status
    draft?.headByteCount = script.headByteCount
    draft?.interimByteCount = script.interimByteCount
  }

  /// Sends nothing more, because of a fault.
  mutating func stall() {
    phase = .stalled
    bodyByteCount = 0
    reservation?.release()
  }

  /// Checks that a result that arrives from elsewhere is that of this exchange.
  ///
  /// - Parameters:
  ///   - number: The number of the request that has started the work.
  ///   - phase: The phase that waits for the result.
  /// - Returns: Whether the exchange waits for it.
  func isWaiting(_ number: Int, in phase: Phase) -> Bool {
    self.phase == phase && self.number == number
  }

  /// Returns the action after the last step of a response.
  func end(_ ending: ResponseScript.Ending) -> EndAction {
    switch ending {
    // The rest of a request whose body is still being received is discarded.
    case .keepAlive: upload == nil ? .receiveNextRequest : .drain
    case .finish: .drain
    case .close: .close
    case .reset: .reset
    case .stall: .stall
    }
  }

  /// Checks whether the end of the client's input ends the exchange.
  ///
  /// If a handler is running or the response waits for a delay, the client counts as disconnected.
  /// A response that is being sent continues until its next delay.
  ///
  /// - Parameters:
  ///   - isParsed: Whether all input has been parsed.
  ///   - isDelayed: Whether the next step of the response waits for a delay.
  /// - Returns: Whether the connection closes.
  func endsWithInput(isParsed: Bool, isDelayed: Bool) -> Bool {
    switch phase {
    case .receiving: isParsed
    case .handling, .stalled: true
    case .playing: isDelayed
    case .opening: false
    }
  }

  /// The maximum size of a forwarded body that is received completely before it is sent on.
  private static let keptBytes = 64 * 1024
}
