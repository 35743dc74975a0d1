import CatenaSystem
import Foundation

/// The threads of the transports, on which nothing may take long, because they serve many requests.
enum TransportThread {
  /// Marks the current thread, until it ends.
  static func markCurrent() { pthread_setspecific(key, UnsafeMutableRawPointer(bitPattern: 1)) }

  /// Returns a serial queue for the events of a transport.
  static func eventQueue() -> OperationQueue {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    queue.name = queueName
    return queue
  }

  /// Whether the current thread belongs to a transport, or runs a queue for its events.
  static var isCurrent: Bool {
    pthread_getspecific(key) != nil || OperationQueue.current?.name == queueName
  }

  private static let queueName = "Catena.Transport"

  private static let key = makeThreadKey()
}
