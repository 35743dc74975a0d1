import CatenaSystem

/// A bag of promises of any types, which are cancelled together: those of a screen, for example.
///
/// ```swift
/// final class BoardsScreen {
///   private let bag = CancellationBag()
///
///   func load() {
///     networking.request(.boards).validate().decode([Board].self)
///       .done { [weak self] boards in self?.show(boards) }
///       .cancelled(by: bag)
///   }
/// }
/// ```
///
/// The requests of this screen are cancelled when it is released, because it then releases its bag.
/// A handler that captures the screen strongly keeps both alive until its promise settles. Call
/// ``cancelAll()`` in this case, or to cancel earlier, for example when the screen disappears.
///
/// - **Contents.** The bag retains a promise while it is pending, and removes it when it settles. A
///   bag of a long-lived object therefore does not grow.
/// - **Effect.** Each promise is cancelled with ``Promise/cancel()``: its underlying work stops if it
///   has no other consumer. Put the last promise of a chain into the bag, and no promise that other
///   objects use.
/// - **Errors.** A promise in a bag still needs a `fail` handler: the bag does not handle rejections.
/// - **Threads.** All members may be used from any thread.
public final class CancellationBag: Sendable {
  private struct Contents {
    /// The actions that cancel the promises, by the order in which they were added.
    var cancellations: [Int: Job] = [:]
    var addedCount = 0
  }

  private let contents = Mutex(Contents())

  /// Creates an empty bag.
  public init() {}

  deinit {
    cancelAll()
  }

  /// The number of pending promises in the bag.
  public var count: Int { contents.withLock { $0.cancellations.count } }

  /// Cancels the promises in the bag, in the order in which they were added, and empties the bag.
  ///
  /// The bag can be used again: a promise that is added during or after this call is not cancelled
  /// by it. For an empty bag, the call has no effect.
  public func cancelAll() {
    // Cancelled without the lock, because handlers may use the bag.
    let cancellations = contents.withLock { contents in
      defer { contents.cancellations = [:] }
      return contents.cancellations
    }
    for (_, cancel) in cancellations.sortedByPositions(by: { $0.key < $1.key }) { cancel() }
  }

  fileprivate func add<Value>(_ promise: Promise<Value>) {
    guard promise.isPending else { return }
    let number = contents.withLock { contents in
      contents.addedCount += 1
      contents.cancellations[contents.addedCount] = { promise.cancel() }
      return contents.addedCount
    }
    promise.observe([]) { [weak self] _ in self?.remove(number) }
  }

  private func remove(_ number: Int) {
    let cancellation = contents.withLock { $0.cancellations.removeValue(forKey: number) }
    // Released without the lock, because it may be the last reference to the promise.
    withExtendedLifetime(cancellation) {}
  }
}

extension Promise {
  /// Adds this promise to a bag, which cancels it together with the others, and returns it.
  ///
  /// ```swift
  /// search(text).done { hits in show(hits) }.fail { error in report(error) }.cancelled(by: bag)
  /// ```
  ///
  /// A settled promise is not added. The bag is not a consumer: it does not keep the work running.
  ///
  /// - Parameter bag: The bag. See ``CancellationBag``.
  /// - Returns: This promise, for further handlers.
  @discardableResult
  public func cancelled(by bag: CancellationBag) -> Promise {
    bag.add(self)
    return self
  }
}
