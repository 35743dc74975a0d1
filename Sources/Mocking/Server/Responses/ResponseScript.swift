import Foundation
import Networking

/// What is to be done with a connection to answer a request, step by step.
///
/// Made of a response without any socket or clock: framing, pace and faults are all decided here, and
/// who plays the script knows nothing of them.
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
  }

  private(set) var steps: [Step] = []

  init(_ response: MockResponse, for exchange: Exchange = Exchange()) {
    let message = ResponseMessage(ResponseMessage.checked(response), for: exchange)
    var (head, body) = (WireBytes(message.head), message.body)
    let ending: Ending = message.keepsAlive ? .keepAlive : .finish
    steps.reserveCapacity(3)
    if response.delay > .zero { steps.append(.wait(until: response.delay)) }
    guard let interruption = response.interruption else {
      if response.dribble == nil, message.isSmall {
        // The common case: one send.
        var bytes = message.head
        for case .data(let data) in body.segments { bytes += data }
        steps += [.send(.bytes(bytes[...])), .end(ending)]
        return
      }
      send(head)
      send(body, response)
      steps.append(.end(ending))
      return
    }
    switch (interruption.fault, interruption.stage) {
    case (.malformedChunk, let stage):
      send(head)
      let length = if case .body(let length) = stage { length } else { 0 }
      send(ResponseMessage.malformedChunks(of: message.payload, afterBytes: length), response)
      steps.append(.end(.close))
    case (let fault, .request):
      guard interrupt(by: fault) else { return }
      send(head)
      send(body, response)
      steps.append(.end(ending))
    case (let fault, .head(let length)):
      send(head.removeFirst(max(length, 0)))
      guard interrupt(by: fault) else { return }
      send(head)
      send(body, response)
      steps.append(.end(ending))
    case (let fault, .body(let length)):
      send(head)
      send(body.removeFirst(max(length, 0)), response)
      guard interrupt(by: fault) else { return }
      send(body)
      steps.append(.end(ending))
    case (let fault, .end):
      send(head)
      send(body, response)
      guard interrupt(by: fault) else { return }
      steps.append(.end(ending))
    }
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

  private mutating func send(_ body: WireBytes, _ response: MockResponse) {
    guard let dribble = response.dribble else { return send(body) }
    var body = body
    let count = body.count
    let pieces = min(dribble.pieces, count)
    for piece in 0..<pieces {
      if piece > 0 {
        let share = dribble.duration * piece / (pieces - 1)
        steps.append(.wait(until: response.delay + share))
      }
      // Without overflow, and all pieces alike but for one byte.
      send(body.removeFirst(count / pieces + (piece < count % pieces ? 1 : 0)))
    }
  }
}
