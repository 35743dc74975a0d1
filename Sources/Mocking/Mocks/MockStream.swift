public import Foundation
public import Networking

/// A body of items that are sent one after another, with delays between them.
///
/// ```swift
/// Route(.get, "/ticks", .events(["1", "2", "3"], every: .seconds(1), repeats: .forever))
/// Route(.get, "/log", .lines([["n": 1], ["n": 2]], every: .milliseconds(200)))
/// ```
///
/// The first item is sent with the head, unless it has a delay of its own. All delays are on the
/// ``Scheduler`` of the server, transport or provider. If the client reads slowly, items are sent late
/// but not lost. A stream ends when the client disconnects or cancels the request.
public struct MockStream: Sendable, Hashable {
  /// One item of a stream.
  public struct Item: Sendable, Hashable {
    /// The bytes.
    ///
    /// An empty item is not sent.
    public var data: Data
    /// The delay after the previous item.
    ///
    /// `nil` uses the interval of the stream.
    public var delay: Duration?

    /// Creates an item.
    ///
    /// - Parameters:
    ///   - data: The bytes.
    ///   - delay: The delay after the previous item. `nil` uses the interval of the stream.
    public init(_ data: Data, after delay: Duration? = nil) {
      self.data = data
      self.delay = delay
    }
  }

  /// The number of times that all items are sent.
  public enum Repetition: Sendable, Hashable {
    /// A number of times. A number below 1 counts as 1.
    case times(Int)
    /// Until the client disconnects. Delays below 1 ms then count as 1 ms.
    case forever

    /// Once.
    public static let once = Repetition.times(1)
  }

  /// The items, without empty ones.
  public let items: [Item]
  /// The delay between two items.
  public let interval: Duration
  /// The number of times that all items are sent.
  public let repetition: Repetition

  /// Creates a stream.
  ///
  /// - Parameters:
  ///   - items: The items in order.
  ///   - interval: The delay between two items. A negative delay counts as 0.
  ///   - repetition: The number of times that all items are sent.
  public init(
    _ items: [Item], every interval: Duration = .zero, repeats repetition: Repetition = .once
  ) {
    self.items = items.filter { !$0.data.isEmpty }
    self.interval = interval
    self.repetition = repetition
  }

  fileprivate var roundCount: Int {
    if case .times(let count) = repetition { max(count, 1) } else { .max }
  }

  /// Returns the delay before an item.
  fileprivate func delay(before index: Int, isFirst: Bool) -> Duration {
    let delay = items[index].delay ?? (isFirst ? .zero : interval)
    let least: Duration = repetition == .forever && !isFirst ? .milliseconds(1) : .zero
    return max(delay, least)
  }
}

extension MockStream {
  /// The position in a stream that is being sent.
  struct Cursor: Sendable {
    private let stream: MockStream
    private let isChunked: Bool
    private var index = 0
    private var round = 0
    /// The time at which the next item is sent, counted from the start of the script.
    private(set) var moment: Duration
    /// The number of bytes on the wire that are not sent at the beginning.
    private var skipped = 0
    /// The number of bytes on the wire after which the stream ends, or `nil` for its end.
    private var rest: Int?

    /// Creates a cursor at the beginning of a stream.
    ///
    /// - Parameters:
    ///   - stream: The stream.
    ///   - start: The time at which the stream begins.
    ///   - isChunked: Whether each item is a chunk of the chunked coding.
    init(_ stream: MockStream, at start: Duration, isChunked: Bool) {
      self.stream = stream
      self.isChunked = isChunked
      moment = start
      if !stream.items.isEmpty { moment += stream.delay(before: 0, isFirst: true) }
    }

    /// Whether there are no more items.
    var isAtEnd: Bool {
      stream.items.isEmpty || round >= stream.roundCount || rest.map { $0 <= 0 } == true
    }

    /// Whether items are sent until the client disconnects.
    var isEndless: Bool { stream.repetition == .forever && !stream.items.isEmpty && rest == nil }

    /// The number of bytes on the wire from the beginning, or `nil` for an endless stream.
    var byteCount: Int? {
      if stream.items.isEmpty { return 0 }
      guard case .times = stream.repetition else { return nil }
      let count = stream.items.reduce(0) { $0 + wire($1.data).count }
      let (total, isTooLarge) = count.multipliedReportingOverflow(by: stream.roundCount)
      return isTooLarge ? nil : total
    }

