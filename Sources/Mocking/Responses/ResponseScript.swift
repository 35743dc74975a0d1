import Foundation
import Networking

/// What happens on a connection to answer a request, step by step.
///
/// Made of a mock without any socket or clock: framing, pace and faults are all decided here, and who
/// plays the script, on a socket or in memory, knows nothing of them.
struct ResponseScript {
  enum Step {
    /// Go on when so much time has passed since the beginning of the script.
    case wait(until: Duration)
    case send(WireBytes.Segment)
    /// The last step, and only that.
    case end(Ending)
  }

  enum Ending: Hashable {
    /// The connection takes the next request.
    case keepAlive
    /// The response is complete, and no other follows: the client gets all of it, then the end.
    case finish
    /// The connection is closed here and now.
    case close
    case reset
    case stall
  }

  /// The exchange that the response belongs to, as far as it matters.
  struct Exchange: Hashable {
    var method: HTTPMethod = .get
    var minorVersion = 1
    var keepsAlive = true
    /// What a Date field says; nil sends none.
    var date: String?
  }

  private(set) var steps: [Step] = []
  /// The status in it; 0 where there is none.
  let status: Int
  /// How long the status line and the header fields are.
  let headByteCount: Int
  private let headMoment: Duration
  private let bodyMoment: Duration
  private let pace: Mock.Pace?

  /// Lays out how a mock is answered.
  ///
  /// - Parameters:
  ///   - mock: one of ``Mock/Source/own``, whose body is no file and whose delays are fixed.
  ///   - exchange: what it answers.
  init(_ mock: Mock, for exchange: Exchange = Exchange()) {
    let mock = mock.onTheWire
    let message = ResponseMessage(mock, for: exchange)
    let (head, body) = (WireBytes(message.head), message.body)
    status = mock.status
    headByteCount = message.head.count
    let ending: Ending = message.keepsAlive ? .keepAlive : .finish
    headMoment = mock.headDelay
    bodyMoment = headMoment + (mock.bodyDelay?.duration(0) ?? .zero)
    pace = mock.pace
    steps.reserveCapacity(3)
    wait(until: headMoment, after: .zero)
    guard let interruption = mock.interruption else {
      if pace == nil, bodyMoment == headMoment, message.isSmall {
        // The common case: one send.
        var bytes = message.head
        for case .data(let data) in body.segments { bytes += data }
        steps += [.send(.bytes(bytes[...])), .end(ending)]
        return
      }
      send(head, then: body)
      steps.append(.end(ending))
      return
    }
    play(interruption, message, ending)
  }

  /// Lays out bytes that answer nothing, and then the end.
  init(garbage: Data) {
    (status, headByteCount) = (0, 0)
    (headMoment, bodyMoment, pace) = (.zero, .zero, nil)
    steps = [.send(.data(garbage)), .end(.finish)]
  }

  private mutating func play(
    _ interruption: Mock.Interruption, _ message: ResponseMessage, _ ending: Ending
  ) {
    var (head, body) = (WireBytes(message.head), message.body)
    switch (interruption.fault, interruption.stage) {
    case (.malformedChunk, let stage):
      let length = if case .body(let length) = stage { length } else { 0 }
      send(head, then: ResponseMessage.malformedChunks(of: message.payload, afterBytes: length))
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

  /// Adds what the fault does; true when the script goes on behind it.
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

  /// Sends a head, or the rest of one, and a body at its time and pace.
  private mutating func send(_ head: WireBytes, then body: WireBytes) {
    send(head)
    wait(until: bodyMoment, after: headMoment)
    guard let pace else { return send(body) }
    var body = body
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
