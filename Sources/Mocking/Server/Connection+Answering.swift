import Foundation
import Networking
import Promises

extension Connection {
  /// Takes what the machine has made of the bytes.
  func take(_ event: RequestParser.Event) {
    switch event {
    case .head(let head): receiveBody(head)
    case .request(let body): handle(body)
    case .parseError(let parseError):
      let script = ResponseScript(
        .text("\(parseError.reason)\n", status: parseError.status),
        for: .init(keepsAlive: false, date: core.date.now()))
      begin(nil)
      play(script)
    }
  }

  private func receiveBody(_ head: RequestHead) {
    let routeSet = core.routeSet
    let outcome = routeSet.registry.table.find(head.method, head.target)
    self.head = head
    self.outcome = outcome
    self.routeSet = routeSet
    let isRouted = if case .routes = outcome { true } else { false }
    guard isRouted || core.queue.count > 0 else {
      if head.expectsContinue {
        // The answer is known without the body, which the client then need not send.
        self.head?.keepsAlive = false
        handle(RequestBody())
      } else {
        // For the journal.
        machine.receiveBody(.keep(upTo: min(core.limits.bodyBytes, core.limits.recordedBodyBytes)))
      }
      return
    }
    if head.expectsContinue, machine.bufferedBytes == 0 {
      // Nothing else is on its way out, so there is room; and a client goes on without it in the end.
      _ = Self.continueResponse.withUnsafeBytes { socket.send($0) }
    }
    machine.receiveBody(isRouted && outcome.discardsBody ? .discard : .collect)
  }

  private static let continueResponse = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

  /// Has a request answered.
  ///
  /// It is recorded once the handler has begun, with the first wait of an
  /// answer known to the scheduler, and before any byte is sent: so a test that has taken the request
  /// can advance the time.
  private func handle(_ body: RequestBody) {
    guard let head, let outcome, let routeSet else { return }
    var request = ReceivedRequest(
      method: head.method, target: head.target, path: outcome.path, headers: head.headers,
      trailers: body.trailers, body: body.data, bodyByteCount: body.byteCount,
      version: "1.\(head.minorVersion)", connection: index, exchange: exchange,
      time: core.scheduler.now)
    exchange += 1
    isHandling = true
    core.journal.beganHandling()
    begin(request)
    if let mock = core.queue.next() {
      ticket = core.requestJournal.record(.received(request))
      respond(mock, request)
    } else {
      respond(&request, outcome, routeSet)
    }
    core.journal.record(request)
  }

  private func respond(
    _ request: inout ReceivedRequest, _ outcome: RouteTable.Outcome, _ routeSet: RouteSet
  ) {
    switch outcome {
    case .response(let mock, _):
      ticket = core.requestJournal.record(.received(request))
      respond(mock, request)
    case .unmatched: respondUnmatched(request, routeSet)
    case .routes(let candidates, _):
      if let entry = routeSet.registry.choose(among: candidates, for: &request) {
        ticket = core.requestJournal.record(
          .received(request), route: routeSet.firstRoute + entry.number)
        invoke(entry.route.handler, request)
      } else {
        respondUnmatched(request, routeSet)
      }
    }
  }

  private func respondUnmatched(_ request: ReceivedRequest, _ routeSet: RouteSet) {
    ticket = core.requestJournal.record(.received(request))
    let mock = Mock.text("\(routeSet.registry.unmatched(request))\n", status: 404)
    respond(core.queue.exhausted(request) ?? mock, request)
  }

  private func invoke(_ handler: Route.Handler, _ request: ReceivedRequest) {
    do {
      switch handler {
      case .mock(let mock): respond(mock, request)
      case .immediate(let handler): respond(try handler(request), request)
      case .promised(let handler):
        follow(
          try ActivityExecutor.counting(for: core.scheduler) { try handler(request) }, request)
      }
    } catch {
      respond(.handlerFailed(error), request)
    }
  }

