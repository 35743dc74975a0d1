#if os(Linux)
  import CCatena
  import Foundation
  import Glibc
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

  /// Where any thread leaves word for the I/O thread of a transport.
  ///
  /// The I/O thread is woken once for all that is posted while it sleeps, and not at all while it is
  /// awake. After it has ended what is posted is dropped.
  final class CurlMailbox: Sendable {
    /// Word for the I/O thread.
    enum Letter {
      case start(CurlExchange)
      case cancel(CurlExchange)
      case resume(CurlExchange)
      /// No exchange will be started any more.
      case close
    }

    private struct State {
      var letters: [Letter] = []
      var isSleeping = false
      var hasEnded = false
    }

    private let state = Mutex(State())
    /// Becomes readable when the I/O thread is to wake up.
    let alarm = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))

    deinit {
      if isUsable { Glibc.close(alarm) }
    }

    private let exchanges = Atomic(0)

    /// How many exchanges the thread has, those on their way to it among them.
    var exchangeCount: Int { exchanges.load(ordering: .relaxed) }

    /// An exchange is on its way.
    func enter() {
      exchanges.wrappingAdd(1, ordering: .relaxed)
    }

    /// An exchange is over.
    func leave() {
      exchanges.wrappingSubtract(1, ordering: .relaxed)
    }

    /// The one of the I/O thread that this is; nil on any other thread.
    static var current: CurlMailbox? {
      pthread_getspecific(key).map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
    }

    /// For the I/O thread: it is this one's, to its end.
    func becomeCurrent() {
      pthread_setspecific(Self.key, Unmanaged.passUnretained(self).toOpaque())
    }

    private static let key: pthread_key_t = {
      var key = pthread_key_t()
      pthread_key_create(&key, nil)
      return key
    }()

    /// False when the system had no file descriptor left.
    var isUsable: Bool { alarm >= 0 }

    func post(_ letter: Letter) {
      let wakes = state.withLock { state in
        guard !state.hasEnded else { return false }
        state.letters.append(letter)
        defer { state.isSleeping = false }
        return state.isSleeping
      }
      if wakes { eventfd_write(alarm, 1) }
    }

    /// For the I/O thread: swaps what has been posted for an empty array; when it was nothing, whoever
    /// posts from now on wakes the thread.
    func take(into letters: inout [Letter]) {
      state.withLock { state in
        swap(&state.letters, &letters)
        state.isSleeping = letters.isEmpty
      }
    }

    /// For the I/O thread: it is awake.
    func wake() {
      state.withLock { $0.isSleeping = false }
    }

    /// For the I/O thread: ends the post, unless there is something to be taken.
    func end() -> Bool {
      state.withLock { state in
        state.hasEnded = state.letters.isEmpty
        return state.hasEnded
      }
    }
  }
#endif
