import Foundation
import Networking
public import Promises

/// The rules for connecting again after a stream of events has ended.
///
/// ```swift
/// networking.events(of: .prices, reconnecting: EventReconnection(delay: .seconds(1), limit: 10))
/// ```
///
/// The server can replace ``delay`` by a `retry` field, which is raised to 500 milliseconds, or to
/// ``delay`` if that is shorter. The delay doubles with each failure in a row, up to ``maximumDelay``,
/// and starts again after an event. It is never less than 100 milliseconds, whatever the client and
/// the server set, and never less than the `Retry-After` of a response with a temporary failure. A
/// `Retry-After` above ``maximumDelay`` ends the stream.
public struct EventReconnection: Sendable {
  /// The delay before the first attempt, until the server sets another one.
  ///
  /// Less than 100 milliseconds counts as that: a server that closes each connection would otherwise
  /// make its clients connect again without a pause.
  public var delay: Duration
  /// The maximum delay, unless the server sets a longer one.
  public var maximumDelay: Duration
  /// The randomization, which only makes a delay longer: by up to half with `equal`, and by up to the
  /// same time with `full`.
  public var jitter: RetrySchedule.Jitter
  /// The maximum number of failures in a row.
  ///
  /// 0 never connects again.
  public var limit: Int

  /// Creates rules.
  ///
  /// - Parameters:
  ///   - delay: The delay before the first attempt, until the server sets another one.
  ///   - maximumDelay: The maximum delay, unless the server sets a longer one.
  ///   - jitter: The randomization of the delays.
  ///   - limit: The maximum number of failures in a row.
  public init(
    delay: Duration = .seconds(3), maximumDelay: Duration = .seconds(60),
    jitter: RetrySchedule.Jitter = .equal, limit: Int = .max
  ) {
    self.delay = delay
    self.maximumDelay = maximumDelay
    self.jitter = jitter
    self.limit = limit
  }

  /// No reconnection: the end of the body is the end of the sequence.
  public static let never = EventReconnection(limit: 0)

  /// The minimum of the server's delay, unless the client's own delay is shorter.
  ///
  /// Browsers have similar limits.
  private static let minimumServerDelay = Duration.milliseconds(500)
  /// The minimum of the client's own delay.
  ///
  /// Twice a delay of zero is zero, and a delay starts again after each event. So there would be no
  /// pause between the connections to a server that sends one event and closes.
  private static let minimumDelay = Duration.milliseconds(100)

  /// Returns the delay before an attempt.
  ///
  /// - Parameters:
  ///   - number: The number of the failure in a row, from 1.
  ///   - serverDelay: The time of the server's `retry` field, if there was one.
  ///   - random: A number from 0 to 1.
  /// - Returns: The delay. `nil` beyond the limit.
  func delay(
    beforeAttempt number: Int, serverDelay: Duration?, random: Double = .random(in: 0...1)
  ) -> Duration? {
    let ownDelay = max(delay, Self.minimumDelay)
    let initial = max(serverDelay ?? ownDelay, min(ownDelay, Self.minimumServerDelay))
    let schedule = RetrySchedule.exponential(
      initial: initial, cap: max(initial, maximumDelay), jitter: .none, limit: limit)
    let error = NetworkError(.connectionLost)
    guard let delay = schedule.delay(beforeRetry: number, after: error) else { return nil }
    return switch jitter {
    case .none: delay
    case .equal: delay + delay / 2 * random
    case .full: delay + delay * random
    }
  }
}

/// The events of a server, as an asynchronous sequence.
///
/// `Networking.events(of:)` makes a sequence. Its documentation describes the behavior. Each iterator
/// has a connection of its own.
public struct ServerSentEvents: AsyncSequence, Sendable {
  /// An event.
  public typealias Element = ServerSentEvent

  struct Options: Sendable {
    var lastEventID: String
    /// `nil` depends on the method of the request.
    var reconnection: EventReconnection?
    var maximumEventSize: Int
  }

  let opener: StreamOpener
  let options: Options

  /// Creates an iterator.
  ///
  /// - Returns: The iterator. It sends the request when the first event is asked for.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(reader: ServerSentEventReader(opener, options))
  }

  /// An iterator over the events of a server.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let reader: ServerSentEventReader

    /// Returns the next event.
    ///
    /// - Parameter actor: The actor of the caller.
    /// - Returns: The event. `nil` at the end of the stream.
    /// - Throws: ``NetworkError``, or `CancellationError` if the task is cancelled. The sequence then
    ///   ends.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws -> ServerSentEvent? {
      try await reader.next(isolation: actor)
    }
  }
}

