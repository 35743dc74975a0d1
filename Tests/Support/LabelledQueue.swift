import Dispatch
import Promises

/// A serial queue that knows whether the caller is on it.
package struct LabelledQueue: Sendable {
  package let queue: DispatchQueue
  private let key = DispatchSpecificKey<Bool>()

  package init(_ label: String = "labelled") {
    queue = DispatchQueue(label: label)
    queue.setSpecific(key: key, value: true)
  }

  package var context: ExecutionContext { .queue(queue) }

  package var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }
}
