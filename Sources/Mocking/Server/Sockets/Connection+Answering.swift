import Foundation
import Networking
import Promises

extension Connection {
  /// Takes what the machine has made of the bytes.
  func take(_ event: RequestMachine.Event) {
    switch event {
    case .head(let head): admit(head)
    case .request(let body): handle(body)
    case .refusal(let refusal):
      play(
        ResponseScript(
          .text("\(refusal.reason)\n", status: refusal.status),
          for: .init(keepsAlive: false)
        ).steps)
    }
  }

  private func admit(_ head: RequestHead) {
    let outcome = core.book.table.find(head.method, head.target)
    self.head = head
    self.outcome = outcome
    guard case .routes = outcome else {
      if head.expectsContinue {
        // The answer is known without the body, which the client then need not send.
        self.head?.keepsAlive = false
        handle(RequestBody())
      } else {
        machine.admit(.discard)
      }
      return
    }
    if head.expectsContinue, machine.bufferedBytes == 0 {
      // Nothing else is on its way out, so there is room; and a client goes on without it in the end.
      _ = Self.goOn.withUnsafeBytes { socket.send($0) }
    }
    machine.admit(outcome.discardsBody ? .discard : .collect)
  }

  private static let goOn = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

  /// Has a request answered.
  ///
  /// It is recorded once the handler has begun, with the first wait of an
  /// answer known to the scheduler, and before any byte is sent: so a test that has taken the request
  /// can advance the time.
  private func handle(_ body: RequestBody) {
    guard let head, let outcome else { return }
    var request = ReceivedRequest(
      method: head.method, target: head.target, path: outcome.path, headers: head.headers,
      trailers: body.trailers, body: body.data, bodyByteCount: body.byteCount,
      version: "1.\(head.minorVersion)", connection: index, exchange: exchange,
      time: core.scheduler.now)
    exchange += 1
    isHandling = true
    core.journal.beganHandling()
    switch outcome {
    case .answer(let mock, _):
      ticket = core.requestJournal.record(.received(request))
      answer(mock, request)
    case .unmatched: answerUnmatched(request)
    case .routes(let candidates, _):
      if let entry = core.book.choose(among: candidates, for: &request) {
        ticket = core.requestJournal.record(.received(request), route: entry.number)
        ask(entry.route.handler, request)
      } else {
        answerUnmatched(request)
      }
    }
    core.journal.record(request)
  }

  private func answerUnmatched(_ request: ReceivedRequest) {
    ticket = core.requestJournal.record(.received(request))
    answer(.text("\(core.book.unmatched(request))\n", status: 404), request)
  }

  private func ask(_ handler: Route.Handler, _ request: ReceivedRequest) {
    do {
      switch handler {
      case .mock(let mock): answer(mock, request)
      case .immediate(let handler): answer(try handler(request), request)
      case .promised(let handler): follow(try handler(request), request)
      }
    } catch {
      answer(.handlerFailed(error), request)
    }
  }

  private func follow(_ promise: Promise<Mock>, _ request: ReceivedRequest) {
    guard phase != .closed else { return promise.cancel() }
    phase = .handling
    pending = promise
    let exchange = exchange
    promise.always(on: .inline) { [self] result in
      core.loop.execute {
        guard self.phase == .handling, self.exchange == exchange else { return }
        self.pending = nil
        do {
          self.answer(try result.get(), request)
        } catch {
          self.answer(.handlerFailed(error), request)
        }
        self.turn()
      }
    }
  }

  private func answer(_ mock: Mock, _ request: ReceivedRequest) {
    guard phase != .closed, let head else { return }
    let mock = finished(mock, request)
    ticket?.settle(mock.error.map { .failure($0) } ?? .response(status: mock.status))
    let script = ResponseScript(
      mock,
      for: .init(
        method: head.method, minorVersion: head.minorVersion, keepsAlive: head.keepsAlive))
    play(script.steps)
  }

  private func finished(_ mock: Mock, _ request: ReceivedRequest) -> Mock {
    // The request is here, so nothing is thrown.
    let answer = try? core.ledger.answer(
      mock, method: request.method, path: { request.path.text }, request: { request })
    switch answer {
    case .mock(let mock): return mock
    case .broken(let reason): return .unavailable(reason)
    case .fallsThrough, nil: return .text("\(Route.fallenThrough(request))\n", status: 404)
    }
  }

  // MARK: Playing

  func play(_ steps: [ResponseScript.Step]) {
    phase = .playing
    let number = player.begin(steps)
    player.schedule(on: core.scheduler) { [self] moment in
      core.loop.execute {
        guard self.phase == .playing, self.player.reached(moment, in: number) else { return }
        self.turn()
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
      completedExchanges += 1
      endHandling()
      machine.answered()
      phase = .receiving
    case .finish:
      completedExchanges += 1
      endHandling()
      socket.finishSending()
      phase = .draining
      // Of the system's time, not the test's: this is no part of any story.
      _ = LiveScheduler.live.schedule(after: .seconds(2)) { [loop = core.loop, weak self] in
        guard let self else { return }
        loop.execute { self.close(by: .server) }
      }
    case .close: close(by: .server)
    case .reset: close(by: .server, resetting: true)
    case .stall: phase = .stalled
    }
  }
}
