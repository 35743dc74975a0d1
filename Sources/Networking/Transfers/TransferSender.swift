import Dispatch
import Foundation
import Promises
import Synchronization

/// The client as a transfer uses it: a sender of requests of one endpoint, with its retry policy.
struct TransferSender: Sendable {
  /// A request of a transfer.
  struct Message: Sendable {
    /// Changes the request of the endpoint.
    var change: @Sendable (Request) -> Request = { $0 }
    /// Changes the wire request, after the client's hooks.
    var prepare: @Sendable (HTTPRequest) throws -> HTTPRequest = { $0 }
    /// The destination of a successful body.
    var destination = BodyDestination.Kind.memory
    /// The receiver of the progress of the request.
    var progress: (any ProgressReporting)?
    /// Whether the transfer itself repeats the request, by ``TransferRetries``.
    ///
    /// The client then sends it once, so that repetitions do not multiply.
    var isRepeatedByTransfer = false
  }

  let control: TransferControl
  let scheduler: any Scheduler
  let wallClock: @Sendable () -> Date
  let retry: RetryPolicy
  /// Returns the base URL and the path of the endpoint's request, as far as they are known before it is
  /// built.
  let resource: @Sendable () throws -> String
  /// Adds a request to the client's queue.
  let start: @Sendable (_ message: Message) -> NetworkPromise

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
struct TransferRetries: Sendable {
  private let sender: TransferSender
  private var failures = 0
  private var farthest: Int64 = 0
  /// The failures in a row.
  private var log = AttemptLog()
  private var delay = Duration.zero
  private var start: Duration

  init(_ sender: TransferSender) {
    self.sender = sender
    start = sender.scheduler.now
  }

  /// Waits before the next attempt.
  ///
  /// - Parameters:
  ///   - error: The error of the attempt, or its ``FinalResponse``.
  ///   - request: The wire request of the attempt. `nil` if it must not be repeated.
  ///   - bytes: The number of bytes so far that need not be transferred again.
  ///   - pauses: The number of pauses before the attempt.
  /// - Throws: The error with the attempts, if the policy allows no further one.
  mutating func wait(
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
    if bytes > farthest { (farthest, failures, log) = (bytes, 0, AttemptLog()) }
    failures += 1
    log.begin(after: delay, at: start)
    log.end(Attempt.Outcome(result), at: sender.scheduler.now)
    guard let request,
      let delay = sender.retry.delay(
        beforeRetry: failures,
        after: FailedAttempt(
          number: failures, request: request, result: result, at: sender.wallClock()))
    else {
      let attempts = log.attempts(at: sender.scheduler.now)
      if case .success(let response) = result {
        throw FinalResponse(response: attempts.count > 1 ? response.after(attempts) : response)
      }
      throw (error as? NetworkError)?.after(attempts) ?? error
    }
    try await sender.sleep(delay)
    try await gate.pass()
    (self.delay, start) = (delay, sender.scheduler.now)
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
