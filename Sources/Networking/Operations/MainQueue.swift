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
    DispatchQueue.getSpecific(key: key) != nil || Thread.isMainThread
  }
}
