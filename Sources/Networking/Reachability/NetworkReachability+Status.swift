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
