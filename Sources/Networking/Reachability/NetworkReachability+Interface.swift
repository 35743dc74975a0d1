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
