import Foundation
import Networking

extension HAR {
  /// How long the parts of an exchange took, in milliseconds; -1 does not apply, or is not known.
  public struct Timings: Codable, Sendable, Hashable {
    /// Waiting for a connection.
    public var blocked: Double?
    /// Looking up the host's name.
    public var dns: Double?
    /// Connecting, TLS included.
    public var connect: Double?
    /// Sending the request.
    public var send: Double
    /// Waiting for the response.
    public var wait: Double
    /// Receiving the response.
    public var receive: Double
    /// The TLS handshake, which is part of ``connect`` too.
    public var ssl: Double?
    /// A remark.
    public var comment: String?

    /// Makes timings.
    ///
    /// - Parameters:
    ///   - blocked: waiting for a connection.
    ///   - dns: looking up the host's name.
    ///   - connect: connecting, TLS included.
    ///   - send: sending the request.
    ///   - wait: waiting for the response.
    ///   - receive: receiving the response.
    ///   - ssl: the TLS handshake.
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

    /// The parts that are known together, ``ssl`` counted within ``connect``, to the microsecond.
    public var sum: Double {
      let parts = [blocked ?? -1, dns ?? -1, connect ?? -1, send, wait, receive].filter { $0 > 0 }
      return (parts.reduce(0, +) * 1_000).rounded() / 1_000
    }
  }
}

extension HAR.Timings {
  /// The parts of what a transport measured, one behind the other, so that they add up to its total.
  init(_ metrics: TransportMetrics) {
    let total = metrics.total
    var reached = Duration.zero
    // What is measured late or not at all takes no time, and nothing goes back.
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

  /// Whether every part is a number, and none is longer than a day.
  var areInRange: Bool {
    let day = 86_400_000.0
    let parts = [blocked, dns, connect, send, wait, receive, ssl].compactMap { $0 }
    return parts.allSatisfy { $0.isFinite && $0 <= day }
  }

  /// What a transport would have measured.
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
  /// To the microsecond.
  fileprivate var milliseconds: Double {
    ((self / .microseconds(1)).rounded()) / 1_000
  }
}
