import CatenaSystem
public import Networking

/// A simulated network whose status is set by a test.
///
/// ```swift
/// let network = MockReachability(.unreachable)
/// let reachability = NetworkReachability(monitor: network)
/// network.status = .reachable()
/// ```
///
/// Any number of ``NetworkReachability`` objects may observe one network.
/// All members may be used from any thread.
public final class MockReachability: ReachabilityMonitoring {
  private typealias StatusHandler = @Sendable (NetworkReachability.Status) -> Void

  private struct State {
    var status: NetworkReachability.Status
    var lastID = 0
    var handlers: [Int: StatusHandler] = [:]
  }

  private let state: Mutex<State>

  /// Creates a network.
  ///
  /// - Parameter status: The initial status.
  public init(_ status: NetworkReachability.Status = .unknown) {
    state = Mutex(State(status: status))
  }

  /// The status of the network.
  ///
  /// When the setter returns, each observing ``NetworkReachability`` has the new status, and the
  /// promises that waited for this status are settled. Set it from one task at a time.
  public var status: NetworkReachability.Status {
    get { state.withLock { $0.status } }
    set {
      let handlers = state.withLock { state in
        state.status = newValue
        return state.handlers.sorted { $0.key < $1.key }.map(\.value)
      }
      for handler in handlers { handler(newValue) }
    }
  }

  /// The number of ``NetworkReachability`` objects that observe the network.
  public var observerCount: Int { state.withLock { $0.handlers.count } }

  /// Starts to report the status, and reports the current one.
  ///
  /// ``NetworkReachability`` calls it.
  ///
  /// - Parameter report: A closure that receives each status.
  /// - Returns: A closure that ends the reports.
  public func start(
    _ report: @escaping @Sendable (_ status: NetworkReachability.Status) -> Void
  ) -> @Sendable () -> Void {
    let (id, status) = state.withLock { state in
      state.lastID += 1
      state.handlers[state.lastID] = report
      return (state.lastID, state.status)
    }
    report(status)
    return { [weak self] in
      let report = self?.state.withLock { $0.handlers.removeValue(forKey: id) }
      withExtendedLifetime(report) {}
    }
  }
}
