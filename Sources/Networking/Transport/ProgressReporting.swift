/// Somebody who is told how a transfer gets on.
protocol ProgressReporting: AnyObject, Sendable {
  /// Starts from nothing again, without a report of it.
  func begin()

  /// Takes in what has happened.
  func change(_ change: (inout TransferProgress) -> Void)
}
