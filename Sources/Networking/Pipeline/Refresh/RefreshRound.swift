/// One refresh, which the requests are known by that it makes itself.
struct RefreshRound: Sendable {
  /// The refresh whose closure runs here, or that began the task that runs here.
  @TaskLocal static var current: RefreshRound?

  let shared: SharedRefresh
  let number: Int
}
