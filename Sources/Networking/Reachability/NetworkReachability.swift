import Promises

/// Tells whether there is a way to the internet: now, once there is, and whenever that changes.
///
/// ```swift
/// let reachability = NetworkReachability()
/// reachability.whenReachable().done { upload(drafts) }
///
/// for await status in reachability.changes {
///   banner.isHidden = status != .unreachable
/// }
/// ```
///
/// On Linux the kernel tells it over its routing socket: reachable is a default route, IPv4 or IPv6 and
/// in any table, over an interface that is up, has a carrier, and has an address of that family that is
/// good beyond its own link. (The address may also be on the loopback interface, as on hosts that
/// announce it over several links.) On Apple's platforms it is the system's `NWPathMonitor`. Nothing
/// is polled and nothing is sent.
///
/// It is for telling people, for holding back work that cannot succeed, and for beginning it anew. It
/// is no reason not to try: only a request finds out whether its server answers.
///
/// Monitoring ends when the object is released. It may be used from any thread.
public final class NetworkReachability: Sendable {
  private let state = ReachabilityState()
  private let stop: @Sendable () -> Void

  /// Begins to watch this machine's network.
  ///
  /// On Linux ``status`` is known when this returns; on Apple's platforms soon after. Where the
  /// system refuses to tell, it stays ``Status/unknown``.
  public convenience init() {
    #if os(Linux)
      self.init(monitor: RouteMonitor())
    #elseif canImport(Network)
      self.init(monitor: PathMonitor())
    #else
      self.init(monitor: NoMonitor())
    #endif
  }

  /// Begins to watch what another source tells, such as a test's.
  ///
  /// - Parameter monitor: the source, started here and stopped when this object is released.
  public init(monitor: some ReachabilityMonitoring) {
    stop = monitor.start { [state] in state.report($0) }
  }

  deinit {
    stop()
    state.finish()
  }

  /// Whether there is a way to the internet at this moment.
  public var status: Status { state.status }

  /// The current status and all that follow it.
  ///
  /// - Returns: a sequence for any number of consumers, which does not keep this object alive.
  public var changes: Changes { Changes(state: state) }

  /// Waits for the network, without a limit.
  ///
  /// ```swift
  /// reachability.whenReachable().timeout(.seconds(30)).then { networking.request(.boards) }
  /// ```
  ///
  /// Each call makes a promise of its own; cancelling it, or its last consumer's leaving, lets go of
  /// all that the wait needed. It does not keep this object alive.
  ///
  /// - Parameters:
  ///   - file: where the promise was made, for diagnostics.
  ///   - line: where the promise was made, for diagnostics.
  /// - Returns: a promise fulfilled at once when the status is ``Status/reachable(via:)``, else when
  ///   it becomes so; rejected with `CancellationError` when this object is released before. It is
  ///   settled on the monitor's thread.
  public func whenReachable(
    file: StaticString = #fileID, line: UInt = #line
  ) -> Promise<Void> {
    state.whenReachable(at: (file, line))
  }

  /// The one of clients that name none.
  static let shared = NetworkReachability()

  /// The current status, numbered.
  var change: ReachabilityMachine.Change { state.change }

  /// Has a listener told of the first change after a number, once, perhaps before this returns; of nil
  /// when there is none to come.
  ///
  /// - Returns: what lets go of the listener.
  func listen(
    after seen: UInt64, _ listener: @escaping ReachabilityMachine.Listener
  ) -> @Sendable () -> Void {
    state.listen(after: seen, listener)
  }

  /// How many promises and consumers wait, for tests.
  var waiting: Int { state.waiting }
}

#if !os(Linux) && !canImport(Network)
  /// Knows nothing, where no system tells.
  private struct NoMonitor: ReachabilityMonitoring {
    func start(_ report: @escaping @Sendable (NetworkReachability.Status) -> Void)
      -> @Sendable () -> Void
    { {} }
  }
#endif
