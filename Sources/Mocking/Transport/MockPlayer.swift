import CatenaSystem
import Foundation
import Networking
import Promises

/// A player that responds with ``Mock``s in memory, for transports and providers.
struct MockPlayer: Sendable {
  typealias Receive = @Sendable (TransportEvent) -> Void

  let mockResolver: MockResolver
  let webhooks = WebhookSender()
  private let validFields = ValidFields()
  /// The scheduler of the user, or the one of the scope in which the player was created.
  private let ownScheduler: any Scheduler
  private let isSchedulerFixed: Bool

  /// Creates a player.
  ///
  /// - Parameters:
  ///   - delay: The default delay.
  ///   - scheduler: The clock for all requests; `nil` for the clock of the scope of each request.
  ///   - seed: The seed of the random numbers; `nil` for a random seed.
  init(delay: MockDelay, scheduler: (any Scheduler)?, seed: UInt64?) {
    mockResolver = MockResolver(delay: delay, random: SeededRandom(seed: seed))
    ownScheduler = scheduler ?? LiveScheduler.live
    isSchedulerFixed = scheduler != nil
  }

  /// The clock for a request that is made by the caller.
  ///
  /// Without a fixed clock it is the virtual time of the caller's scope, if there is one. A player
  /// that several tests share, such as that of a global provider, thus has the time of each test.
  var scheduler: any Scheduler {
    isSchedulerFixed ? ownScheduler : LiveScheduler.virtualTime ?? ownScheduler
  }

  /// Checks a request before it is sent.
  ///
  /// - Throws: The failure that a transport reports for a request that it cannot send.
  func validate(_ request: HTTPRequest) throws(TransportFailure) {
    try request.validateForSending(except: validFields)
  }

  /// Responds to a request with a mock.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - mock: The mock.
  ///   - reporter: The reporter of the outcome to the journal.
  ///   - scheduler: The clock for the request.
  ///   - idleTime: The time that the client has already waited for the response.
  ///   - received: Returns the request for a template. Called only if the mock has one.
  ///   - receive: The receiver of the events.
  ///   - fallThrough: Starts another exchange. Called if the mock is a sequence that falls through.
  /// - Returns: A handle for the exchange.
  func respond(
    _ request: HTTPRequest, by mock: Mock, _ reporter: OutcomeReporter,
    on scheduler: any Scheduler, idleFor idleTime: Duration = .zero,
    received: () throws(TransportFailure) -> ReceivedRequest, _ receive: @escaping Receive,
    fallThrough: () -> any TransportHandle
  ) -> any TransportHandle {
    do throws(TransportFailure) {
      // Fast path: most mocks are played unchanged and are not copied.
      if mockResolver.needsNoResolution(mock) {
        return try play(mock, request, reporter, scheduler, idleTime, receive)
      }
      let resolution = try mockResolver.resolve(
        mock, of: reporter.route, method: request.method, on: scheduler,
        path: { request.url.path(percentEncoded: true) },
        request: received)
      switch resolution {
      case .mock(var mock):
        if mock.hasFile { mock = try Self.openingFile(of: mock, request.method, received) }
        let receive =
          mock.webhooks.isEmpty
          ? receive : startingWebhooks(of: mock, for: try received(), on: scheduler, receive)
        return try play(mock, request, reporter, scheduler, idleTime, receive)
      case .invalid(let reason): throw TransportFailure(code: .mockFailed, detail: reason)
      case .fallsThrough: return fallThrough()
      }
    } catch {
      reporter.report(.failure(error.code))
      return fail(error, receive)
    }
  }

  /// Returns a mock with the contents of its file.
  private static func openingFile(
    of mock: Mock, _ method: HTTPMethod,
    _ received: () throws(TransportFailure) -> ReceivedRequest
  ) throws(TransportFailure) -> Mock {
    // The request is not read for a single file and a method without conditions and ranges.
    let request = method == .get || method == .head || mock.hasFolder ? try received() : nil
    do throws(MockFile.ReadError) {
      return try mock.openingFile(for: request)
    } catch {
      throw TransportFailure(code: .mockFailed, detail: error.reason)
    }
  }

  /// Returns a receiver that starts the webhooks of a mock at the end of the exchange.
  private func startingWebhooks(
    of mock: Mock, for request: ReceivedRequest, on scheduler: any Scheduler,
    _ receive: @escaping Receive
  ) -> Receive {
    let values = mockResolver.values(on: scheduler)
    return { [webhooks] event in
      receive(event)
      switch event {
      case .end, .failure:
        webhooks.start(mock.webhooks, for: request, after: mock.sentResponse, values)
      case .connected, .servedLocally, .sent, .head, .body, .trailers: break
      }
    }
  }

  /// Returns the generated values for templates.
  ///
  /// - Parameter scheduler: The clock of the request.
  /// - Returns: The values.
  func values(on scheduler: any Scheduler) -> TemplateValues {
    mockResolver.values(on: scheduler)
  }

  /// Delivers a failure immediately.
  func fail(_ failure: TransportFailure, _ receive: Receive) -> any TransportHandle {
    receive(.failure(failure))
    return FinishedHandle()
  }

  private func play(
    _ mock: Mock, _ request: HTTPRequest, _ reporter: OutcomeReporter,
    _ scheduler: any Scheduler, _ idleTime: Duration, _ receive: @escaping Receive
  ) throws(TransportFailure) -> any TransportHandle {
    guard let bytesToSend = request.body.byteCount else { throw request.body.readFailure }
    if request.options.reportsConnection { receive(.servedLocally(by: "mock")) }
    if mock.isImmediate {
      reporter.report(.response(status: mock.status))
      Self.deliver(mock, request.method, bytesToSend, receive)
      return FinishedHandle()
    }
    let machine = PlaybackMachine(
      Self.steps(mock, request.method, bytesToSend), for: request, idleFor: idleTime)
    let exchange = MockExchange(machine, scheduler, reporter.reportingOutcome(to: receive))
    exchange.play()
    return exchange
  }

