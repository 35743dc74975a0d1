/// The policy for requests that cannot reach their server, because the internet is unreachable.
///
/// ```swift
/// configuration.whenUnreachable = .wait(atMost: .seconds(30))
/// ```
///
/// A request is sent at once if the status is reachable or unknown, or if it does not need the
/// internet, because it is mocked or its server is local. If the closure of a mock provider runs on
/// an actor, the request waits for its result first. A waiting request is sent as soon as the network
/// is reachable, and may then fail for any reason, including a network that is lost again. Cancelling a
/// waiting request releases all its resources.
///
/// Local servers are this machine (`localhost` and names below it, 127.0.0.0/8, ::1), addresses of
/// private networks, link-local addresses, the shared address space 100.64.0.0/10, names without a
/// dot, and names below `local`, `internal` and `home.arpa`. A client whose requests go through a proxy
/// or a Unix socket should have no policy.
///
/// A rejected request fails with ``NetworkError/Code-swift.enum/notConnectedToInternet``. No
/// ``RetryPolicy`` retries it, and it uses no ``RetryBudget``. The rejection does not count as an
/// attempt unless the request was redirected before.
public enum ReachabilityPolicy: Sendable, Hashable {
  /// The request fails at once.
  case fail
  /// The request waits for the network, and fails after the given time.
  case wait(atMost: Duration)
}
