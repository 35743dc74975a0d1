#if !canImport(FoundationNetworking)
  import Foundation

  extension TransportMetrics {
    /// What the platform has measured of a hop, but for its end and the bodies.
    init(_ hop: URLSessionTaskTransactionMetrics) {
      let start = hop.fetchStartDate
      func since(_ date: Date?) -> Duration? {
        guard let start, let date else { return nil }
        return .seconds(max(date.timeIntervalSince(start), 0))
      }
      let isReused = hop.isReusedConnection
      self.init(
        nameResolved: isReused ? nil : since(hop.domainLookupEndDate),
        // TLS is part of connecting there.
        connected: isReused ? nil : since(hop.secureConnectionStartDate ?? hop.connectEndDate),
        secured: isReused ? nil : since(hop.secureConnectionEndDate),
        requestSent: since(hop.requestEndDate),
        reusedConnection: isReused,
        headBytesSent: hop.countOfRequestHeaderBytesSent,
        headBytesReceived: hop.countOfResponseHeaderBytesReceived,
        httpVersion: hop.networkProtocolName.flatMap(Self.version),
        remoteAddress: hop.remoteAddress, remotePort: hop.remotePort)
    }

    /// `http/1.1`, `h2` and the like, in numbers.
    private static func version(_ name: String) -> String? {
      switch name {
      case "http/1.0": "1.0"
      case "http/1.1": "1.1"
      case "h2", "h2c": "2"
      case "h3": "3"
      default: nil
      }
    }
  }
#endif
