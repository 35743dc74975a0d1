/// How much a ``RequestJournal`` keeps.
public struct JournalLimits: Sendable, Hashable {
  /// How many requests are remembered; the oldest are forgotten first.
  ///
  /// 10,000 unless set; at least one.
  public var requests: Int
  /// How many bytes of bodies are kept in all.
  ///
  /// Beyond that the oldest bodies are let go while their requests stay; a body that is larger by itself is
  /// not kept at all, and a file's is read for the journal up to 1 MiB. 64 MiB unless set.
  public var bodyBytes: Int

  /// Makes limits.
  ///
  /// - Parameters:
  ///   - requests: how many requests are remembered.
  ///   - bodyBytes: how many bytes of bodies are kept in all.
  public init(requests: Int = 10_000, bodyBytes: Int = 64 * 1024 * 1024) {
    self.requests = requests
    self.bodyBytes = bodyBytes
  }
}
