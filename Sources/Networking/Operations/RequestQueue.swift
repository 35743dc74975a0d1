import Foundation

/// The queue of one client.
final class RequestQueue: Sendable {
  private let operations = OperationQueue()

  init(_ mode: RequestMode) {
    operations.maxConcurrentOperationCount = mode.width
  }

  /// Puts an operation behind those of its priority.
  func add(_ operation: NetworkOperation, priority: Request.Priority) {
    operation.queuePriority = priority.ofOperations
    operations.addOperation(operation)
  }

  var isSuspended: Bool {
    get { operations.isSuspended }
    set { operations.isSuspended = newValue }
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
