import Foundation
import Promises

/// Holds requests back, or fails them, while there is no way to the internet.
///
/// ```swift
/// let waiting = ReachabilityInterceptor(reachability, whenUnreachable: .wait(atMost: .seconds(30)))
/// let failing = ReachabilityInterceptor(reachability, whenUnreachable: .fail)
/// ```
///
/// A request goes on at once when the status is reachable or not known, and when it needs no internet, as
/// its server is mocked or close by: see ``isLocal(_:)``. One that waits goes on as soon as the network is reachable; it may then fail
/// for any reason of its own, also for want of a network that has gone again. Cancelling it while it waits
/// lets go of everything. An error of this stage is ``NetworkError/Code-swift.enum/notConnectedToInternet``;
/// it is tried again by no ``RetryPolicy``, takes nothing from a ``RetryBudget``, and counts for no attempt, unless
/// the request had been redirected by then.
///
/// ``NetworkingConfiguration/whenUnreachable`` puts one into a client's walk, where the hops go out. In
/// a pipeline of your own put it there too, and no stage that answers without the network, such as a cache, is held
/// up by it. A client whose requests all go by a proxy or a Unix socket needs no way to the internet of
/// this machine's own: leave the stage out there, or say so by `needsInternet`.
public struct ReachabilityInterceptor: Interceptor {
  /// What becomes of a request that cannot reach its server.
  public enum Policy: Sendable, Hashable {
    /// It fails at once.
    case fail
    /// It waits so long at the most, and fails when the network has not come by then.
    case wait(atMost: Duration)
  }

  private let reachability: NetworkReachability
  private let policy: Policy
  private let scheduler: any Scheduler
  private let needsInternet: @Sendable (HTTPRequest) -> Bool

  /// Makes a stage.
  ///
  /// - Parameters:
  ///   - reachability: what tells of the network; it is kept alive.
  ///   - policy: what becomes of a request while the network is unreachable.
  ///   - scheduler: whose time a wait's limit counts in.
  ///   - needsInternet: whether a request's server is on the internet; called once for each request
  ///     that finds the network unreachable, on the thread that sends it. Unless said otherwise, those
  ///     do whose URL is not ``isLocal(_:)``.
  public init(
    _ reachability: NetworkReachability, whenUnreachable policy: Policy,
    scheduler: any Scheduler = .live,
    needsInternet: @escaping @Sendable (_ request: HTTPRequest) -> Bool = { !isLocal($0.url) }
  ) {
    self.reachability = reachability
    self.policy = policy
    self.scheduler = scheduler
    self.needsInternet = needsInternet
  }

  /// Sends an exchange on, now or when the network is there.
  ///
  /// - Parameters:
  ///   - exchange: the request.
  ///   - next: the stages further in.
  /// - Returns: a promise of the answer.
  public func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    guard reachability.status == .unreachable, exchange.call.transport.transport.needsNetwork,
      needsInternet(exchange.request)
    else {
      return next(exchange)
    }
    guard case .wait(let limit) = policy else {
      return .rejected(Self.refusal(of: exchange, nil))
    }
    return reachability.whenReachable()
      .timeout(limit, scheduler: scheduler)
      .recover(PromiseError.timedOut, on: .inline) {
        throw Self.refusal(of: exchange, "none came up within \(limit)")
      }
      // A request outlives the client that made it, so what tells of the network has to as well.
      .then(on: .inline) { [reachability] in withExtendedLifetime(reachability) { next(exchange) } }
  }

  private static func refusal(of exchange: Exchange, _ reason: String?) -> NetworkError {
    let state = exchange.state
    state.refuseLocally(hasSent: exchange.redirects > 0)
    // Of several the stage that counts them says how many.
    return NetworkError(
      .notConnectedToInternet, reason, request: NetworkError.RequestSummary(exchange.request),
      attempts: min(state.attemptCount, 1))
  }
}

extension ReachabilityInterceptor {
  /// Whether a URL's server can be reached without a way to the internet, going by its host.
  ///
  /// Local are this machine (`localhost` and names below it, 127.0.0.0/8, ::1), addresses of private and
  /// link-local networks and of carriers' and overlays' shared range, names without a dot, and names
  /// below `local`, `internal` and `home.arpa`. Whether such a server answers, or whether there is a
  /// route to it, the request itself finds out.
  ///
  /// Source: RFC 1918 section 3, RFC 3927 section 2.1, RFC 4193 section 3.1, RFC 4291 section 2.5,
  /// RFC 6598 section 7, RFC 6761 section 6.3, RFC 6762 section 3, RFC 8375 section 3.
  ///
  /// - Parameter url: an absolute URL; one without a host is local.
  /// - Returns: whether it is.
  public static func isLocal(_ url: URL) -> Bool {
    var host = (url.host ?? "").lowercased()[...]
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    if host.utf8.contains(UInt8(ascii: ":")) { return isLocal(ip6: host) }
    if host.hasSuffix(".") { host = host.dropLast() }
    if let address = number(ip4: host) { return isLocal(ip4: address) }
    guard host.contains(".") else { return true }
    return [".localhost", ".local", ".internal", ".home.arpa"].contains { host.hasSuffix($0) }
  }

  /// An IPv4 address in any of its notations.
  private static func number(ip4 text: Substring) -> UInt32? {
    guard text.utf8.first.map({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) == true
    else { return nil }
    var address = in_addr()
    return inet_aton(String(text), &address) != 0 ? UInt32(bigEndian: address.s_addr) : nil
  }

  private static func isLocal(ip4 address: UInt32) -> Bool {
    let networks: [(prefix: UInt32, length: UInt32)] = [
      (0x0000_0000, 8), (0x7F00_0000, 8), (0x0A00_0000, 8), (0xAC10_0000, 12), (0xC0A8_0000, 16),
      (0xA9FE_0000, 16), (0x6440_0000, 10),
    ]
    return networks.contains { ($0.prefix ^ address) >> (32 - $0.length) == 0 }
  }

  private static func isLocal(ip6 text: Substring) -> Bool {
    var address = in6_addr()
    // Without the zone: "%eth0", or "%25eth0" as it stands in a URL.
    guard inet_pton(AF_INET6, String(text.prefix { $0 != "%" }), &address) == 1 else {
      return false
    }
    let bytes = withUnsafeBytes(of: address) { Array($0) }
    let high = bytes[..<10].allSatisfy { $0 == 0 }
    let isMapped = high && bytes[10] == 0xFF && bytes[11] == 0xFF
    if isMapped {
      return isLocal(ip4: bytes[12...].reduce(0) { $0 << 8 | UInt32($1) })
    }
    // :: and ::1; fe80::/10; fc00::/7.
    return (bytes[..<15].allSatisfy { $0 == 0 } && bytes[15] <= 1)
      || (bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80) || bytes[0] & 0xFE == 0xFC
  }
}
