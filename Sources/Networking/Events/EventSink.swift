/// Takes the events of a client's calls, for somebody who watches.
protocol EventSink: AnyObject, Sendable {
  /// Keeps an event.
  ///
  /// It is called under the lock of the event's call, so that the events of that come in order; so it runs
  /// nobody's code, and waits for nothing.
  func take(_ event: NetworkEvent)

  /// Sees to it that what has been kept is handed over.
  func deliver()
}
