public import Promises

/// A monitor of this machine's internet access: its current status and its changes.
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
/// On Linux the source is the kernel's routing socket. The internet is reachable if there is a
/// default route, IPv4 or IPv6 and in any table, over an interface that is up, has a carrier, and
/// has an address of the route's family with more than link scope. The address may also belong to
/// the loopback interface, as on hosts that announce one address over several links. On Apple
/// platforms the source is the system's `NWPathMonitor`, except on watchOS: a watch often has no
/// network of its own while its requests succeed over the phone, so the status there is
/// ``Status/unknown``. Monitoring neither polls nor sends packets to the network.
///
/// Use it to inform the user, to delay work that cannot succeed, and to start that work again. Do
/// not use it to decide whether to send a request: only a request shows whether its server
/// responds.
///
/// Monitoring ends when the object is released. The object may be used from any thread.
public final class NetworkReachability: Sendable {
  /// The status, and the callers that wait for another one.
  let state = ReachabilityState()
  private let stop: @Sendable () -> Void

  /// Starts monitoring this machine's network.
  ///
  /// On Linux ``status`` is known when the initializer returns; on Apple platforms shortly
  /// afterwards. If the system provides no information, the status stays ``Status/unknown``.
  public convenience init() {
    #if os(Linux) || os(Android)
      self.init(monitor: RouteMonitor())
    #elseif canImport(Network) && !os(watchOS)
      self.init(monitor: PathMonitor())
    #else
      self.init(monitor: UnsupportedMonitor())
    #endif
  }

  /// Starts monitoring with a custom source, such as a mock in a test.
  ///
  /// - Parameter monitor: The source. It is started by the initializer and stopped when this object
  ///   is released.
  public init(monitor: some ReachabilityMonitoring) {
    stop = monitor.start { [state] in state.report($0) }
  }

  deinit {
    stop()
    state.finish()
  }

  /// The current status.
  public var status: Status { state.status }

  /// The current status and all later ones.
  ///
  /// - Returns: A sequence for any number of consumers. It does not keep this object alive.
  public var changes: Changes { Changes(state: state) }

  /// Waits until the internet is reachable, without a time limit.
  ///
  /// ```swift
  /// reachability.whenReachable().timeout(.seconds(30)).then { networking.request(.boards) }
  /// ```
  ///
  /// Each call creates an independent promise. The wait ends and its resources are released when
  /// the promise is cancelled or loses its last consumer. The promise does not keep this object
  /// alive.
  ///
  /// - Parameters:
  ///   - file: The file of the call, for diagnostics.
  ///   - line: The line of the call, for diagnostics.
  /// - Returns: A promise that is fulfilled when the status is ``Status/reachable(via:)``,
  ///   immediately if it already is. It is rejected with `CancellationError` if this object is
  ///   released first. It is settled on the monitor's thread.
  public func whenReachable(
    file: StaticString = #fileID, line: UInt = #line
  ) -> Promise<Void> {
    state.whenReachable(at: (file, line))
  }

  /// The default instance of clients without a configured one.
  static let shared = NetworkReachability()
}

#if os(watchOS) || !(os(Linux) || os(Android) || canImport(Network))
  /// A monitor that reports no status, for platforms without a supported source.
  private struct UnsupportedMonitor: ReachabilityMonitoring {
    func start(_ report: @escaping @Sendable (NetworkReachability.Status) -> Void)
      -> @Sendable () -> Void
    { {} }
  }
#endif

extension NetworkReachability {
  /// An asynchronous sequence of the current status and its changes.
  ///
  /// The first element is the current status, available immediately. Each consumer iterates at its
  /// own pace. A slow consumer receives only the latest of the statuses it has missed. So an
  /// element may equal the previous one, if the network was lost and restored in between. The
  /// sequence ends when the ``NetworkReachability`` is released, and in a task that is cancelled.
  /// It does not keep the ``NetworkReachability`` alive.
  public struct Changes: AsyncSequence, Sendable {
    /// The type of the elements: a status of the network.
    public typealias Element = Status
    /// The sequence does not throw.
    public typealias Failure = Never

    let state: ReachabilityState

    /// Creates an iterator that begins with the current status.
    ///
    /// - Returns: The iterator. It is independent of other iterators.
    public func makeAsyncIterator() -> Iterator { Iterator(state: state) }

    /// An iterator of the changes.
    ///
    /// It stores the number of the last change it returned.
    public struct Iterator: AsyncIteratorProtocol {
      let state: ReachabilityState
      fileprivate var seen: UInt64 = 0

