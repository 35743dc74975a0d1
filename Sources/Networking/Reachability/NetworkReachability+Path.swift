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
