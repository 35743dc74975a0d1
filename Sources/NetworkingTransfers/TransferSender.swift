import CatenaSystem
import Dispatch
import Foundation
import Networking
import Promises

/// The client as a transfer uses it: a sender of requests of one endpoint, with its retry policy.
struct TransferSender: Sendable {
  /// A request of a transfer.
  struct Message: Sendable {
    /// Changes the request of the endpoint.
    var change: @Sendable (Request) -> Request = { $0 }
    /// The destination, the progress and the changes of the wire request.
    ///
    /// The transfer sets the others.
    var options = CallOptions()
    /// The repetitions by the transfer.
    ///
    /// The client then sends the request once, so that repetitions do not multiply. `nil` leaves the
    /// repetitions to the client.
    var retries: TransferRetries?
  }

  let control: TransferControl
  /// The client's context at the beginning of the transfer.
  let context: RequestContext
  let retry: RetryPolicy
  /// Returns the base URL and the path of the endpoint's request, as far as they are known before it is
  /// built.
  let resource: @Sendable () throws -> String
  /// Adds a request to the client's queue.
  let start: @Sendable (_ message: Message) -> NetworkPromise

  var scheduler: any Scheduler { context.scheduler }

  /// Waits while the transfer is paused, and sends a request.
  ///
  /// - Parameter message: The request.
  /// - Returns: The response. That of a stream as soon as its head has arrived.
  /// - Throws: The error of the request.
  func send(_ message: Message) async throws -> Response {
    try await control.gate.pass()
    return try await start(message).value
  }

  /// Waits for a delay in the client's time.
  func sleep(_ delay: Duration) async throws {
    guard delay > .zero else { return }
    try await after(delay, scheduler: scheduler).value
  }
}

/// A response that is the result of a transfer, unless the retry policy repeats its request.
struct FinalResponse: Error {
  let response: Response
}

/// The decision whether a transfer goes on after a failure.
///
/// The retry policy limits the failures in a row. A failure after progress is the first of a new row,
/// and a connection that was lost during a pause does not count.
final class TransferRetries: Sendable {
  private struct State {
    var farthest: Int64 = 0
    /// The failures in a row.
    var attempts: [Attempt] = []
    var delay = Duration.zero
    var start: Duration
    /// The wire request of the last attempt.
    var sent: HTTPRequest?
  }

  private let sender: TransferSender
  private let state: Mutex<State>

  init(_ sender: TransferSender) {
    self.sender = sender
    state = Mutex(State(start: sender.scheduler.now))
  }

  /// Notes the wire request of an attempt.
  func note(_ request: HTTPRequest) { state.withLock { $0.sent = request } }

  /// Discards the bodies of responses after which the request is repeated.
  var discards: Discard { { head, _ in self.repeats(after: head) } }

  /// Returns whether the request is repeated after a response, from its head alone.
  private func repeats(after head: HTTPResponseHead) -> Bool {
    let (sent, number) = state.withLock { ($0.sent, $0.attempts.count + 1) }
    guard let sent, sender.retry.decidesByHead else { return false }
    let response = Response(head: head, request: sent)
    return delay(after: .success(response), of: sent, number: number) != nil
  }

  private func delay(
    after result: Result<Response, any Error>, of request: HTTPRequest, number: Int
  ) -> Duration? {
    sender.retry.delay(
      beforeRetry: number,
      after: FailedAttempt(
        number: number, request: request, result: result, at: sender.context.wallClock()))
  }

  /// Waits before the next attempt.
  ///
  /// - Parameters:
  ///   - error: The error of the attempt, or its ``FinalResponse``.
  ///   - request: The wire request of the attempt. `nil` if it must not be repeated.
  ///   - bytes: The number of bytes so far that need not be transferred again.
  ///   - pauses: The number of pauses before the attempt.
  /// - Throws: The error with the attempts, if the policy allows no further one.
  func wait(
    after error: any Error, of request: HTTPRequest?, at bytes: Int64, pauses: Int
  ) async throws {
    try Task.checkCancellation()
    let gate = sender.control.gate
    let result: Result<Response, any Error>
    switch error {
    case let final as FinalResponse: result = .success(final.response)
    case let failure as NetworkError where failure.code.isConnectionFailure:
      if gate.pauses != pauses { return try await gate.pass() }
      result = .failure(failure)
    default: throw error
    }
    let now = sender.scheduler.now
    let attempts = state.withLock { state in
      if bytes > state.farthest { (state.farthest, state.attempts) = (bytes, []) }
      state.attempts.append(
        Attempt(
          number: state.attempts.count + 1, delay: state.delay, duration: now - state.start,
          outcome: Attempt.Outcome(result)))
      return state.attempts
    }
    guard let request, let delay = delay(after: result, of: request, number: attempts.count)
    else {
      if case .success(let response) = result {
        throw FinalResponse(response: attempts.count > 1 ? response.after(attempts) : response)
      }
      throw (error as? NetworkError)?.after(attempts) ?? error
    }
    try await sender.sleep(delay)
    try await gate.pass()
    let start = sender.scheduler.now
    state.withLock { ($0.delay, $0.start) = (delay, start) }
  }
}

/// A serial queue for operations on files, which may block.
///
/// Virtual time does not advance while an operation runs.
final class FileQueue: Sendable {
  private let queue = DispatchQueue(label: "Catena.Transfer")
  private let scheduler: any Scheduler

  init(_ scheduler: any Scheduler) {
    self.scheduler = scheduler
  }

  /// Runs an operation on the queue.
  ///
  /// It runs even if the task is cancelled.
  ///
  /// - Parameter operation: The operation.
  /// - Returns: Its result.
  /// - Throws: Its error.
  func run<Value: Sendable>(
    _ operation: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    let activity = scheduler.beginActivity()
    return try await withCheckedThrowingContinuation { continuation in
      queue.async {
        continuation.resume(with: Result(catching: operation))
        activity?.end()
      }
    }
  }
}
