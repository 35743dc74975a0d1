import Foundation

/// Where the bytes of a response go that are not gathered in memory.
///
/// The calls come one at a time, but for ``abandon()``, which may come at any time from any thread.
protocol BodySink: AnyObject, Sendable {
  func take(_ bytes: Data)

  /// All has come.
  func end(_ metrics: TransportMetrics)

  /// No more will come, and what has come is not all.
  func fail(_ error: NetworkError)

  /// Nobody wants it any more.
  func abandon()
}
