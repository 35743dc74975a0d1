public import Foundation
import Networking
import Promises

extension Networking {
  /// Returns the events of a server, as an asynchronous sequence.
  ///
  /// ```swift
  /// for try await event in networking.events(of: .prices) { chart.add(event.data) }
  /// ```
  ///
  /// - **Request.** It is sent when the first event is asked for, with `Accept: text/event-stream`,
  ///   unless the request has that field.
  /// - **Reconnection.** After the end of the body or a lost connection the client waits, and sends the
  ///   request again with the `Last-Event-ID`. A `retry` field of the server sets the time to wait, within
  ///   limits. This applies to requests whose method is safe, such as GET. The policy of
  ///   ``RequestOption/retry(_:)`` replaces these rules: `.retry(.never)` ends the sequence with the
  ///   body. It also applies to the first connection, whose failure is thrown. Without it, each
  ///   connection is subject to the retry policy of the client.
  /// - **End.** The status 204 ends the sequence. Any other status than 200, and any other content type
  ///   than `text/event-stream`, is thrown as an error.
  /// - **Backpressure.** If the loop is slow, the client stops reading from the connection, and the
  ///   server has to wait.
  /// - **Cancellation.** The connection is closed when the task is cancelled, or when the loop is left.
  /// - **Limits.** The time limits of the call and the attempt end when the head has arrived. The idle
  ///   timeout applies to the body: a connection on which the server sends nothing for that time, not
  ///   even a comment, counts as lost.
  ///
  /// Source: HTML Standard (WHATWG), section 9.2, server-sent events.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint.
  ///   - lastEventID: The identifier of the last event of an earlier sequence, at most 4,096 bytes. Empty for none.
  ///   - idleTimeout: The limit for the time without data. `nil` uses the client's setting.
  ///   - maximumEventSize: The maximum size of an event, and of a line, in bytes.
  ///   - options: The options of each connection, which are applied in order.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  /// - Returns: The sequence. It throws a ``NetworkError`` like that of `request(_:_:file:line:)`;
  ///   `unacceptableStatus`, `unacceptableContentType` or `missingContentType`; `bodyTooLarge` with the
  ///   name of the field for an event above the limit; `invalidHeader` for a `lastEventID` that is too long;
  ///   and `CancellationError`.
  public func events(
    of endpoint: Endpoint, lastEventID: String = "", idleTimeout: Duration? = nil,
    maximumEventSize: Int = 16 << 20, _ options: RequestOption...,
    file: StaticString = #fileID, line: UInt = #line
  ) -> ServerSentEvents {
    ServerSentEvents(
      opener: eventOpener(of: endpoint, options, idleTimeout, file, line),
      options: .init(lastEventID: lastEventID, maximumEventSize: maximumEventSize))
  }

  /// Returns the events of a typed endpoint, like those of an `Endpoint`.
  @_disfavoredOverload
  public func events(
    of endpoint: some TypedEndpoint, lastEventID: String = "", idleTimeout: Duration? = nil,
    maximumEventSize: Int = 16 << 20, _ options: RequestOption...,
    file: StaticString = #fileID, line: UInt = #line
  ) -> ServerSentEvents {
    ServerSentEvents(
      opener: eventOpener(of: endpoint, options, idleTimeout, file, line),
      options: .init(lastEventID: lastEventID, maximumEventSize: maximumEventSize))
  }

  /// Returns the lines of a response body, as an asynchronous sequence.
  ///
  /// ```swift
  /// for try await line in networking.lines(of: .log) { print(line) }
  /// ```
  ///
  /// A line ends with CR LF, LF or CR. The last one needs no end. Lines are decoded as UTF-8; invalid
  /// bytes become U+FFFD, and a byte order mark at the start is removed. The request is sent when the
  /// first line is asked for, and is never sent again. Backpressure, cancellation and limits are those
  /// of `events(of:)`.
  ///
  /// On Apple's platforms, the system delivers the first lines of the type `text/plain`, or of no type,
  /// after the first 512 bytes of the body or at its end. A server whose lines are short and slow
  /// sends another type, such as `application/x-ndjson` or `text/event-stream`. The effect of
  /// `X-Content-Type-Options: nosniff` on it is not documented. Sources: Apple Developer Forums, thread
  /// 64875; Open Radar 31862557.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint.
  ///   - idleTimeout: The limit for the time without data. `nil` uses the client's setting.
  ///   - maximumLineSize: The maximum size of a line, in bytes.
  ///   - options: The options of this call, which are applied in order.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  /// - Returns: The sequence. It throws a ``NetworkError`` like that of `request(_:_:file:line:)`;
  ///   `unacceptableStatus` for a status other than 2xx; `bodyTooLarge` for a line above the limit;
  ///   and `CancellationError`.
  public func lines(
    of endpoint: Endpoint, idleTimeout: Duration? = nil, maximumLineSize: Int = 16 << 20,
    _ options: RequestOption..., file: StaticString = #fileID, line: UInt = #line
  ) -> ResponseLines {
    ResponseLines(
      opener: opener(of: endpoint, options, idleTimeout, file, line),
      maximumLineSize: maximumLineSize)
  }

