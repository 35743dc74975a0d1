import Foundation
import Networking
import Promises
import Synchronization

/// Gives one answer, after its time, as a real transport would: head, body, end.
struct MockTransport: Transport {
  let mock: Mock
  let delay: Duration
  let scheduler: any Scheduler

  func start(
    _ request: HTTPRequest, _ receive: @escaping @Sendable (TransportEvent) -> Void
  ) -> any TransportHandle {
    let answer = Answer(mock, to: request, receive)
    guard delay > .zero else {
      answer.give()
      return answer
    }
    answer.wait(for: scheduler.schedule(after: delay) { answer.give() })
    return answer
  }

  /// The one answer to one request: given, or taken back before that.
  private final class Answer: TransportHandle {
    private struct State {
      var isOver = false
      var timer: ScheduledAction?
    }

    private let mock: Mock
    private let request: HTTPRequest
    private let receive: @Sendable (TransportEvent) -> Void
    private let state = Mutex(State())

    init(
      _ mock: Mock, to request: HTTPRequest, _ receive: @escaping @Sendable (TransportEvent) -> Void
    ) {
      self.mock = mock
      self.request = request
      self.receive = receive
    }

    func wait(for timer: ScheduledAction) {
      let isOver = state.withLock { state in
        if !state.isOver { state.timer = timer }
        return state.isOver
      }
      if isOver { timer.cancel() }
    }

    func give() {
      guard end() else { return }
      switch mock.outcome {
      case .response(let head, let body):
        let sent = request.body.byteCount ?? 0
        if sent > 0 { receive(.sent(bytes: sent, total: sent)) }
        receive(.head(head))
        let hasBody = request.method != .head && !body.isEmpty
        if hasBody { receive(.body(body)) }
        receive(
          .end(
            TransportMetrics(bytesSent: sent, bytesReceived: hasBody ? Int64(body.count) : 0)))
      case .failure(let code): receive(.failure(TransportFailure(code: code, detail: "mocked")))
      case .broken(let reason):
        receive(.failure(TransportFailure(code: .encodingFailed, detail: reason)))
      }
    }

    func cancel() {
      guard end() else { return }
      receive(.failure(TransportFailure(code: .cancelled)))
    }

    func suspend() {}
    func resume() {}

    /// True for the first call; whatever timer there is has no more to do.
    private func end() -> Bool {
      let (isFirst, timer) = state.withLock { state in
        defer { state.isOver = true }
        return (!state.isOver, state.timer.take())
      }
      timer?.cancel()
      return isFirst
    }
  }
}
