import Foundation

/// A monitor that gets to see small bodies, which are in no event.
protocol BodyMonitor: NetworkMonitor {
  /// How many bytes a body may have for that; 0 is for none.
  var bodyLimit: Int { get }

  /// Takes note of an event, and of the body that was sent or received with it; not redacted.
  func observe(_ event: NetworkEvent, _ body: Data?)
}

extension BodyMonitor {
  func observe(_ event: NetworkEvent) { observe(event, nil) }
}