  /// Returns the lines of a response body of a typed endpoint, like those of an `Endpoint`.
  @_disfavoredOverload
  public func lines(
    of endpoint: some TypedEndpoint, idleTimeout: Duration? = nil,
    maximumLineSize: Int = 16 << 20, _ options: RequestOption...,
    file: StaticString = #fileID, line: UInt = #line
  ) -> ResponseLines {
    ResponseLines(
      opener: opener(of: endpoint, options, idleTimeout, file, line),
      maximumLineSize: maximumLineSize)
  }

  /// Returns the JSON values of a response body, as an asynchronous sequence.
  ///
  /// ```swift
  /// for try await order in networking.jsonLines(of: .export, as: Order.self) { book.add(order) }
  /// ```
  ///
  /// The body has one value on each line (NDJSON, also named JSON Lines), or is a JSON text sequence:
  /// by its content type, such as `application/json-seq`, or if its first byte is RS. Empty lines are
  /// skipped. Each value is decoded when the loop asks for it, by the task of the loop on its actor.
  /// A loop on the main actor decodes large values there. Backpressure, cancellation and limits are
  /// those of `lines(of:)`.
  ///
  /// Source: RFC 7464 (JSON text sequences).
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint.
  ///   - type: The type of the values.
  ///   - decoder: The decoder. It must not be modified after this call. `nil` uses
  ///     ``NetworkingConfiguration/decoder``.
  ///   - idleTimeout: The limit for the time without data. `nil` uses the client's setting.
  ///   - maximumLineSize: The maximum size of a value, in bytes.
  ///   - options: The options of this call, which are applied in order.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  /// - Returns: The sequence. It throws a ``NetworkError`` like that of `lines(of:)`, and
  ///   `decodingFailed` with the number and the text of the value, also for a value that is cut off.
  public func jsonLines<Value: Decodable & Sendable>(
    of endpoint: Endpoint, as type: Value.Type = Value.self, decoder: JSONDecoder? = nil,
    idleTimeout: Duration? = nil, maximumLineSize: Int = 16 << 20, _ options: RequestOption...,
    file: StaticString = #fileID, line: UInt = #line
  ) -> JSONLines<Value> {
    JSONLines(
      opener: opener(of: endpoint, options, idleTimeout, file, line), decoder: decoder,
      maximumLineSize: maximumLineSize)
  }

  /// Returns the JSON values of a response body of a typed endpoint, like those of an `Endpoint`.
  ///
  /// The type of a value is not that of the endpoint, which is the type of a whole body.
  @_disfavoredOverload
  public func jsonLines<Value: Decodable & Sendable>(
    of endpoint: some TypedEndpoint, as type: Value.Type = Value.self, decoder: JSONDecoder? = nil,
    idleTimeout: Duration? = nil, maximumLineSize: Int = 16 << 20, _ options: RequestOption...,
    file: StaticString = #fileID, line: UInt = #line
  ) -> JSONLines<Value> {
    JSONLines(
      opener: opener(of: endpoint, options, idleTimeout, file, line), decoder: decoder,
      maximumLineSize: maximumLineSize)
  }

  private func eventOpener(
    of endpoint: some RequestConvertible, _ options: [RequestOption], _ idleTimeout: Duration?,
    _ file: StaticString, _ line: UInt
  ) -> StreamOpener {
    opener(
      of: endpoint, options, idleTimeout, discarding: { head, _ in head.isTemporary }, file, line)
  }

  private func opener(
    of endpoint: some RequestConvertible, _ options: [RequestOption], _ idleTimeout: Duration?,
    discarding discards: Discard? = nil, _ file: StaticString, _ line: UInt
  ) -> StreamOpener {
    let context = context
    return StreamOpener(
      scheduler: context.scheduler, wallClock: context.wallClock,
      request: { try? endpoint.request.applying(options) },
      sessions: { [self] in currentSessions }
    ) { [self] sessions, isRepetition, prepare in
      // The reader repeats the later connections by the policy of the request.
      let once = RequestOption.change { if isRepetition, $0.retry != nil { $0.retry = .never } }
      var call = CallOptions(to: .stream, options + [once])
      call.prepare = { request in
        var request = request
        prepare(&request)
        if let idleTimeout { request.idleTimeout = idleTimeout }
        return request
      }
      call.deadlinesEndWithHead = true
      call.discards = discards
      call.sessions = sessions
      return send(endpoint, call, file, line)
    }
  }
}