/// The reader of a stream of events, over one connection after another.
final class ServerSentEventReader {
  private let opener: StreamOpener
  private let options: ServerSentEvents.Options
  private var parser: ServerSentEventParser
  /// The body of the current connection.
  private var body: StreamBody?
  /// The time of the last `retry` field.
  private var serverDelay: Duration?
  private var hasConnected = false
  private var failures = 0
  private var isOver = false
  /// The sessions of all requests, after the first one was made.
  private var sessions: CallSessions?

  init(_ opener: StreamOpener, _ options: ServerSentEvents.Options) {
    self.opener = opener
    self.options = options
    parser = ServerSentEventParser(
      lastEventID: options.lastEventID, limit: options.maximumEventSize)
  }

  func next(isolation actor: isolated (any Actor)?) async throws -> ServerSentEvent? {
    while !isOver {
      do {
        // The rest of the events is not delivered after a sign-out.
        if sessions?.hasEnded == true {
          throw NetworkError.sessionEnded(
            self.body.map { NetworkError.RequestSummary($0.response.request) })
        }
        guard let body else {
          try await connect(isolation: actor)
          continue
        }
        if let event = try nextEvent(of: body) { return event }
        if let piece = try await body.next(isolation: actor) {
          parser.append(piece)
        } else {
          try await reconnect(after: nil, isolation: actor)
        }
      } catch let error as NetworkError
        where hasConnected && (error.code.isTemporary || error.code.isNetworkUnavailable)
      {
        try await reconnect(after: error, isolation: actor)
      } catch {
        end()
        throw error
      }
    }
    return nil
  }

  private func nextEvent(of body: StreamBody) throws -> ServerSentEvent? {
    do throws(LineSplitter.LineTooLong) {
      guard var event = try parser.next() else { return nil }
      event.clientDecoder.decoder = body.response.decoder
      failures = 0
      return event
    } catch {
      let name = String(decoding: error.start.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)
      let isField = ["data", "id", "event", "retry"].contains(name)
      throw error.error(of: body.response, isField ? "the field \(name) of an event" : "an event")
    }
  }

  /// Sends the request, and checks the head of the response.
  private func connect(isolation actor: isolated (any Actor)?) async throws {
    let id = parser.lastEventID
    guard id.utf8.count <= ServerSentEventParser.maximumIDLength else {
      throw NetworkError(
        .invalidHeader,
        "the lastEventID has \(id.utf8.count) bytes, more than the "
          + "\(ServerSentEventParser.maximumIDLength) that servers accept")
    }
    let sessions = sessions ?? opener.sessions()
    self.sessions = sessions
    let response = try await opener.start(sessions) { request in
      request.setDefault("Accept", "text/event-stream")
      request.setDefault("Cache-Control", "no-store")
      // A field cannot have control characters. Without the field the server starts anew.
      if !id.isEmpty,
        id.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 })
      {
        request.headers["Last-Event-ID"] = id
      }
    }.value
    if response.status == 204 { return end() }
    guard response.status == 200 else {
      throw NetworkError(.unacceptableStatus(response.status), response)
    }
    guard let type = response.contentType else {
      throw NetworkError(.missingContentType, response)
    }
    guard type.type == "text", type.subtype == "event-stream" else {
      throw NetworkError(.unacceptableContentType("\(type)"), response)
    }
    hasConnected = true
    parser = ServerSentEventParser(lastEventID: id, limit: options.maximumEventSize)
    body = StreamBody(response)
  }

  /// Waits before the next connection, or ends the sequence.
  ///
  /// - Throws: The error, if the rules allow no further connection.
  private func reconnect(
    after error: NetworkError?, isolation actor: isolated (any Actor)?
  ) async throws {
    body = nil
    if let time = parser.reconnectionTime { serverDelay = .milliseconds(time) }
    failures += 1
    let rules = options.reconnection ?? (opener.isRepeatable() ? EventReconnection() : .never)
    let retryAfter = error?.response.flatMap {
      RetryAfter.delay(in: $0.headers, now: opener.wallClock())
    }
    guard let delay = rules.delay(beforeAttempt: failures, serverDelay: serverDelay),
      retryAfter ?? .zero <= rules.maximumDelay
    else {
      end()
      if let error { throw error }
      return
    }
    do {
      try await after(max(delay, retryAfter ?? .zero), scheduler: opener.scheduler).value
    } catch {
      end()
      throw error
    }
  }

  private func end() {
    isOver = true
    body = nil
  }
}

extension ServerSentEvents: BrieflyDescribed {}
