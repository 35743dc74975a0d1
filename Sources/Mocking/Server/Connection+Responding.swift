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
    if exchange.draft == nil { beginReport(on: nil) }
    play(errorScript(error))
  }

  /// Returns the script of an error response, after which the connection closes.
  func errorScript(_ error: HTTPParseError) -> ResponseScript {
    var mock = Mock.text("\(error.reason)\n", status: error.status)
    let head = exchange.head ?? parser.rejectedHead
    if let head { core.cors.apply(to: &mock, for: head) }
    return ResponseScript(
      mock,
      for: .init(
        method: head?.method ?? .get, keepsAlive: false, date: core.date.now()))
  }

  /// Finds the routes for a request by its head, and sets how its body is received.
  private func receiveBody(_ head: RequestHead) {
    switch bodyAction(for: head) {
    case .respond(let body): handle(body)
    case .receive(let policy, let isNeeded):
      // A client that waits for permission does not have to send a body that is rejected.
      if head.expectsContinue, parser.bufferedBytes == 0, !parser.isTooLarge(head.framing, policy) {
        // The bytes fit into the send buffer, which is empty. If the call fails, clients send the
        // body after a timeout.
        _ = Self.continueHead.withUnsafeBytes { socket.send($0) }
      }
      parser.receiveBody(policy, isNeeded: isNeeded)
    }
  }

  private func bodyAction(for head: RequestHead) -> ServerExchange.BodyAction {
    if let handler = core.reservedPath, handler.handles(head.target) {
      return exchange.receive(head, for: handler)
    }
    let routes = core.activeRoutes
    let routing = routes.registry.find(head.method, head.target)
    return exchange.receive(
      head, for: routing, of: routes,
      preflightResponse: routing.hasRouteForOptions ? nil : core.cors.preflightResponse(to: head),
      journalLimit: min(core.limits.bodyBytes, core.limits.journal.largestBody),
      hasQueuedMocks: core.queue.count > 0, isAwaited: core.journal.isAwaited)
  }

  private static let continueHead = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

  /// Records a request and starts its response.
  ///
  /// `takeRequest()` returns the request after the handler has started, or after it has returned
  /// and the delays of the response have been scheduled, but before any byte is sent. A test that
  /// has taken the request can therefore advance the time.
  func handle(_ body: RequestBody, stream: BodyStream? = nil) {
    guard let head = exchange.head, let target = exchange.target else { return }
    switch target {
    case .reservedPath(let handler): respond(to: head, body, by: handler)
    case .routes(let routing, let routes):
      var request = receivedRequest(head, body, at: routing.path)
      if core.tls != nil { request.scheme = "https" }
      request.clientAddress = clientAddress
      exchange.isInProgress = true
      core.tracker.requestStarted()
      beginReport(on: request)
      if let mock = exchange.preflightResponse { return respond(with: mock, to: request) }
      if stream == nil, isParsedInAdvance(request) { return parse(request) }
      if readsBody(request) {
        let reservation = BodyReservation(core.bodyBudget)
        guard request.content.reserve(for: request, in: reservation) else {
          return reject(bodyTooLarge(request, reservation))
        }
        exchange.reservation = reservation
      }
      respond(to: &request, routing, routes, stream: stream)
    }
  }

  /// Counts a request and returns it.
  private func receivedRequest(
    _ head: RequestHead, _ body: RequestBody, at path: ReceivedPath
  ) -> ReceivedRequest {
    let number = requestCount
    requestCount += 1
    exchange.receive(body, of: number)
    return ReceivedRequest(
      method: head.method, target: head.target, path: path, headers: head.headers,
      trailers: body.trailers, body: body.data, bodyByteCount: body.byteCount,
      version: "1.\(head.minorVersion)", connection: index, exchange: number,
      time: core.scheduler.now)
  }

  /// Starts the response to a request below the reserved path.
  private func respond(
    to head: RequestHead, _ body: RequestBody, by handler: any ReservedPathHandler
  ) {
    let request = receivedRequest(head, body, at: ReceivedPath(of: head.target))
    exchange.handle()
    let number = exchange.number
    handler.respond(to: request) { [self] response in
      resume(number, in: .handling) {
        self.exchange.atEnd = response.atEnd
        self.play(self.script(of: response.mock))
      }
    }
  }

  /// Records a request and starts its response: the next enqueued mock, or that of a route.
  ///
  /// Sets the path variables of the request.
  func respond(
    to request: inout ReceivedRequest, _ routing: RouteTable.Outcome, _ routes: ActiveRoutes,
    stream: BodyStream? = nil
  ) {
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
    let reporter = core.journal.record(.storing(request), route: route)
    exchange.reporter = reporter
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
      exchange.draft?.route = .init(entry.route)
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
    exchange.handle(promise)
    let number = exchange.number
    promise.always(on: .inline) { [self] result in
      // Virtual time does not advance until the delays of the response have been scheduled.
      resume(number, in: .handling, during: core.scheduler.beginActivity()) {
        _ = self.exchange.pending.take()
        do {
          self.respond(with: try result.get(), to: request)
        } catch {
          self.respond(with: .handlerFailed(error), to: request)
        }
      }
    }
  }

  /// Continues an exchange on the thread of the loop, unless it has ended.
  ///
  /// - Parameters:
  ///   - number: The number of the request.
  ///   - phase: The phase that waits.
  ///   - activity: An activity that ends when the closure has returned.
  ///   - body: A closure that continues the exchange.
  func resume(
    _ number: Int, in phase: ServerExchange.Phase, during activity: ActivityToken? = nil,
    _ body: @escaping @Sendable () -> Void
  ) {
    core.execute(during: activity) { [self] in
      guard exchange.isWaiting(number, in: phase) else { return }
      body()
      process()
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
    guard let head = exchange.head else { return }
    if !mock.webhooks.isEmpty { prepareWebhooks(of: mock, for: request) }
    exchange.reporter?.report(mock.failure?.outcome ?? .response(status: mock.status))
    exchange.reporter?.responds(at: core.scheduler.now, after: mock.headDelay)
    exchange.draft?.setResponse(mock)
    guard core.cors != .off else { return play(script(of: mock)) }
    var sent = mock
    core.cors.apply(to: &sent, for: head)
    play(script(of: sent))
  }

  private func script(of mock: Mock) -> ResponseScript {
    ResponseScript(
      mock,
      for: .init(
        method: exchange.head?.method ?? .get, minorVersion: exchange.head?.minorVersion ?? 1,
        keepsAlive: exchange.head?.keepsAlive ?? false, date: core.date.now()))
  }

  /// Returns the mock to send, after sequences, templates and files have been resolved.
  private func resolved(_ mock: Mock, for request: ReceivedRequest) -> Mock {
    if exchange.resolver?.needsNoResolution(mock) == true { return mock }
    // `try?` ignores no error: only `request` could throw, and this closure does not.
    let resolution = try? exchange.resolver?.resolve(
      mock, of: exchange.reporter?.route, method: request.method, on: core.scheduler,
      path: { request.path.text }, request: { request })
    switch resolution {
    case .mock(let mock): return mock
    case .invalid(let reason): return .unavailable(reason)
    case .fallsThrough, nil: return .text("\(Route.fallthroughMessage(request))\n", status: 404)
    }
  }

  private func prepareWebhooks(of mock: Mock, for request: ReceivedRequest) {
    guard let values = exchange.resolver?.values(on: core.scheduler) else { return }
    exchange.atEnd = { [webhooks = core.webhooks] in
      webhooks.start(mock.webhooks, for: request, after: mock.sentResponse, values)
    }
  }

  // MARK: Playing

  func play(_ script: ResponseScript) {
    exchange.play(script)
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
    guard script.isTimed else { return }
    player.schedule(on: core.scheduler) { [self] moment in
      // Virtual time does not advance until the next item of a stream has been scheduled.
      core.execute(during: core.scheduler.beginActivity()) {
        guard self.exchange.phase == .playing, self.player.reached(moment, in: number) else {
          return
        }
        self.process()
      }
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
    switch exchange.end(ending) {
    case .receiveNextRequest:
      completeExchange()
      parser.responded()
    case .drain:
      endUpload()
      completeExchange()
      drain()
    case .close: close(by: .server)
    case .reset: close(by: .server, resetting: true)
    case .stall:
      report(.stalled)
      exchange.stall()
    }
  }

  // MARK: Reporting

  private func beginReport(on request: ReceivedRequest?) {
    guard core.onExchange != nil || core.journal.keepsResponses else { return }
    exchange.draft = .init(request: request, start: core.scheduler.now)
  }

  /// Runs the action at the end of the current exchange, and reports the exchange to the journal and to
  /// the `onExchange` handler, once.
  func report(_ ending: ServedExchange.Ending) {
    exchange.atEnd.take()?()
    guard let draft = exchange.draft.take() else { return }
    let now = core.scheduler.now
    let served = ServedExchange(draft, ending, sentByteCount: player.sentByteCount, now: now)
    if let reporter = exchange.reporter, core.journal.keepsResponses {
      reporter.ended(
        JournalExchange.Response(
          status: served.status, headers: served.responseHeaders, body: served.responseBody,
          bodyByteCount: served.bodyByteCount, isComplete: ending == .complete),
        at: now)
    }
    core.onExchange?(served)
  }
}
