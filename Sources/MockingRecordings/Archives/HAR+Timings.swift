import Foundation
public import Networking

extension HAR {
  /// The durations of the phases of an exchange, in milliseconds.
  ///
  /// -1 means not applicable or unknown.
  public struct Timings: HARObject {
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
    /// The members that have no property.
    public var otherMembers: [String: JSON] = [:]

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

extension HAR.Timings {
  /// Reads timings.
  ///
  /// - Parameter json: The object. A duration of more than a day counts as unknown.
  public init(json: JSON) {
    var members = HARMembers(json)
    func duration(_ name: String) -> Double? {
      members.number(name).map { $0 > 86_400_000 ? -1 : $0 }
    }
    self.init(
      send: max(duration("send") ?? 0, 0), wait: max(duration("wait") ?? 0, 0),
      receive: max(duration("receive") ?? 0, 0))
    blocked = duration("blocked")
    dns = duration("dns")
    connect = duration("connect")
    ssl = duration("ssl")
    comment = members.text("comment")
    otherMembers = members.rest
  }

  /// The timings as JSON.
  public var json: JSON {
    func duration(_ value: Double?) -> JSON? { value.map { HARMembers.json($0) } }
    return HARMembers.json(
      [
        "blocked": duration(blocked), "dns": duration(dns), "connect": duration(connect),
        "send": duration(send), "wait": duration(wait), "receive": duration(receive),
        "ssl": duration(ssl), "comment": comment?.json,
      ], and: otherMembers)
  }
}

extension HAR {
  /// A page of a browser, which groups exchanges.
  public struct Page: HARObject {
    /// The start of loading, in ISO 8601.
    public var startedDateTime: String
    /// The identifier of the page, which entries refer to.
    public var id: String
    /// The title of the page.
    public var title: String
    /// The durations of loading.
    public var pageTimings: PageTimings
    /// A comment.
    public var comment: String?
    /// The members that have no property.
    public var otherMembers: [String: JSON] = [:]

    /// Creates a page.
    ///
    /// - Parameters:
    ///   - startedDateTime: The start of loading, in ISO 8601.
    ///   - id: The identifier of the page.
    ///   - title: The title of the page.
    ///   - pageTimings: The durations of loading.
    ///   - comment: A comment.
    public init(
      startedDateTime: String, id: String, title: String,
      pageTimings: PageTimings = PageTimings(), comment: String? = nil
    ) {
      self.startedDateTime = startedDateTime
      self.id = id
      self.title = title
      self.pageTimings = pageTimings
      self.comment = comment
    }
  }

  /// The durations of loading a page, in milliseconds from its start.
  ///
  /// -1 or `nil` means unknown.
  public struct PageTimings: HARObject {
    /// The time until the content was loaded.
    public var onContentLoad: Double?
    /// The time until the whole page was loaded.
    public var onLoad: Double?
    /// A comment.
    public var comment: String?
    /// The members that have no property.
    public var otherMembers: [String: JSON] = [:]

    /// Creates timings.
    ///
    /// - Parameters:
    ///   - onContentLoad: The time until the content was loaded.
    ///   - onLoad: The time until the whole page was loaded.
    ///   - comment: A comment.
    public init(onContentLoad: Double? = nil, onLoad: Double? = nil, comment: String? = nil) {
      self.onContentLoad = onContentLoad
      self.onLoad = onLoad
      self.comment = comment
    }
  }
}

extension HAR.Page {
  /// Reads a page.
  ///
  /// - Parameter json: The object.
  public init(json: JSON) {
    var members = HARMembers(json)
    self.init(
      startedDateTime: members.text("startedDateTime") ?? "", id: members.text("id") ?? "",
      title: members.text("title") ?? "",
      pageTimings: members.object("pageTimings") ?? HAR.PageTimings(),
      comment: members.text("comment"))
    otherMembers = members.rest
  }

  /// The page as JSON.
  public var json: JSON {
    HARMembers.json(
      [
        "startedDateTime": startedDateTime.json, "id": id.json, "title": title.json,
        "pageTimings": pageTimings.json, "comment": comment?.json,
      ], and: otherMembers)
  }
}

extension HAR.PageTimings {
  /// Reads timings.
  ///
  /// - Parameter json: The object.
  public init(json: JSON) {
    var members = HARMembers(json)
    self.init(
      onContentLoad: members.number("onContentLoad"), onLoad: members.number("onLoad"),
      comment: members.text("comment"))
    otherMembers = members.rest
  }

  /// The timings as JSON.
  public var json: JSON {
    HARMembers.json(
      [
        "onContentLoad": onContentLoad.map { HARMembers.json($0) },
        "onLoad": onLoad.map { HARMembers.json($0) }, "comment": comment?.json,
      ], and: otherMembers)
  }
}
