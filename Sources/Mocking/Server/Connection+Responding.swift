import Foundation
import Networking
import Promises

extension Connection {
  func handle(_ event: RequestParser.Event) {
    switch event {
    case .head(let head): receiveBody(head)
    case .bodyPiece(let piece): startUpload(piece)
    case .request(let body): handle(body)
    case .parseError(let parseError): reject(parseError)
    }
  }

  /// Sends the response to a request that is malformed, too large or too slow.
  func reject(_ error: HTTPParseError) {
    if servedDraft == nil { beginServed(nil) }
    play(errorScript(error))
  }

  /// Returns the script of an error response, after which the connection closes.
  func errorScript(_ error: HTTPParseError) -> ResponseScript {
    var mock = Mock.text("\(error.reason)\n", status: error.status)
    let head = head ?? parser.rejectedHead
    if let head { core.cors.apply(to: &mock, for: head) }
    return ResponseScript(
      mock,
      for: .init(
        method: head?.method ?? .get, keepsAlive: false, date: core.date.now()))
  }

  /// Finds the routes for a request by its head, and sets how its body is received.
  private func receiveBody(_ head: RequestHead) {
    if let handler = core.reservedPath, handler.handles(head.target) {
      self.head = head
      return receiveReservedBody(head, handler)
    }
    let routes = core.activeRoutes
    let routing = routes.registry.find(head.method, head.target)
    self.head = head
    self.routing = routing
    self.routes = routes
    preflightResponse =
      routing.hasRouteForOptions ? nil : core.cors.preflightResponse(to: head)
    let isRouted = if case .routes = routing { true } else { false }
    guard preflightResponse == nil, isRouted || core.queue.count > 0 else {
      if head.expectsContinue {
        // The response does not depend on the body, so the client does not have to send it.
        self.head?.keepsAlive = false
        handle(RequestBody())
      } else if preflightResponse != nil {
        parser.receiveBody(.discard)
      } else {
        // Only the journal reads the body.
        parser.receiveBody(.keep(upTo: journalLimit))
      }
      return
    }
    let policy = bodyPolicy(of: head, for: routing, isRouted: isRouted)
    // A client that waits for permission does not have to send a body that is rejected.
    if head.expectsContinue, parser.bufferedBytes == 0, !parser.isTooLarge(head.framing, policy) {
      // The bytes fit into the send buffer, which is empty. If the call fails, clients send the
      // body after a timeout.
      _ = Self.continueHead.withUnsafeBytes { socket.send($0) }
    }
    parser.receiveBody(policy)
  }

  /// The maximum size of a body that only the journal keeps.
  private var journalLimit: Int { min(core.limits.bodyBytes, core.limits.journal.largestBody) }

  private func bodyPolicy(
    of head: RequestHead, for routing: RouteTable.Outcome, isRouted: Bool
  ) -> RequestParser.BodyPolicy {
    guard isRouted, head.framing != .none else { return .collect }
    if routing.discardsBody { return .discard }
    guard core.queue.count == 0 else { return .collect }
    if routing.forwardsBody { return .stream(after: Self.keptBytes) }
    return routing.readsBody || core.journal.isAwaited
      ? .collect : .limited(keep: journalLimit)
  }

  /// The maximum size of a forwarded body that is received completely before it is sent on.
  private static let keptBytes = 64 * 1024

  static let continueHead = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

  /// Records a request and starts its response.
  ///
  /// `takeRequest()` returns the request after the handler has started, or after it has returned
  /// and the delays of the response have been scheduled, but before any byte is sent. A test that
  /// has taken the request can therefore advance the time.
  func handle(_ body: RequestBody, stream: BodyStream? = nil) {
    if let head, let handler = reservedHandler.take() {
      return respond(to: head, body, by: handler)
    }
    guard let head, let routing, let routes else { return }
    requestBodyBytes = body.data.count
    var request = ReceivedRequest(
      method: head.method, target: head.target, path: routing.path, headers: head.headers,
      trailers: body.trailers, body: body.data, bodyByteCount: body.byteCount,
      version: "1.\(head.minorVersion)", connection: index, exchange: requestCount,
      time: core.scheduler.now)
    if core.tls != nil { request.scheme = "https" }
    requestCount += 1
    isRequestInProgress = true
    core.tracker.requestStarted()
    beginServed(request)
    if let mock = preflightResponse.take() { return respond(with: mock, to: request) }
    if isParsedInAdvance(request) { return parse(request) }
    if readsBody(request) {
      let reservation = BodyReservation(core.bodyBudget)
      guard request.content.reserve(for: request, in: reservation) else {
        return reject(bodyTooLarge(request, reservation))
      }
      self.reservation = reservation
    }
    respond(to: request, routing, routes, stream: stream)
  }

