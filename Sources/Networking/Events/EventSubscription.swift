/// What a sequence of events and its iterators share; with the last of them the subscription ends.
final class EventSubscription: Sendable {
  let buffer: EventBuffer
  private let onEnd: @Sendable () -> Void

  init(_ buffer: EventBuffer, onEnd: @escaping @Sendable () -> Void) {
    self.buffer = buffer
    self.onEnd = onEnd
  }

  deinit {
    onEnd()
  }
}
