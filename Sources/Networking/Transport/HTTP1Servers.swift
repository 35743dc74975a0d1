#if os(Linux)
  import Synchronization

  /// The `https` servers that have answered by HTTP/1.1: a connection of theirs takes one exchange at a
  /// time, and is none that others could share.
  ///
  /// It is a hint. One that turns out to speak HTTP/2 has had a connection for each thread until then.
  final class HTTP1Servers: Sendable {
    private static let limit = 32

    /// Scheme and authority with the slash behind them; the newest first.
    private let origins = Mutex<[String]>([])

    /// Whether a URL is one of such a server's.
    func contains(_ url: String) -> Bool {
      origins.withLock { origins in origins.contains { url.hasPrefix($0) } }
    }

    /// Forgets a server.
    func remove(_ origin: String) {
      origins.withLock { $0.removeAll { $0 == origin } }
    }

    /// Remembers a server, and forgets the oldest where there are many.
    func add(_ origin: String) {
      origins.withLock { origins in
        guard !origins.contains(origin) else { return }
        origins.insert(origin, at: 0)
        if origins.count > Self.limit { origins.removeLast() }
      }
    }
  }
#endif
