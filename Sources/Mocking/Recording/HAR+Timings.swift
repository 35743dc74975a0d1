import Foundation
import Networking

extension HAR {
  /// The durations of the phases of an exchange, in milliseconds.
  ///
  /// -1 means not applicable or unknown.
  public struct Timings: Codable, Sendable, Hashable {
    /// The time until a connection was available.
    public var blocked: Double?
    /// The time of the name lookup.
    public var dns: Double?
    /// The time of connecting, including TLS.
    public var connect: Double?
    /// The time of sending the request.
    public var send: Double
    /// The time until the response began.
    public var wait: Double
    /// The time of receiving the response.
    public var receive: Double
    /// The time of the TLS handshake, which is also part of ``connect``.
    public var ssl: Double?
    /// A comment.
    public var comment: String?

    /// Creates timings.
    ///
    /// - Parameters:
    ///   - blocked: The time until a connection was available.
    ///   - dns: The time of the name lookup.
    ///   - connect: The time of connecting, including TLS.
    ///   - send: The time of sending the request.
    ///   - wait: The time until the response began.
    ///   - receive: The time of receiving the response.
    ///   - ssl: The time of the TLS handshake.
    public init(
      blocked: Double = -1, dns: Double = -1, connect: Double = -1, send: Double = 0,
      wait: Double = 0, receive: Double = 0, ssl: Double = -1
    ) {
      self.blocked = blocked
      self.dns = dns
      self.connect = connect
      self.send = send
      self.wait = wait
      self.receive = receive
      self.ssl = ssl
    }

    /// The sum of the known phases, rounded to microseconds.
    ///
    /// ``ssl`` is part of ``connect``.
    public var sum: Double {
      let parts = [blocked ?? -1, dns ?? -1, connect ?? -1, send, wait, receive].filter { $0 > 0 }
      return (parts.reduce(0, +) * 1_000).rounded() / 1_000
    }
  }
}

extension HAR.Timings {
  /// Creates timings from the metrics of a transport.
  ///
  /// The phases are consecutive, so that their sum is the total.
  init(_ metrics: TransportMetrics) {
    let total = metrics.total
    var reached = Duration.zero
    // The duration of a phase is 0 if its end was not measured, or is before the previous phase.
    func part(until moment: Duration?) -> Double {
      let end = min(max(moment ?? reached, reached), max(total, reached))
      defer { reached = end }
      return (end - reached).milliseconds
    }
    let dns = metrics.nameResolved.map { part(until: $0) } ?? -1
    let connect = (metrics.secured ?? metrics.connected).map { part(until: $0) } ?? -1
    let ssl = metrics.secured.map { max($0 - (metrics.connected ?? .zero), .zero).milliseconds }
    let send = part(until: metrics.requestSent)
    let wait = part(until: metrics.firstByte ?? total)
    self.init(
      dns: dns, connect: connect, send: send, wait: wait, receive: part(until: total),
      ssl: ssl.map { min($0, max(connect, 0)) } ?? -1)
  }

  /// Whether all phases are finite and at most a day.
  var areInRange: Bool {
    let day = 86_400_000.0
    let parts = [blocked, dns, connect, send, wait, receive, ssl].compactMap { $0 }
    return parts.allSatisfy { $0.isFinite && $0 <= day }
  }

  /// Returns the metrics that correspond to these timings.
  func metrics(bytesSent: Int, bytesReceived: Int) -> TransportMetrics {
    var reached = max(blocked ?? 0, 0)
    func moment(after part: Double?) -> Duration? {
      guard let part, part >= 0 else { return nil }
      reached += part
      return .milliseconds(reached)
    }
    let resolved = moment(after: dns)
    let connected = moment(after: connect)
    let handshake = ssl.flatMap { $0 >= 0 ? Duration.milliseconds($0) : nil }
    let sent = moment(after: send)
    let firstByte = moment(after: wait)
    return TransportMetrics(
      nameResolved: resolved, connected: connected.map { $0 - (handshake ?? .zero) },
      secured: handshake == nil ? nil : connected, requestSent: sent, firstByte: firstByte,
      total: moment(after: receive) ?? .milliseconds(reached), bytesSent: Int64(bytesSent),
      bytesReceived: Int64(bytesReceived), reusedConnection: connected == nil)
  }
}

extension Duration {
  /// The duration in milliseconds, rounded to microseconds.
  fileprivate var milliseconds: Double {
    ((self / .microseconds(1)).rounded()) / 1_000
  }
}
