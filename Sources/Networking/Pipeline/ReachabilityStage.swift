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
    guard reachability.status == .unreachable else { return next(exchange) }
    let transport = exchange.call.transport
    guard let selection = transport.traits?.selection else {
      return transport.transport.needsNetwork ? checkServer(of: exchange, next) : next(exchange)
    }
    return selection.then(on: .inline) { selected in
      // The network may have become reachable during the selection.
      reachability.status == .unreachable && selected.needsNetwork
        ? checkServer(of: exchange, next) : next(exchange)
    }
  }

  /// Applies the policy to a request whose server is on the internet, and sends other requests.
  private func checkServer(of exchange: Exchange, _ next: @escaping Next) -> NetworkPromise {
    Self.isLocal(exchange.request.url) ? next(exchange) : applyPolicy(to: exchange, next)
  }

  /// Delays or rejects a request that cannot reach its server.
  private func applyPolicy(to exchange: Exchange, _ next: @escaping Next) -> NetworkPromise {
    guard case .wait(let limit) = policy else {
      return .rejected(Self.refusal(of: exchange, nil))
    }
    return reachability.whenReachable()
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
  /// Returns whether the host of a URL is local, so that it can be reached without the internet.
  ///
  /// Local hosts are this machine (`localhost` and names below it, 127.0.0.0/8, ::1), addresses of
  /// private networks, link-local addresses, the shared address space 100.64.0.0/10, names without
  /// a dot, and names below `local`, `internal` and `home.arpa`. The method does not check whether
  /// there is a route to the host.
  ///
  /// Source: RFC 1918 section 3, RFC 3927 section 2.1, RFC 4193 section 3.1, RFC 4291 section 2.5,
  /// RFC 6598 section 7, RFC 6761 section 6.3, RFC 6762 section 3, RFC 8375 section 3.
  ///
  /// - Parameter url: An absolute URL. A URL without a host is local.
  /// - Returns: Whether the host is local.
  static func isLocal(_ url: URL) -> Bool {
    var host = (url.host ?? "").lowercased()[...]
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    if host.utf8.contains(UInt8(ascii: ":")) { return isLocal(ip6: host) }
    if host.hasSuffix(".") { host = host.dropLast() }
    if let address = number(ip4: host) { return isLocal(ip4: address) }
    guard host.contains(".") else { return true }
    return [".localhost", ".local", ".internal", ".home.arpa"].contains { host.hasSuffix($0) }
  }

  /// Parses an IPv4 address in any notation of `inet_aton`.
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
    // Parsed without the zone: "%eth0", or "%25eth0" in a URL.
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
