import Networking
import Synchronization

/// A network that comes and goes when a test says so.
///
/// ```swift
/// let network = MockReachability(.unreachable)
/// let reachability = NetworkReachability(monitor: network)
/// network.status = .reachable(via: .init())
/// ```
///
/// Any number of ``NetworkReachability`` objects may watch one network, each from when it was made.
/// It may be used from any thread.
public final class MockReachability: ReachabilityMonitoring {
  private typealias Report = @Sendable (NetworkReachability.Status) -> Void

  private struct State {
    var status: NetworkReachability.Status
    var lastID = 0
    var reports: [Int: Report] = [:]
  }

  private let state: Mutex<State>

  /// Makes a network.
  ///
  /// - Parameter status: its first status.
  public init(_ status: NetworkReachability.Status = .unknown) {
    state = Mutex(State(status: status))
  }

  /// The network's status.
  ///
  /// When the setter returns, each ``NetworkReachability`` that watches has the
  /// new one, and the promises waiting for it are settled; tests set it from one task at a time.
  public var status: NetworkReachability.Status {
    get { state.withLock { $0.status } }
    set {
      let reports = state.withLock { state in
        state.status = newValue
        return state.reports.sorted { $0.key < $1.key }.map(\.value)
      }
      for report in reports { report(newValue) }
    }
  }

  /// How many ``NetworkReachability`` objects watch it.
  public var observerCount: Int { state.withLock { $0.reports.count } }

  /// Begins to report the status; called by ``NetworkReachability``.
  ///
  /// - Parameter report: takes a status.
  /// - Returns: what ends the reports.
  public func start(
    _ report: @escaping @Sendable (_ status: NetworkReachability.Status) -> Void
  ) -> @Sendable () -> Void {
    let (id, status) = state.withLock { state in
      state.lastID += 1
      state.reports[state.lastID] = report
      return (state.lastID, state.status)
    }
    report(status)
    return { [weak self] in
      let report = self?.state.withLock { $0.reports.removeValue(forKey: id) }
      withExtendedLifetime(report) {}
    }
  }
}
