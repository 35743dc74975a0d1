extension OfflineStore {
  /// How much a store takes; a request beyond that is refused by
  /// ``NetworkError/Code-swift.enum/offlineStoreFull``.
  public struct Limits: Sendable, Hashable {
    /// How many entries at the most.
    public var entries: Int
    /// How many bytes at the most, the copies of payloads' files included.
    public var bytes: Int64

    /// Makes limits.
    ///
    /// - Parameters:
    ///   - entries: how many entries at the most.
    ///   - bytes: how many bytes at the most, the copies of payloads' files included.
    public init(entries: Int = 1_000, bytes: Int64 = 100 << 20) {
      self.entries = entries
      self.bytes = bytes
    }
  }
}
