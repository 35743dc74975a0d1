#if canImport(Network)
  import Dispatch
  import Network

  /// What Apple's systems tell of the network.
  struct PathMonitor: ReachabilityMonitoring {
    func start(
      _ report: @escaping @Sendable (NetworkReachability.Status) -> Void
    ) -> @Sendable () -> Void {
      let running = MonitorBox(monitor: NWPathMonitor())
      running.monitor.pathUpdateHandler = { report(NetworkReachability.Status($0)) }
      running.monitor.start(queue: DispatchQueue(label: "Catena.PathMonitor"))
      return { running.monitor.cancel() }
    }

    /// `@unchecked Sendable` because a path monitor may be cancelled from any thread, which its Swift
    /// type does not say in every SDK.
    private struct MonitorBox: @unchecked Sendable {
      let monitor: NWPathMonitor
    }
  }

  extension NetworkReachability.Status {
    fileprivate init(_ path: NWPath) {
      switch path.status {
      case .satisfied: self = .reachable(via: NetworkReachability.Path(path))
      case .unsatisfied: self = .unreachable
      // An attempt to connect may bring the network up, so it must not be held back.
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
