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

extension NetworkReachability {
  /// The status and its changes, for any number of consumers, each at its own pace.
  ///
  /// The first element is the current status, at once. A consumer that is slower than the changes
  /// gets the latest and none of those before it; so an element may equal the one before it, when the
  /// network was gone and came back meanwhile. The sequence ends when the ``NetworkReachability`` is
  /// released, which it does not keep alive, and in a task that is cancelled.
  public struct Changes: AsyncSequence, Sendable {
    /// A status of the network.
    public typealias Element = Status
    /// It ends without an error.
    public typealias Failure = Never

    let state: ReachabilityState

    /// Makes an iterator that begins with the current status.
    ///
    /// - Returns: the iterator, independent of all others.
    public func makeAsyncIterator() -> Iterator {
      Iterator(state: state)
    }

    /// What one consumer has seen of the changes.
    public struct Iterator: AsyncIteratorProtocol {
      let state: ReachabilityState
      private var seen: UInt64 = 0

      init(state: ReachabilityState) {
        self.state = state
      }

      /// Waits for a status other than the one seen last.
      ///
      /// - Parameter actor: where the caller is.
      /// - Returns: the latest status; nil when there is none to come, or the task is cancelled.
      public mutating func next(
        isolation actor: isolated (any Actor)? = #isolation
      ) async -> Status? {
        guard let change = await state.change(after: seen, isolation: actor) else { return nil }
        seen = change.number
        return change.status
      }
    }
  }
}

extension NetworkReachability {
  /// A network interface of this machine.
  public struct Interface: Sendable, Hashable {
    /// What an interface is.
    public enum Kind: Sendable, Hashable {
      /// Wi-Fi.
      case wifi
      /// A mobile network.
      case cellular
      /// A cable.
      case wired
      /// A tunnel, a bridge, or what the system does not tell.
      case other
    }

    /// The system's name for it, such as `eth0`.
    public var name: String
    /// What it is; on Linux told by the name.
    public var kind: Kind

    /// Makes an interface of a known kind.
    ///
    /// - Parameters:
    ///   - name: the system's name for it.
    ///   - kind: what it is.
    public init(name: String, kind: Kind) {
      self.name = name
      self.kind = kind
    }

    /// Makes an interface whose kind is told by its name, after Linux's habits.
    ///
    /// Those are `wl` for Wi-Fi, `ww` and `rmnet` for mobile networks, `en` and `eth` for cables;
    /// anything else is ``Kind/other``.
    ///
    /// - Parameter name: the system's name for it.
    public init(name: String) {
      let kinds: [(prefix: String, kind: Kind)] = [
        ("wl", .wifi), ("ww", .cellular), ("rmnet", .cellular), ("en", .wired), ("eth", .wired),
      ]
      self.init(name: name, kind: kinds.first { name.hasPrefix($0.prefix) }?.kind ?? .other)
    }
  }
}

extension NetworkReachability {
  /// The way to the internet.
  public struct Path: Sendable, Hashable {
    /// The interfaces that lead there, the preferred one first; empty where the system names none.
    public var interfaces: [Interface]
    /// Whether its use may cost the user money, as that of a cellular network does.
    ///
    /// On Linux it is true when the preferred interface is ``Interface/Kind/cellular``.
    public var isExpensive: Bool
    /// Whether the user has asked to use little of it (Low Data Mode); on Linux always false.
    public var isConstrained: Bool

    /// Makes a path, for tests and for a ``ReachabilityMonitoring`` of your own.
    ///
    /// - Parameters:
    ///   - interfaces: the interfaces, the preferred one first.
    ///   - isExpensive: whether its use may cost the user money.
    ///   - isConstrained: whether the user has asked to use little of it.
    public init(
      interfaces: [Interface] = [], isExpensive: Bool = false, isConstrained: Bool = false
    ) {
      self.interfaces = interfaces
      self.isExpensive = isExpensive
      self.isConstrained = isConstrained
    }
  }
}

extension NetworkReachability {
  /// Whether there is a way to the internet, as far as the system can tell.
  ///
  /// It tells of this machine's own interfaces and routes. Whether a server answers, only a request finds out.
  public enum Status: Sendable, Hashable {
    /// Nothing is known: not yet, or the system does not say. Requests should be tried.
    case unknown
    /// There is no way to the internet. Servers on this machine and on networks that it is attached
    /// to may be reachable all the same.
    case unreachable
    /// There is a way to the internet.
    case reachable(via: Path)

    /// Whether there is a way to the internet; false where it is not known.
    public var isReachable: Bool {
      if case .reachable = self { true } else { false }
    }
  }
}
