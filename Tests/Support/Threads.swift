package import Dispatch
import Foundation
package import Promises

/// Runs `body` on a new thread with a given stack size, without blocking the caller's thread.
package func onThread(stackSize: Int, _ body: @escaping @Sendable () -> Void) async {
  await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
    let thread = Thread {
      body()
      continuation.resume()
    }
    thread.stackSize = stackSize
    thread.start()
  }
}

/// Runs `body` on `count` threads concurrently and returns after all have returned.
package func onThreads(_ count: Int, _ body: @escaping @Sendable (_ index: Int) -> Void) async {
  await withTaskGroup(of: Void.self) { group in
    for index in 0..<count {
      group.addTask { await onThread(stackSize: 1 << 20) { body(index) } }
    }
  }
}

/// A serial queue that detects whether the current code runs on it.
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

/// Whether the current code runs on the main queue.
///
/// `Thread.isMainThread` is not equivalent: on Linux, an asynchronous `main` gives up the main
/// thread, and another thread runs the main queue.
package var isOnMainQueue: Bool {
  DispatchQueue.getSpecific(key: mainQueueKey) == true
}

private let mainQueueKey: DispatchSpecificKey<Bool> = {
  let key = DispatchSpecificKey<Bool>()
  DispatchQueue.main.setSpecific(key: key, value: true)
  return key
}()
