#if canImport(Network)
  import Dispatch
  import Network

  /// A source that uses the system's `NWPathMonitor` on Apple platforms.
  struct PathMonitor: ReachabilityMonitoring {
    func start(
      _ report: @escaping @Sendable (NetworkReachability.Status) -> Void
    ) -> @Sendable () -> Void {
      let box = MonitorBox(monitor: NWPathMonitor())
      box.monitor.pathUpdateHandler = { report(NetworkReachability.Status($0)) }
      box.monitor.start(queue: DispatchQueue(label: "Catena.PathMonitor"))
      return { box.monitor.cancel() }
    }

    /// A sendable wrapper of a path monitor.
    ///
    /// `@unchecked Sendable` because an `NWPathMonitor` may be cancelled from any thread. Not every
    /// SDK declares the type as `Sendable`.
    private struct MonitorBox: @unchecked Sendable { let monitor: NWPathMonitor }
  }

  extension NetworkReachability.Status {
    fileprivate init(_ path: NWPath) {
      switch path.status {
      case .satisfied: self = .reachable(via: NetworkReachability.Path(path))
      case .unsatisfied: self = .unreachable
      // A connection attempt may activate the network, so requests must not be delayed.
      case .requiresConnection: self = .unknown
      @unknown default: self = .unknown
      }
    }
  }

  extension NetworkReachability.Path {
    fileprivate init(_ path: NWPath) {
      self.init(
        interfaces: path.availableInterfaces.map(NetworkReachability.Interface.init),
        isExpensive: path.isExpensive, isConstrained: path.isConstrained)
    }
  }

  extension NetworkReachability.Interface {
    fileprivate init(_ interface: NWInterface) {
      let kind: Kind =
        switch interface.type {
        case .wifi: .wifi
        case .cellular: .cellular
        case .wiredEthernet: .wired
        default: .other
        }
      self.init(name: interface.name, kind: kind)
    }
  }
#endif
