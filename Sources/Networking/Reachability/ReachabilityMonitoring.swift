/// Where a ``NetworkReachability`` has its knowledge from: the system or, in tests, the test.
///
/// `MockReachability` in the module `Mocking` is one that a test sets.
public protocol ReachabilityMonitoring: Sendable {
  /// Begins to report the status, the current one first and then whenever it may have changed.
  ///
  /// - Parameter report: takes a status; from any thread, during this call and after it, one at a time.
  ///   A status equal to the last one is ignored. It must not be called inside a lock: handlers of
  ///   promises run in it.
  /// - Returns: what ends the reports and lets go of all that they needed; called once, from any
  ///   thread, also from within `report`, and it must not wait for a report to end.
  func start(
    _ report: @escaping @Sendable (_ status: NetworkReachability.Status) -> Void
  ) -> @Sendable () -> Void
}