  private func follow(_ promise: Promise<Mock>, _ request: ReceivedRequest) {
    guard phase != .closed else { return promise.cancel() }
    phase = .handling
    pending = promise
    let exchange = exchange
    promise.always(on: .inline) { [self] result in
      // Until the waits of the answer are set.
      let ticket = core.scheduler.beginActivity()
      core.loop.execute {
        defer { ticket?.end() }
        guard self.phase == .handling, self.exchange == exchange else { return }
        self.pending = nil
        do {
          self.respond(try result.get(), request)
        } catch {
          self.respond(.handlerFailed(error), request)
        }
        self.process()
      }
    }
  }

  private func respond(_ mock: Mock, _ request: ReceivedRequest) {
    guard phase != .closed, let head else { return }
    let mock = resolved(mock, request)
    ticket?.settle(mock.error.map { .failure($0) } ?? .response(status: mock.status))
    let script = ResponseScript(
      mock,
      for: .init(
        method: head.method, minorVersion: head.minorVersion, keepsAlive: head.keepsAlive,
        date: core.date.now()))
    play(script)
  }

  private func resolved(_ mock: Mock, _ request: ReceivedRequest) -> Mock {
    // The request is here, so nothing is thrown.
    let resolution = try? routeSet?.mockResolver.resolve(
      mock, of: ticket?.route, method: request.method, path: { request.path.text },
      request: { request })
    switch resolution {
    case .mock(let mock): return mock
    case .invalid(let reason): return .unavailable(reason)
    case .fallsThrough, nil: return .text("\(Route.fallthroughMessage(request))\n", status: 404)
    }
  }

  // MARK: Playing

  func play(_ script: ResponseScript) {
    phase = .playing
    exchangeInProgress?.status = script.status
    exchangeInProgress?.headByteCount = script.headByteCount
    let number = player.begin(script.steps)
    player.schedule(on: core.scheduler) { [self] moment in
      core.loop.execute {
        guard self.phase == .playing, self.player.reached(moment, in: number) else { return }
        self.process()
      }
    }
  }

  /// Plays on; true when the phase has changed.
  func advance() -> Bool {
    switch player.advance(socket) {
    case .waits: return false
    case .blocked:
      wantsToWrite = true
      return false
    case .broken:
      close(by: .client)
    case .failed:
      close(by: .server)
    case .end(let ending): finish(ending)
    }
    return true
  }

  private func finish(_ ending: ResponseScript.Ending) {
    // A large body does not stay with an idle connection.
    player.cancel()
    switch ending {
    case .keepAlive:
      report(.complete)
      completedExchanges += 1
      endHandling()
      machine.responseSent()
      phase = .receiving
    case .finish:
      report(.complete)
      completedExchanges += 1
      endHandling()
      drain()
    case .close: close(by: .server)
    case .reset: close(by: .server, resetting: true)
    case .stall:
      report(.stalled)
      phase = .stalled
    }
  }

  // MARK: Reporting

  /// What is told of an exchange once it has ended.
  struct ExchangeInProgress {
    let request: ReceivedRequest?
    let began: Duration
    var status = 0
    var headByteCount = 0
  }

  private func begin(_ request: ReceivedRequest?) {
    guard core.onExchange != nil else { return }
    exchangeInProgress = ExchangeInProgress(request: request, began: core.scheduler.now)
  }

  /// Tells of the exchange under way, if there is one, and only once.
  func report(_ ending: ServedExchange.Ending) {
    guard let exchangeInProgress = exchangeInProgress.take() else { return }
    let sent = player.sentByteCount
    core.onExchange?(
      ServedExchange(
        request: exchangeInProgress.request, status: sent > 0 ? exchangeInProgress.status : nil,
        bodyByteCount: max(sent - exchangeInProgress.headByteCount, 0),
        duration: core.scheduler.now - exchangeInProgress.began, ending: ending))
  }
}
