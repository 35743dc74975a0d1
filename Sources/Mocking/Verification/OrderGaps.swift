/// Whether other requests may come between those whose order is verified.
public enum OrderGaps: Sendable, Hashable {
  /// Others may come before, between and behind them.
  case allowed
  /// Others may come before and behind them, but not between.
  case forbidden
}