      /// Waits for the next change.
      ///
      /// - Parameter actor: The actor of the caller.
      /// - Returns: The latest status. `nil` at the end of the sequence, or if the task is
      ///   cancelled.
      public mutating func next(
        isolation actor: isolated (any Actor)? = #isolation
      ) async -> Status? {
        guard let change = await state.change(after: seen, isolation: actor) else { return nil }
        seen = change.number
        return change.status
      }

      /// Returns the next change, on systems before macOS 15 and iOS 18.
      ///
      /// - Returns: The change, as from ``next(isolation:)``.
      @_disfavoredOverload
      public mutating func next() async -> Status? { await next(isolation: nil) }
    }
  }
}

extension NetworkReachability {
  /// A network interface of this machine.
  public struct Interface: Sendable, Hashable {
    /// The kind of a network interface.
    public enum Kind: Sendable, Hashable {
      /// A Wi-Fi interface.
      case wifi
      /// A mobile network interface.
      case cellular
      /// A wired interface.
      case wired
      /// A tunnel, a bridge, or an interface of unknown kind.
      case other
    }

    /// The system's name of the interface, such as `eth0`.
    public var name: String
    /// The kind of the interface.
    ///
    /// On Linux it is derived from the name.
    public var kind: Kind

    /// Creates an interface of a known kind.
    ///
    /// - Parameters:
    ///   - name: The system's name of the interface.
    ///   - kind: The kind of the interface.
    public init(name: String, kind: Kind) {
      self.name = name
      self.kind = kind
    }

    /// Creates an interface and derives its kind from its name, by the conventions of Linux.
    ///
    /// The prefix `wl` means Wi-Fi, `ww` and `rmnet` mean a mobile network, `en` and `eth` mean a
    /// wired interface. Any other name means ``Kind/other``.
    ///
    /// - Parameter name: The system's name of the interface.
    public init(name: String) {
      let kinds: [(prefix: String, kind: Kind)] = [
        ("wl", .wifi), ("ww", .cellular), ("rmnet", .cellular), ("en", .wired), ("eth", .wired),
      ]
      self.init(name: name, kind: kinds.first { name.hasPrefix($0.prefix) }?.kind ?? .other)
    }
  }

  /// A path to the internet.
  public struct Path: Sendable, Hashable {
    /// The interfaces of the path, preferred first.
    ///
    /// Empty if the system provides no names.
    public var interfaces: [Interface]
    /// Whether use of the path may cost the user money, for example on a cellular network.
    ///
    /// On Linux it is `true` if the preferred interface is ``Interface/Kind/cellular``.
    public var isExpensive: Bool
    /// Whether the user has enabled Low Data Mode.
    ///
    /// Always `false` on Linux.
    public var isConstrained: Bool

    /// Creates a path, for tests and for custom implementations of ``ReachabilityMonitoring``.
    ///
    /// - Parameters:
    ///   - interfaces: The interfaces of the path, preferred first.
    ///   - isExpensive: Whether use of the path may cost the user money.
    ///   - isConstrained: Whether the user has enabled Low Data Mode.
    public init(
      interfaces: [Interface] = [], isExpensive: Bool = false, isConstrained: Bool = false
    ) {
      self.interfaces = interfaces
      self.isExpensive = isExpensive
      self.isConstrained = isConstrained
    }
  }

  /// The status of the internet access, as reported by the system.
  ///
  /// It reflects the interfaces and routes of this machine only. Only a request shows whether a
  /// server responds.
  public enum Status: Sendable, Hashable {
    /// The status is not known yet, or the system does not provide it.
    ///
    /// Requests should be tried.
    case unknown
    /// There is no path to the internet.
    ///
    /// Servers on this machine and on attached networks may still be reachable.
    case unreachable
    /// There is a path to the internet.
    case reachable(via: Path = Path())

    /// Whether the status is ``reachable(via:)``.
    ///
    /// `false` if the status is unknown.
    public var isReachable: Bool { if case .reachable = self { true } else { false } }
  }
}

/// A source of the network status for ``NetworkReachability``.
///
/// `MockReachability` in the module `Mocking` is a source that a test controls.
public protocol ReachabilityMonitoring: Sendable {
  /// Starts to report the status: first the current one, then each possible change.
  ///
  /// - Parameter report: The handler of a status. The source may call it from any thread, before
  ///   and after this method returns, but not concurrently. A status equal to the previous one is
  ///   ignored. The source must not hold a lock during the call, because promise handlers may run
  ///   in it.
  /// - Returns: A closure that stops the reports and releases the resources of the source. It is
  ///   called once, from any thread, possibly from within `report`. It must not wait for a running
  ///   report.
  func start(
    _ report: @escaping @Sendable (_ status: NetworkReachability.Status) -> Void
  ) -> @Sendable () -> Void
}
