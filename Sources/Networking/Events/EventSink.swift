import Foundation

/// Takes the events of a client's calls, for somebody who watches.
protocol EventSink: AnyObject, Sendable {
  /// How many bytes a body may have to be handed over with its event; 0 is for none.
  var bodyLimit: Int { get }

  /// Keeps an event.
  ///
  /// It is called under the lock of the event's call, so that the events of that come in order; so it runs
  /// nobody's code, and waits for nothing.
  ///
  /// - Parameters:
  ///   - event: what happened.
  ///   - body: what was sent or received, with ``NetworkEvent/Kind/sending(headers:bodySize:)`` and
  ///     ``NetworkEvent/Kind/body(bytes:)``, where somebody wants bodies and it is small enough.
  func take(_ event: NetworkEvent, _ body: Data?)

  /// Sees to it that what has been kept is handed over.
  func deliver()
}