  /// Records a request and starts its response: the next enqueued mock, or that of a route.
  func respond(
    to request: ReceivedRequest, _ routing: RouteTable.Outcome, _ routes: ActiveRoutes,
    stream: BodyStream? = nil
  ) {
    var request = request
    let reporter: OutcomeReporter
    if let mock = core.queue.next() {
      reporter = record(request)
      respond(with: mock, to: request)
    } else {
      reporter = respondByRoute(to: &request, routing, routes, stream: stream)
    }
    core.journal.offer(reporter, whole: request)
  }

  private func record(
    _ request: ReceivedRequest, route: RegisteredRoute? = nil
  ) -> OutcomeReporter {
    let reporter = core.journal.record(.received(request), route: route)
    self.reporter = reporter
    return reporter
  }

  /// Records a request and starts the response of its route.
  ///
  /// Sets the path variables of the request.
  private func respondByRoute(
    to request: inout ReceivedRequest, _ routing: RouteTable.Outcome, _ routes: ActiveRoutes,
    stream: BodyStream?
  ) -> OutcomeReporter {
    switch routing {
    case .response(let mock, _):
      let reporter = record(request)
      respond(with: mock, to: request)
      return reporter
    case .unmatched: break
    case .routes(let candidates, _):
      guard
        let entry = routes.registry.choose(
          among: candidates, for: &request,
          values: { routes.mockResolver.values(on: core.scheduler) })
      else { break }
      let reporter = record(request, route: entry)
      servedDraft?.route = .init(entry.route)
      guard let stream else {
        run(entry.route.responder.handler, for: request)
        return reporter
      }
      // The journal does not retain the stream.
      var forwarded = request
      forwarded.stream = stream
      run(entry.route.responder.handler, for: forwarded)
      return reporter
    }
    let reporter = record(request)
    let mock =
      core.queue.responseIfExhausted(to: request)
      ?? routes.registry.disallowedResponse(to: request)
      ?? .text("\(routes.registry.unmatched(request))\n", status: 404)
    respond(with: mock, to: request)
    return reporter
  }

  private func run(_ handler: RouteResponder.Handler, for request: ReceivedRequest) {
    do {
      switch try handler(request, awaitedBy: core.scheduler) {
      case .mock(let mock): respond(with: mock, to: request)
      case .promise(let promise): respond(with: promise, to: request)
      }
    } catch {
      respond(with: .handlerFailed(error), to: request)
    }
  }

  private func respond(with promise: Promise<Mock>, to request: ReceivedRequest) {
    guard phase != .closed else { return promise.cancel() }
    phase = .handling
    pending = promise
    let requestCount = requestCount
    promise.always(on: .inline) { [self] result in
      // Virtual time does not advance until the delays of the response have been scheduled.
      let activity = core.scheduler.beginActivity()
      core.loop.execute {
        defer { activity?.end() }
        guard self.phase == .handling, self.requestCount == requestCount else { return }
        self.pending = nil
        do {
          self.respond(with: try result.get(), to: request)
        } catch {
          self.respond(with: .handlerFailed(error), to: request)
        }
        self.process()
      }
    }
  }

  private func respond(with mock: Mock, to request: ReceivedRequest) {
    guard phase != .closed else { return }
    let mock = resolved(mock, for: request)
    let behind = request.session.resources.flatMap { $0.isBehind ? $0 : nil }
    guard mock.hasFile || behind != nil else { return send(mock, to: request) }
    openFile(of: mock, for: request, saving: behind)
  }

  func send(_ mock: Mock, to request: ReceivedRequest) {
    guard let head else { return }
    if !mock.webhooks.isEmpty { prepareWebhooks(of: mock, for: request) }
    reporter?.report(mock.failure?.outcome ?? .response(status: mock.status))
    reporter?.responds(at: core.scheduler.now, after: mock.headDelay)
    servedDraft?.setResponse(mock)
    var sent = mock
    core.cors.apply(to: &sent, for: head)
    let script = ResponseScript(
      sent,
      for: .init(
        method: head.method, minorVersion: head.minorVersion, keepsAlive: head.keepsAlive,
        date: core.date.now()))
    play(script)
  }

