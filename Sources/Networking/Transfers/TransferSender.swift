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

/// The decision whether a transfer goes on after a failure.
///
/// The retry policy limits the failures in a row. A failure after progress is the first of a new row,
/// and a connection that was lost during a pause does not count.
struct TransferRetries: Sendable {
  private let sender: TransferSender
  private var failures = 0
  private var farthest: Int64 = 0

  init(_ sender: TransferSender) {
    self.sender = sender
  }

  /// Waits before the next attempt.
  ///
  /// - Parameters:
  ///   - error: The error of the attempt.
  ///   - request: The wire request of the attempt, if it was sent.
  ///   - bytes: The number of bytes so far.
  ///   - pauses: The number of pauses before the attempt.
  /// - Throws: The error, if the policy allows no further attempt.
  mutating func wait(
    after error: any Error, of request: HTTPRequest?, at bytes: Int64, pauses: Int
  ) async throws {
    try Task.checkCancellation()
    guard let failure = error as? NetworkError, failure.code.isConnectionFailure else {
      throw error
    }
    let gate = sender.control.gate
    if gate.pauses != pauses { return try await gate.pass() }
    if bytes > farthest {
      farthest = bytes
      failures = 0
    }
    failures += 1
    guard let request,
      let delay = sender.retry.delay(
        beforeRetry: failures,
        after: FailedAttempt(number: failures, request: request, result: .failure(error)))
    else { throw error }
    try await sender.sleep(delay)
    try await gate.pass()
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
