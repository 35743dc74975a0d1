extension NetworkEvent {
  /// The connection that a hop goes over.
  public struct Connection: Sendable, Hashable {
    /// The address of the other end, or of the proxy in between, such as `203.0.113.7`; the path of a Unix
    /// socket; nil where that is not known.
    public var address: String?
    /// The port there; nil where there is none, or it is not known.
    public var port: Int?
    /// Whether it has served an exchange before.
    public var isReused: Bool

    /// Makes an account of a connection.
    ///
    /// - Parameters:
    ///   - address: the address of the other end.
    ///   - port: the port there.
    ///   - isReused: whether it has served an exchange before.
    public init(address: String? = nil, port: Int? = nil, isReused: Bool = false) {
      self.address = address
      self.port = port
      self.isReused = isReused
    }
  }
}
