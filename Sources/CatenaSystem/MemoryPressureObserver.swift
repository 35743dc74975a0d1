import Dispatch

/// An observer of the memory pressure that the system reports, until the end of its lifetime.
///
/// A cache owns one, and gives its memory back. Linux reports nothing to a program.
package final class MemoryPressureObserver: Sendable {
  private let handler = Mutex<(@Sendable () -> Void)?>(nil)
  #if canImport(Darwin)
    private let source: any DispatchSourceMemoryPressure
  #endif

  /// Starts an observer without a handler.
  package init() {
    #if canImport(Darwin)
      source = DispatchSource.makeMemoryPressureSource(eventMask: [.warning, .critical])
      source.setEventHandler { [weak self] in self?.report() }
      source.activate()
    #endif
  }

  #if canImport(Darwin)
    deinit { source.cancel() }
  #endif

  /// Sets the handler.
  ///
  /// - Parameter handler: A closure that runs each time on a background queue. It must not retain the
  ///   owner of the observer.
  package func handle(_ handler: @escaping @Sendable () -> Void) {
    self.handler.withLock { $0 = handler }
  }

  /// Runs the handler.
  package func report() { handler.withLock { $0 }?() }
}
