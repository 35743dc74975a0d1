import Dispatch
import Foundation
import Promises

/// The queue of one client.
final class RequestQueue: Sendable {
  private let operations = OperationQueue()
  private let activity: QueueActivity?
  /// Shared, since an operation queue does not keep the queue underneath it alive.
  private static let oneByOne = DispatchQueue(label: "Catena.RequestQueue")

  /// Makes a queue.
  ///
  /// - Parameters:
  ///   - mode: how many requests are under way at once.
  ///   - scheduler: whose time must not pass while a request is about to start.
  init(_ mode: RequestMode, scheduler: any Scheduler) {
    operations.maxConcurrentOperationCount = mode.width
    activity = QueueActivity(width: mode.width, scheduler: scheduler)
    // Where time is turned by hand, requests that begin together begin in order, so that what they set
    // for the same moment comes in that order, every time.
    if activity != nil { operations.underlyingQueue = Self.oneByOne }
  }

  /// Puts a request behind those of its priority.
  ///
  /// - Parameters:
  ///   - pending: the promise that the caller has, and its resolver.
  ///   - priority: which go first.
  ///   - begin: starts the request when its turn has come.
  func add(
    _ pending: (promise: NetworkPromise, resolver: Resolver<Response>), priority: Request.Priority,
    _ begin: @escaping @Sendable () -> NetworkPromise
  ) {
    let operation = NetworkOperation(pending, activity: activity, begin)
    operation.queuePriority = priority.ofOperations
    activity?.note { $0.add() }
    operations.addOperation(operation)
  }

  func suspend() {
    operations.isSuspended = true
    activity?.note { $0.isSuspended = true }
  }

  func resume() {
    activity?.note { $0.isSuspended = false }
    operations.isSuspended = false
  }

  func cancelAll() {
    operations.cancelAllOperations()
  }
}

extension Request.Priority {
  fileprivate var ofOperations: Operation.QueuePriority {
    switch self {
    case .veryLow: .veryLow
    case .low: .low
    case .normal: .normal
    case .high: .high
    case .veryHigh: .veryHigh
    }
  }
}
