import Dispatch
import Foundation

/// The main queue, on which nothing may take long.
enum MainQueue {
  private static let key: DispatchSpecificKey<Void> = {
    let key = DispatchSpecificKey<Void>()
    DispatchQueue.main.setSpecific(key: key, value: ())
    return key
  }()

  /// Whether the caller is on it.
  ///
  /// The main thread alone does not tell: on Linux an asynchronous `main` gives its thread up, and the
  /// main queue is turned by another.
  static var isCurrent: Bool {
    DispatchQueue.getSpecific(key: key) != nil || isMainThread
  }

  /// `Thread.isMainThread`, which asks the kernel on Linux, is asked once a thread.
  private static var isMainThread: Bool {
    if let known = pthread_getspecific(answers) { return Int(bitPattern: known) == 1 }
    let isMain = Thread.isMainThread
    pthread_setspecific(answers, UnsafeRawPointer(bitPattern: isMain ? 1 : 2))
    return isMain
  }

  private static let answers: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()
}
