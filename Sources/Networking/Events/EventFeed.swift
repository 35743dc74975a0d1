import Foundation

/// Feeds a sequence's buffer; the client and its calls hold it, and when the last of them lets go of it the
/// sequence has its end.
final class EventFeed: EventSink {
  private let buffer: EventBuffer

  init(_ buffer: EventBuffer) {
    self.buffer = buffer
  }

  deinit {
    buffer.finish()
  }

  let bodyLimit = 0

  func take(_ event: NetworkEvent, _ body: Data?) {
    buffer.add(event)
  }

  func deliver() {
    buffer.deliver()
  }
}