  /// Returns the mock to send, after sequences, templates and files have been resolved.
  private func resolved(_ mock: Mock, for request: ReceivedRequest) -> Mock {
    // `try?` ignores no error: only `request` could throw, and this closure does not.
    let resolution = try? routes?.mockResolver.resolve(
      mock, of: reporter?.route, method: request.method, on: core.scheduler,
      path: { request.path.text }, request: { request })
    switch resolution {
    case .mock(let mock): return mock
    case .invalid(let reason): return .unavailable(reason)
    case .fallsThrough, nil: return .text("\(Route.fallthroughMessage(request))\n", status: 404)
    }
  }

  private func prepareWebhooks(of mock: Mock, for request: ReceivedRequest) {
    guard let values = routes?.mockResolver.values(on: core.scheduler) else { return }
    atEnd = { [webhooks = core.webhooks] in
      webhooks.start(mock.webhooks, for: request, after: mock.sentResponse, values)
    }
  }

  // MARK: Playing

  func play(_ script: ResponseScript) {
    phase = .playing
    servedDraft?.status = script.status
    servedDraft?.headByteCount = script.headByteCount
    servedDraft?.interimByteCount = script.interimByteCount
    var continueRelay: (@Sendable () -> Void)?
    if script.isRelayed {
      continueRelay = { [weak self] in
        guard let self else { return }
        core.loop.execute { self.process() }
      }
    }
    var readFile: ScriptPlayer.FileReader?
    if script.readsFile { readFile = { [unowned self] in self.readFile($0, $1, $2) } }
    let number = player.begin(script.steps, continueRelay: continueRelay, readFile: readFile)
    // `stop(draining:)` does not wait for a stream without an end.
    if script.isEndless { endRequest() }
    player.schedule(on: core.scheduler) { [self] moment in
      // Virtual time does not advance until the next item of a stream has been scheduled.
      let activity = core.scheduler.beginActivity()
      let isRunning = core.loop.execute {
        defer { activity?.end() }
        guard self.phase == .playing, self.player.reached(moment, in: number) else { return }
        self.process()
      }
      if !isRunning { activity?.end() }
    }
  }

  /// Continues to send the response.
  func advance() -> Progress {
    switch player.advance(socket) {
    case .waits: return .waits
    case .blocked: return .blocked
    case .broken:
      close(by: .client)
    case .failed:
      close(by: .server)
    case .end(let ending): finish(ending)
    }
    return .continues
  }

  private func finish(_ ending: ResponseScript.Ending) {
    // Releases the body. An idle connection would otherwise keep it in memory.
    player.cancel()
    switch ending {
    case .keepAlive where upload == nil:
      completeExchange()
      parser.responded()
      phase = .receiving
    // The rest of the request is discarded.
    case .keepAlive:
      endUpload()
      completeExchange()
      drain()
    case .finish:
      endUpload()
      completeExchange()
      drain()
    case .close: close(by: .server)
    case .reset: close(by: .server, resetting: true)
    case .stall:
      reportServed(.stalled)
      requestBodyBytes = 0
      reservation = nil
      phase = .stalled
    }
  }

  private func completeExchange() {
    reportServed(.complete)
    requestBodyBytes = 0
    reservation = nil
    head = nil
    reporter = nil
    completedExchanges += 1
    endRequest()
  }

  // MARK: Reporting

  private func beginServed(_ request: ReceivedRequest?) {
    guard core.onExchange != nil || core.journal.keepsResponses else { return }
    servedDraft = .init(request: request, start: core.scheduler.now)
  }

  /// Runs the action at the end of the current exchange, and reports the exchange to the journal and to
  /// the `onExchange` handler, once.
  func reportServed(_ ending: ServedExchange.Ending) {
    atEnd.take()?()
    guard let draft = servedDraft.take() else { return }
    let now = core.scheduler.now
    let exchange = ServedExchange(draft, ending, sentByteCount: player.sentByteCount, now: now)
    if let reporter, core.journal.keepsResponses {
      reporter.ended(
        JournalExchange.Response(
          status: exchange.status, headers: exchange.responseHeaders, body: exchange.responseBody,
          bodyByteCount: exchange.bodyByteCount, isComplete: ending == .complete),
        at: now)
    }
    core.onExchange?(exchange)
  }
}
