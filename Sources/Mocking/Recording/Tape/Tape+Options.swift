import Foundation

extension Tape {
  /// What a tape does otherwise than by default.
  public struct Options: Sendable {
    /// What has to be the same for a recorded request to be the one asked for.
    public var matching: Set<Matcher>
    /// What happens when a request is asked more often than it was recorded.
    public var afterLast: AfterLast
    /// Which names go with secrets.
    public var redaction: Redaction
    /// How many bytes of a body are recorded.
    ///
    /// A request's body beyond it is kept by its size alone; a
    /// response's makes ``Tape/save()`` fail, as it could not be replayed.
    public var bodyLimit: Int
    /// Whether a value that looks like a token is none, and may be written down.
    ///
    /// Called for each, perhaps several times, on the tape's own queue, which it must not make wait.
    public var allowing: @Sendable (SuspectedToken) -> Bool
    /// The time of day, for when exchanges began; called once each, where it is started.
    public var now: @Sendable () -> Date

    /// Makes options.
    ///
    /// - Parameters:
    ///   - matching: what has to be the same for a recorded request to be the one asked for.
    ///   - afterLast: what happens when a request is asked more often than it was recorded.
    ///   - redaction: which names go with secrets.
    ///   - bodyLimit: how many bytes of a body are recorded.
    ///   - allowing: whether a value that looks like a token is none.
    ///   - now: the time of day.
    public init(
      matching: Set<Matcher> = [.method, .url], afterLast: AfterLast = .repeats,
      redaction: Redaction = Redaction(), bodyLimit: Int = 16 << 20,
      allowing: @escaping @Sendable (SuspectedToken) -> Bool = { _ in false },
      now: @escaping @Sendable () -> Date = { Date() }
    ) {
      self.matching = matching
      self.afterLast = afterLast
      self.redaction = redaction
      self.bodyLimit = max(bodyLimit, 0)
      self.allowing = allowing
      self.now = now
    }
  }

  /// What has to be the same for a recorded request to be the one asked for.
  public enum Matcher: Sendable, Hashable {
    /// The method.
    case method
    /// The URL: origin, path and query, the parameters in any order.
    case url
    /// The path and query alone, the parameters in any order, of whatever server; for servers on a port
    /// that is another each time.
    case path
    /// The parameters of the query in their order; together with ``url`` or ``path``.
    case queryOrder
    /// The values of a header field, as they are after masking.
    case header(String)
    /// The body: JSON by its value, forms by their fields, others by their bytes, all as they are after
    /// masking; one of which only the size was kept by its size.
    case body
  }

  /// What happens when a request is asked more often than it was recorded.
  public enum AfterLast: Sendable, Hashable {
    /// It has its last answer again.
    case repeats
    /// It fails as one that was not recorded.
    case fails
  }
}