  /// Delivers all events of an immediate response.
  private static func deliver(
    _ mock: Mock, _ method: HTTPMethod, _ bytesToSend: Int64, _ receive: Receive
  ) {
    if bytesToSend > 0 { receive(.sent(bytes: bytesToSend, total: bytesToSend)) }
    let isBodiless = mock.isBodiless
    let body: Data = if case .data(let data) = mock.body { data } else { Data() }
    var headers = mock.headers
    if headers.contains(where: {
      $0.value.trimmingOptionalWhitespace.utf8.count != $0.value.utf8.count
    }) {
      headers = HTTPHeaders(
        headers.map { .init(name: $0.name, value: $0.value.trimmingOptionalWhitespace) })
    }
    if !isBodiless { headers.add(String(body.count), for: "Content-Length") }
    receive(.head(HTTPResponseHead(status: mock.status, headers: headers)))
    let hasBody = !body.isEmpty && !isBodiless && method != .head
    if hasBody { receive(.body(body)) }
    receive(
      .end(
        TransportMetrics(
          firstByte: .zero, bytesSent: bytesToSend, bytesReceived: hasBody ? Int64(body.count) : 0))
    )
  }

  /// Returns the playback steps for a mock that is not immediate.
  ///
  /// They have the same order and the same times as on a connection.
  private static func steps(
    _ mock: Mock, _ method: HTTPMethod, _ bytesToSend: Int64
  ) -> [PlaybackMachine.Step] {
    var steps: [PlaybackMachine.Step] = []
    var begin = Duration.zero
    if bytesToSend > 0 {
      var sent: Int64 = 0
      if case .throughput = mock.pace, let pieces = mock.pace?.pieces(of: Int(bytesToSend)) {
        for piece in pieces {
          sent += Int64(piece.byteCount)
          begin = piece.moment
          steps += [.wait(until: begin), .sent(sent, of: bytesToSend)]
        }
      } else {
        steps.append(.sent(bytesToSend, of: bytesToSend))
      }
    }
    if let failure = mock.failure {
      return steps + [.wait(until: begin + mock.headDelay), .fail(TransportFailure(failure))]
    }
    for step in ResponseScript(mock, for: .init(method: method)).steps {
      switch step {
      case .wait(let moment): steps.append(.wait(until: begin + moment))
      case .send(let segment): steps.append(.bytes(segment))
      case .stream(let cursor): steps.append(.stream(cursor.delayed(by: begin)))
      case .relay: break  // The body is in memory; see `Mock.withRelayedBodyInMemory()`.
      case .end(let ending): steps.append(.end(ending))
      }
    }
    return steps
  }
}

extension Mock {
  /// Whether the mock is a complete response that sets no delay, pace, fault or framing.
  fileprivate var isImmediate: Bool {
    switch body {
    case .none, .data: break
    case .chunks, .generated, .file, .stream: return false
    }
    guard interimResponses.isEmpty, trailers.isEmpty else { return false }
    return failure == nil && pace == nil && interruption == nil && bodyDelay == nil
      && headDelay == .zero && (200...999).contains(status) && !isFramed && validationError == nil
  }
}

/// A mocked exchange: a ``PlaybackMachine`` behind a lock, with a clock and a receiver.
final class MockExchange: TransportHandle {
  private struct State {
    var machine: PlaybackMachine
    var timer: ScheduledAction?
  }

  private let state: Mutex<State>
  private let scheduler: any Scheduler
  private let start: Duration
  private let receive: @Sendable (TransportEvent) -> Void

  init(
    _ machine: PlaybackMachine, _ scheduler: any Scheduler,
    _ receive: @escaping @Sendable (TransportEvent) -> Void
  ) {
    state = Mutex(State(machine: machine))
    self.scheduler = scheduler
    self.receive = receive
    start = scheduler.now
  }

  func cancel() {
    play { $0.cancel() }
  }

  func suspend() {
    state.withLock { $0.machine.suspend() }
  }

  func resume() {
    let moment = scheduler.now - start
    play { $0.resume(at: moment) }
  }

  /// Updates the machine and performs its actions, unless another call performs them already.
  func play(_ update: (inout PlaybackMachine) -> Void = { _ in }) {
    let begins = state.withLock { state in
      update(&state.machine)
      return state.machine.begin()
    }
    guard begins else { return }
    while true {
      switch state.withLock({ $0.machine.next() }) {
      case .deliver(let event): receive(event)
      case .finish(let event):
        state.withLock { $0.timer.take() }?.cancel()
        return receive(event)
      case .generate(let range, let make):
        let data = make(range)
        state.withLock { $0.machine.generated(data, of: range) }
      case .wait(let moment): return wait(until: moment)
      case .idle: return
      }
    }
  }

  private func wait(until moment: Duration) {
    let delay = start + moment - scheduler.now
    guard delay > .zero else { return play { $0.reached(moment) } }
    let timer = scheduler.schedule(after: delay) { [self] in play { $0.reached(moment) } }
    let staleTimer = state.withLock { state -> ScheduledAction? in
      // The timer may have fired already, and a later timer may be stored.
      guard !state.machine.isOver, state.machine.awaitedMoment == moment else { return timer }
      defer { state.timer = timer }
      return state.timer
    }
    staleTimer?.cancel()
  }
}
