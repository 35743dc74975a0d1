#if os(Linux)
  import Foundation
  import Synchronization

  /// The I/O threads of one transport, and which of them takes an exchange.
  ///
  /// A few exchanges share one thread and its connections. More of them are spread over two where there are
  /// two cores; what an answer gives rise to on its thread stays there. Exchanges that have to share
  /// connections stay on the first: those with `https` servers, one connection of which may take them all
  /// until an answer has shown that it does not, and all of a transport whose connections to a host are
  /// limited.
  final class CurlLoops: Sendable {
    /// From how many exchanges on each thread there is to be another.
    private static let crowd = 4

    private let options: CurlTransport.Options
    private let limit: Int
    private let first = CurlMailbox()
    private let others = Mutex<[CurlMailbox]>([])
    private let http1Servers = HTTP1Servers()

    /// Starts the first thread.
    init(_ options: CurlTransport.Options) {
      var options = options
      let cores = ProcessInfo.processInfo.activeProcessorCount
      limit =
        options.connectionsPerHost == nil ? max(min(2, cores, options.keptConnections), 1) : 1
      options.keptConnections /= limit
      self.options = options
      run(first)
    }

    deinit {
      first.post(.close)
      for mailbox in others.withLock({ $0 }) { mailbox.post(.close) }
    }

    /// The thread that is to take an exchange, which counts there from now on.
    func mailbox(for request: HTTPRequest) -> CurlMailbox {
      let mailbox = limit > 1 && !sharesConnections(request) ? choose() : first
      mailbox.enter()
      return mailbox
    }

    private func sharesConnections(_ request: HTTPRequest) -> Bool {
      options.allowsHTTP2 && request.isSecure
        && !http1Servers.contains(request.url.absoluteString)
    }

    private func choose() -> CurlMailbox {
      let current = CurlMailbox.current
      guard first.exchangeCount >= Self.crowd || current != nil else { return first }
      return others.withLock { others in
        let least = others.reduce(first) { $1.exchangeCount < $0.exchangeCount ? $1 : $0 }
        // Where an answer has just come there is room, and nobody need be woken.
        if let current, current === first || others.contains(where: { $0 === current }),
          current.exchangeCount <= least.exchangeCount + Self.crowd
        {
          return current
        }
        guard least.exchangeCount >= Self.crowd, others.count + 1 < limit else { return least }
        let another = CurlMailbox()
        guard another.isUsable else { return least }
        run(another)
        others.append(another)
        return another
      }
    }

    private func run(_ mailbox: CurlMailbox) {
      guard mailbox.isUsable else { return }
      Thread { [options, http1Servers] in
        CurlLoop(mailbox: mailbox, options: options, http1Servers).run()
      }.start()
    }
  }

  extension HTTPRequest {
    /// Whether it goes over TLS.
    var isSecure: Bool {
      // Of the schemes that are not refused, `http` has the colon fifth.
      url.absoluteString.utf8.dropFirst(4).first != UInt8(ascii: ":")
    }
  }
#endif
