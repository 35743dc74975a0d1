import Dispatch

/// Whether the caller is on the main queue.
///
/// Not `Thread.isMainThread`: on Linux an asynchronous `main` gives its thread up, and the main queue
/// is turned by another.
package var isOnMainQueue: Bool {
  DispatchQueue.getSpecific(key: mainQueueKey) == true
}

private let mainQueueKey: DispatchSpecificKey<Bool> = {
  let key = DispatchSpecificKey<Bool>()
  DispatchQueue.main.setSpecific(key: key, value: true)
  return key
}()
