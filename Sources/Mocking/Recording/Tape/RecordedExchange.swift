import Foundation
import Networking
import Synchronization

/// An exchange that is being recorded, while its events go by.
final class RecordedExchange: Sendable {
  private struct State {
    var head: HTTPResponseHead?
    var body = Data()
    var byteCount = 0
  }

  /// Which of the tape's exchanges it is, in the order in which they began.
  let number: Int
  private let startedDateTime: String
  private let request: HAR.Request
  private let bodyLimit: Int
  private let state = Mutex(State())

  init(_ request: HTTPRequest, number: Int, options: Tape.Options) {
    self.number = number
    startedDateTime = HAR.Entry.timestamp(options.now())
    bodyLimit = options.bodyLimit
    self.request = HAR.Request(request, bodyLimit: options.bodyLimit)
  }

  /// Takes in an event.
  ///
  /// - Returns: how the exchange ended, once it has.
  func note(_ event: TransportEvent) -> Ending? {
    switch event {
    case .connected, .answered, .sent: break
    case .head(let head): state.withLock { $0.head = head }
    case .body(let bytes):
      state.withLock { state in
        state.byteCount += bytes.count
        if state.byteCount <= bodyLimit { state.body.append(bytes) } else { state.body = Data() }
      }
    case .end(let metrics): return Ending(metrics: metrics, failure: nil)
    case .failure(let failure): return Ending(metrics: failure.metrics, failure: failure)
    }
    return nil
  }

  struct Ending: Sendable {
    let metrics: TransportMetrics
    let failure: TransportFailure?
  }

  /// The exchange as it is written down, with all its secrets; and whether its body was too large.
  func entry(_ ending: Ending) -> (entry: HAR.Entry, isTooLarge: Bool) {
    let state = state.withLock { $0 }
    let response = HAR.Response(
      state.head, body: state.body, metrics: ending.metrics, failure: ending.failure)
    var request = request
    request.httpVersion = response.httpVersion
    let entry = HAR.Entry(
      startedDateTime: startedDateTime, request: request, response: response,
      timings: HAR.Timings(ending.metrics))
    return (entry, state.byteCount > bodyLimit)
  }
}