    /// Returns the bytes of the next item with its framing, and continues with the item after it.
    ///
    /// The result is empty if the item is skipped.
    mutating func next() -> Data {
      guard !isAtEnd else { return Data() }
      let data = wire(stream.items[index].data)
      advance()
      let isSkipped = min(skipped, data.count)
      skipped -= isSkipped
      let piece = data.dropFirst(isSkipped).prefix(rest ?? .max)
      rest = rest.map { $0 - piece.count }
      return piece
    }

    private mutating func advance() {
      index += 1
      if index == stream.items.count { (index, round) = (0, round + 1) }
      moment += stream.delay(before: index, isFirst: false)
    }

    /// Returns the time of the next item that is later than a time.
    ///
    /// `nil` if there is none among the next few items.
    func nextMoment(after elapsed: Duration) -> Duration? {
      var cursor = self
      for _ in 0..<16 where !cursor.isAtEnd {
        if cursor.moment > elapsed { return cursor.moment }
        cursor.advance()
      }
      return nil
    }

    /// Returns a cursor that ends after a number of bytes on the wire.
    func prefix(_ length: Int) -> Cursor {
      var cursor = self
      cursor.rest = max(length, 0)
      return cursor
    }

    /// Returns a cursor that sends no bytes before a position on the wire, with the same times.
    func dropFirst(_ length: Int) -> Cursor {
      copy(of: self) { $0.skipped = max(length, 0) }
    }

    /// Returns a cursor whose times are later.
    func delayed(by delay: Duration) -> Cursor {
      copy(of: self) { $0.moment += delay }
    }

    private func wire(_ data: Data) -> Data {
      isChunked ? data.chunk : data
    }
  }
}

extension Data {
  /// The bytes as one chunk of the chunked transfer coding.
  ///
  /// Source: RFC 9112 section 7.1.
  var chunk: Data { Data("\(String(count, radix: 16))\r\n".utf8) + self + Data("\r\n".utf8) }
}

extension Mock {
  /// Returns a response that is a stream of server-sent events.
  ///
  /// - Parameters:
  ///   - events: The events in order.
  ///   - interval: The delay between two events.
  ///   - repetition: The number of times that all events are sent. The default is once, after which
  ///     the response ends and an `EventSource` connects again.
  /// - Returns: The mock, of the type `text/event-stream`, with `Cache-Control: no-cache`.
  public static func events(
    _ events: [MockEvent], every interval: Duration = .zero,
    repeats repetition: MockStream.Repetition = .once
  ) -> Mock {
    Mock(
      headers: ["Content-Type": "text/event-stream", "Cache-Control": "no-cache"],
      body: .stream(
        MockStream(
          events.map { .init($0.bytes, after: $0.delay) }, every: interval, repeats: repetition)))
  }

  /// Returns a response that is a stream of JSON values, one on each line.
  ///
  /// - Parameters:
  ///   - values: The values in order.
  ///   - interval: The delay between two lines.
  ///   - repetition: The number of times that all lines are sent.
  /// - Returns: The mock, of the type `application/x-ndjson`. If a value contains a number that is
  ///   not finite, the request fails in memory, and on a socket the response is a 500.
  public static func lines(
    _ values: [JSON], every interval: Duration = .zero,
    repeats repetition: MockStream.Repetition = .once
  ) -> Mock {
    do {
      let items = try values.map { MockStream.Item(try $0.data() + Data("\n".utf8)) }
      return stream(
        MockStream(items, every: interval, repeats: repetition),
        contentType: "application/x-ndjson")
    } catch {
      var mock = Mock()
      mock.source = .invalid("a line cannot be encoded as JSON: \(error)")
      return mock
    }
  }

  /// Returns a response whose body is a stream of bytes.
  ///
  /// - Parameters:
  ///   - stream: The stream. Each item is sent as one chunk in the chunked coding.
  ///   - contentType: The content type. `nil` sends none.
  /// - Returns: The mock. Throttling and dribbling do not change its times.
  public static func stream(
    _ stream: MockStream, contentType: String? = "application/octet-stream"
  ) -> Mock {
    Mock(headers: contentType.map { ["Content-Type": $0] } ?? [:], body: .stream(stream))
  }
}
