import Foundation

extension HAR {
  /// One exchange.
  public struct Entry: Codable, Sendable, Hashable {
    /// The page it belongs to.
    public var pageref: String?
    /// When it began, in ISO 8601 with fractions of a second.
    public var startedDateTime: String
    /// How long it took, in milliseconds: the sum of the ``timings`` that are known.
    public var time: Double
    /// What was asked.
    public var request: Request
    /// What was answered; of status 0 where there was no answer.
    public var response: Response
    /// What a cache had to do with it.
    public var cache: Cache
    /// How long its parts took.
    public var timings: Timings
    /// The address of the server.
    public var serverIPAddress: String?
    /// What tells its connection from others.
    public var connection: String?
    /// A remark.
    public var comment: String?

    /// Makes an entry.
    ///
    /// - Parameters:
    ///   - startedDateTime: when it began, in ISO 8601.
    ///   - request: what was asked.
    ///   - response: what was answered.
    ///   - timings: how long its parts took; ``time`` is their sum.
    ///   - comment: a remark.
    public init(
      startedDateTime: String, request: Request, response: Response, timings: Timings = Timings(),
      comment: String? = nil
    ) {
      self.startedDateTime = startedDateTime
      time = timings.sum
      self.request = request
      self.response = response
      cache = Cache()
      self.timings = timings
      self.comment = comment
    }

    /// A moment as the format has it, to the millisecond in UTC.
    static func timestamp(_ date: Date) -> String {
      // Half a millisecond more, as the style cuts off instead of rounding.
      date.addingTimeInterval(0.000_5).formatted(Self.style)
    }

    /// Whether a text is a moment as the format has it.
    static func isTimestamp(_ text: String) -> Bool { (try? style.parse(text)) != nil }

    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
  }

  /// What a cache had to do with an exchange; a ``Tape`` knows of none.
  public struct Cache: Codable, Sendable, Hashable {
    /// A remark.
    public var comment: String?

    /// Makes one that says nothing.
    ///
    /// - Parameter comment: a remark.
    public init(comment: String? = nil) {
      self.comment = comment
    }
  }
}
