import Foundation
import Networking
import Promises

/// The events of a server, as an asynchronous sequence.
///
/// `Networking.events(of:)` makes a sequence. Its documentation describes the behavior. Each iterator
/// has a connection of its own.
public struct ServerSentEvents: AsyncSequence, Sendable {
  /// An event.
  public typealias Element = ServerSentEvent

  struct Options: Sendable {
    var lastEventID: String
    var maximumEventSize: Int
    /// The rules for connecting again, unless the request has a retry policy.
    var reconnection = EventReconnection()
  }

  let opener: StreamOpener
  var options: Options

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

    /// Returns the next event, on systems before macOS 15 and iOS 18.
    ///
    /// - Returns: The event, as from ``next(isolation:)``.
    /// - Throws: The error of ``next(isolation:)``.
    @_disfavoredOverload
    public mutating func next() async throws -> ServerSentEvent? { try await next(isolation: nil) }
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
  private var hasConnected: Bool { connection != nil }
  /// The request of the last connection that was made.
  private var connection: HTTPRequest?
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
    let response = try await opener.start(sessions, hasConnected) { request in
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
    connection = response.request
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
    guard let delay = reconnectionDelay(after: error) else {
      end()
      if let error { throw error }
      return
    }
    do {
      try await after(delay, scheduler: opener.scheduler).value
    } catch {
      end()
      throw error
    }
  }

  /// Returns the delay before the next connection, or `nil` if there is none.
  private func reconnectionDelay(after error: NetworkError?) -> Duration? {
    guard let connection, let request = opener.request() else { return nil }
    let attempt = FailedAttempt(
      number: failures, request: connection, result: .failure(error ?? .init(.connectionLost)),
      at: opener.wallClock())
    let isSafe = [.get, .head].contains(request.method)
    if let policy = request.retry {
      guard isSafe || policy.retriesAnyMethod else { return nil }
      return policy.delay(beforeRetry: failures, after: attempt)
        .map { EventReconnection.bounded($0, serverDelay: serverDelay) }
    }
    let (rules, retryAfter) = (options.reconnection, attempt.retryAfter ?? .zero)
    guard isSafe, retryAfter <= rules.maximumDelay else { return nil }
    return rules.delay(beforeAttempt: failures, serverDelay: serverDelay)
      .map { max($0, retryAfter) }
  }

  private func end() {
    isOver = true
    body = nil
  }
}

extension ServerSentEvents: BrieflyDescribed {}
