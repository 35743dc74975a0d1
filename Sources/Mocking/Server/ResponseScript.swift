import Foundation
import Networking
import Promises

/// The steps of a response on a connection: waits, bytes, and an ending.
///
/// A script is computed from a mock, without a socket or a clock. It includes the framing, the pace
/// and the faults, so that a player on a socket or in memory only performs the steps.
struct ResponseScript {
  enum Step {
    /// Waits until this time, counted from the start of the script.
    case wait(until: Duration)
    case send(WireBytes.Segment)
    /// Sends the items of a stream at their times.
    case stream(MockStream.Cursor)
    /// Sends the body of a forwarded response.
    case relay(RelayedBody, ResponseMessage.RelayFraming)
    /// Ends the response. This is always the last step, and only the last step.
    case end(Ending)
  }

  enum Ending: Hashable {
    /// The connection stays open for the next request.
    case keepAlive
    /// The response is complete, and the connection closes after the client has received it.
    case finish
    /// The connection closes immediately.
    case close
    /// The connection is reset.
    case reset
    /// Nothing more is sent, and the connection stays open.
    case stall
  }

  /// The properties of the exchange that affect the response.
  struct ResponseContext: Hashable {
    var method: HTTPMethod = .get
    var minorVersion = 1
    var keepsAlive = true
    /// The value of the Date field, or `nil` for none.
    var date: String?
  }

  private(set) var steps: [Step] = []
  /// Whether the body is that of a forwarded response.
  private(set) var isRelayed = false
  /// The status of the response, or 0 if it has none.
  let status: Int
  /// The length of the status line and the header fields, including those of interim responses.
  let headByteCount: Int
  private let headMoment: Duration
  private let bodyMoment: Duration
  private let pace: Mock.Pace?

  /// Creates the script of a mock.
  ///
  /// - Parameters:
  ///   - mock: A resolved mock: its source is ``Mock/Source/fields``, its body is not a file, and
  ///     its delays are fixed.
  ///   - exchange: The properties of the exchange.
  init(_ mock: Mock, for exchange: ResponseContext = ResponseContext()) {
    let mock = mock.serverMock
    let message = ResponseMessage(mock, for: exchange)
    let head = WireBytes(message.head)
    status = mock.status
    headByteCount = message.head.count + message.interim.count
    let ending: Ending = message.keepsAlive ? .keepAlive : .finish
    headMoment = mock.headDelay
    bodyMoment = headMoment + (mock.bodyDelay?.duration(0) ?? .zero)
    pace = mock.pace
    steps.reserveCapacity(3)
    if !message.interim.isEmpty { send(WireBytes(message.interim)) }
    wait(until: headMoment, after: .zero)
    guard let interruption = mock.interruption else {
      if let relay = mock.relay {
        isRelayed = true
        send(head, then: Content(bytes: WireBytes()))
        if !mock.isBodiless, exchange.method != .head {
          steps.append(.relay(relay, message.relayFraming))
        }
        steps.append(.end(ending))
        return
      }
      if pace == nil, bodyMoment == headMoment, message.isSmall {
        // Fast path: one send.
        var bytes = message.head
        for case .data(let data) in message.body.segments { bytes += data }
        steps += [.send(.bytes(bytes[...])), .end(ending)]
        return
      }
      send(head, then: content(of: message, for: exchange))
      steps.append(.end(ending))
      return
    }
    play(interruption, message, content(of: message, for: exchange), ending)
  }

  /// A body with its framing: the items of a stream, and the bytes after them.
  private struct Content {
    var stream: MockStream.Cursor?
    var bytes: WireBytes

    /// Removes and returns the first `length` bytes, or all bytes if there are fewer.
    mutating func removeFirst(_ length: Int) -> Content {
      guard let stream else { return Content(bytes: bytes.removeFirst(length)) }
      if let count = stream.byteCount, count <= length {
        self.stream = nil
        return Content(stream: stream, bytes: bytes.removeFirst(length - count))
      }
      self.stream = stream.dropFirst(length)
      return Content(stream: stream.prefix(length), bytes: WireBytes())
    }
  }

  private func content(of message: ResponseMessage, for exchange: ResponseContext) -> Content {
    Content(
      stream: message.stream.map {
        MockStream.Cursor($0, at: bodyMoment, isChunked: exchange.minorVersion > 0)
      },
      bytes: message.body)
  }

  /// Creates a script that sends bytes to a new connection and then closes it.
  init(garbage: Data) {
    (status, headByteCount) = (0, 0)
    (headMoment, bodyMoment, pace) = (.zero, .zero, nil)
    steps = [.send(.data(garbage)), .end(.finish)]
  }

  private mutating func play(
    _ interruption: Mock.Interruption, _ message: ResponseMessage, _ content: Content,
    _ ending: Ending
  ) {
    var (head, body) = (WireBytes(message.head), content)
    switch (interruption.fault, interruption.stage) {
    case (.malformedChunk, let stage):
      let length = if case .body(let length) = stage { length } else { 0 }
      let chunks = ResponseMessage.malformedChunks(of: message.payload, afterBytes: length)
      send(head, then: Content(bytes: chunks))
      return steps.append(.end(.close))
    case (let fault, .request):
      guard interrupt(by: fault) else { return }
      send(head, then: body)
    case (let fault, .head(let length)):
      send(head.removeFirst(max(length, 0)))
      guard interrupt(by: fault) else { return }
      send(head, then: body)
    case (let fault, .body(let length)):
      send(head, then: body.removeFirst(max(length, 0)))
      guard interrupt(by: fault) else { return }
      send(body)
    case (let fault, .end):
      send(head, then: body)
      guard interrupt(by: fault) else { return }
    }
    steps.append(.end(ending))
  }

  /// Adds the steps of a fault, and returns whether the response continues after them.
  private mutating func interrupt(by fault: MockFault) -> Bool {
    switch fault {
    case .close, .malformedChunk: steps.append(.end(.close))
    case .reset: steps.append(.end(.reset))
    case .stall: steps.append(.end(.stall))
    case .garbage(let data):
      send(WireBytes(Array(data)))
      return true
    }
    return false
  }

  private mutating func send(_ bytes: WireBytes) {
    for segment in bytes.segments { steps.append(.send(segment)) }
  }

  private mutating func send(_ content: Content) {
    if let stream = content.stream { steps.append(.stream(stream)) }
    send(content.bytes)
  }

  /// Adds the head or the rest of it, and then the body with its delay and its pace.
  private mutating func send(_ head: WireBytes, then content: Content) {
    send(head)
    wait(until: bodyMoment, after: headMoment)
    guard let pace, content.stream == nil else { return send(content) }
    var body = content.bytes
    var last = bodyMoment
    for piece in pace.pieces(of: body.count) {
      wait(until: bodyMoment + piece.moment, after: last)
      last = bodyMoment + piece.moment
      send(body.removeFirst(piece.byteCount))
    }
  }

  private mutating func wait(until moment: Duration, after last: Duration) {
    if moment > last { steps.append(.wait(until: moment)) }
  }
}
