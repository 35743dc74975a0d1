/// The limits of a ``RequestJournal``.
public struct JournalLimits: Sendable, Hashable {
  /// The maximum number of requests that are kept.
  ///
  /// Beyond that, the oldest are discarded. At least one request is kept. The default is 10,000,
  /// and 20,000 for a ``MockServer``.
  public var requests: Int
  /// The maximum total number of body bytes that are kept.
  ///
  /// Beyond that, the oldest bodies are removed; their requests stay, and ``JournalEntry/isBodyKept``
  /// is `false`. A verification with a condition on a body that has been removed fails, unless its
  /// result does not depend on that body. A body in a file that no route reads is kept only if it has
  /// at most 1 MiB. The default is 16 MiB.
  public var bodyBytes: Int
  /// The maximum size of one body that is kept.
  ///
  /// A larger body is not kept at all. The default is 16 MiB.
  public var singleBodyBytes: Int

  /// Creates limits.
  ///
  /// - Parameters:
  ///   - requests: The maximum number of requests that are kept.
  ///   - bodyBytes: The maximum total number of body bytes that are kept.
  ///   - singleBodyBytes: The maximum size of one body that is kept.
  public init(
    requests: Int = 10_000, bodyBytes: Int = 16 * 1024 * 1024,
    singleBodyBytes: Int = 16 * 1024 * 1024
  ) {
    self.requests = requests
    self.bodyBytes = bodyBytes
    self.singleBodyBytes = singleBodyBytes
  }

  /// The size up to which a body is kept.
  var largestBody: Int { min(bodyBytes, singleBodyBytes) }
}
