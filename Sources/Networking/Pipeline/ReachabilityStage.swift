import Foundation
import Promises

/// The stage that delays or rejects requests while the internet is unreachable, by the client's
/// ``ReachabilityPolicy``.
///
/// It is inside the redirects and the cache, so that it does not delay responses without the network.
struct ReachabilityStage: Interceptor {
  /// The name in the error of a call that times out while it waits: that of the setting.
  let name = "whenUnreachable"
  /// The reachability of the network, which the stage retains.
  let reachability: NetworkReachability
  let policy: ReachabilityPolicy
  /// The source of time for the limit of a wait.
  let scheduler: any Scheduler

  func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    guard reachability.status == .unreachable, !Self.isLocal(exchange.request.url) else {
      return next(exchange)
    }
    let transport = exchange.call.transport
    guard let selection = transport.traits?.selection else {
      return transport.transport.needsNetwork ? applyPolicy(to: exchange, next) : next(exchange)
    }
    return selection.then(on: .inline) { selected in
      // The network may have become reachable during the selection.
      reachability.status == .unreachable && selected.needsNetwork
        ? applyPolicy(to: exchange, next) : next(exchange)
    }
  }

  /// Delays or rejects a request that cannot reach its server.
  private func applyPolicy(to exchange: Exchange, _ next: @escaping Next) -> NetworkPromise {
    guard case .wait(let limit) = policy else { return .rejected(Self.refusal(of: exchange, nil)) }
    exchange.events?.add(.waiting(for: .network))
    return reachability.whenReachable(file: "the network to become reachable", line: 0)
      .timeout(limit, scheduler: scheduler)
      .recover(PromiseError.timedOut, on: .inline) {
        throw Self.refusal(of: exchange, "it did not become reachable within \(limit.rounded)")
      }
      // Keeps the reachability alive, because a waiting request may outlive its client.
      .then(on: .inline) { [reachability] in withExtendedLifetime(reachability) { next(exchange) } }
  }

  private static func refusal(of exchange: Exchange, _ reason: String?) -> NetworkError {
    let state = exchange.state
    state.markRejectedLocally(hasSent: exchange.redirects > 0)
    // The retry stage sets the number of attempts if there are several.
    return NetworkError(
      .notConnectedToInternet, reason, request: .init(exchange.request),
      attempts: min(state.attemptCount, 1))
  }
}

extension ReachabilityStage {
  /// The addresses of this machine and of private networks; IPv4 addresses are mapped to IPv6.
  private static let localAddresses = AddressRanges(
    text: """
      ::/127 fe80::/10 fc00::/7 ::ffff:0.0.0.0/104 ::ffff:127.0.0.0/104 ::ffff:10.0.0.0/104 \
      ::ffff:172.16.0.0/108 ::ffff:192.168.0.0/112 ::ffff:169.254.0.0/112 ::ffff:100.64.0.0/106
      """)

  /// Returns whether the host of a URL is local, so that it can be reached without the internet.
  ///
  /// ``ReachabilityPolicy`` lists the local hosts. The method does not check whether there is a route to
  /// the host.
  ///
  /// Source: RFC 1918 section 3, RFC 3927 section 2.1, RFC 4193 section 3.1, RFC 4291 section 2.5,
  /// RFC 6598 section 7, RFC 6761 section 6.3, RFC 6762 section 3, RFC 8375 section 3.
  ///
  /// - Parameter url: An absolute URL. A URL without a host is local.
  /// - Returns: Whether the host is local.
  static func isLocal(_ url: URL) -> Bool {
    var host = (url.host ?? "").lowercased()
    if host.contains(":") { return localAddresses.contains(ipv6: host) }
    if host.hasSuffix(".") { host.removeLast() }
    var address = in_addr()
    // An address in any notation of `inet_aton`.
    if host.utf8.first?.isASCIIDigit == true, inet_aton(host, &address) != 0 {
      let number = UInt32(bigEndian: address.s_addr)
      let (high, low) = (String(number >> 16, radix: 16), String(number & 0xFFFF, radix: 16))
      return localAddresses.contains(ipv6: "::ffff:\(high):\(low)")
    }
    guard host.contains(".") else { return true }
    return [".localhost", ".local", ".internal", ".home.arpa"].contains { host.hasSuffix($0) }
  }
}
