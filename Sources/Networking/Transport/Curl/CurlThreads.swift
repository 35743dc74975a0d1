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
  final class CurlLoopPool: Sendable {
    /// From how many exchanges on each thread there is to be another.
    private static let busyThreshold = 4

    private let options: CurlTransport.Options
    private let limit: Int
    private let first = CurlCommandQueue()
    private let others = Mutex<[CurlCommandQueue]>([])
    private let http1Origins = HTTP1OriginCache()

    /// Starts the first thread.
    init(_ options: CurlTransport.Options) {
      var options = options
      let cores = ProcessInfo.processInfo.activeProcessorCount
      limit =
        options.maximumConnectionsPerHost == nil
        ? max(min(2, cores, options.connectionCacheSize), 1) : 1
      options.connectionCacheSize /= limit
      self.options = options
      run(first)
    }

    deinit {
      first.post(.close)
      for commandQueue in others.withLock({ $0 }) { commandQueue.post(.close) }
    }

    /// The thread that is to take an exchange, which counts there from now on.
    func commandQueue(for request: HTTPRequest) -> CurlCommandQueue {
      let commandQueue = limit > 1 && !sharesConnections(request) ? choose() : first
      commandQueue.enter()
      return commandQueue
    }

    private func sharesConnections(_ request: HTTPRequest) -> Bool {
      options.allowsHTTP2 && request.isSecure
        && !http1Origins.contains(request.url)
    }

    private func choose() -> CurlCommandQueue {
      let current = CurlCommandQueue.current
      guard first.exchangeCount >= Self.busyThreshold || current != nil else { return first }
      return others.withLock { others in
        let least = others.reduce(first) { $1.exchangeCount < $0.exchangeCount ? $1 : $0 }
        // Where an answer has just come there is room, and nobody need be woken.
        if let current, current === first || others.contains(where: { $0 === current }),
          current.exchangeCount <= least.exchangeCount + Self.busyThreshold
        {
          return current
        }
        guard least.exchangeCount >= Self.busyThreshold, others.count + 1 < limit else {
          return least
        }
        let another = CurlCommandQueue()
        guard another.isUsable else { return least }
        run(another)
        others.append(another)
        return another
      }
    }

    private func run(_ commandQueue: CurlCommandQueue) {
      guard commandQueue.isUsable else { return }
      Thread { [options, http1Origins] in
        CurlLoop(commandQueue: commandQueue, options: options, http1Origins).run()
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
  final class HTTP1OriginCache: Sendable {
    private static let limit = 32

    /// The origins, the newest first.
    private let origins = Mutex<[Origin]>([])

    /// Whether a URL is one of such a server's.
    func contains(_ url: URL) -> Bool {
      origins.withLock { origins in
        guard !origins.isEmpty, let origin = Origin(url) else { return false }
        return origins.contains(origin)
      }
    }

    /// Forgets a server.
    func remove(_ origin: Origin) {
      origins.withLock { $0.removeAll { $0 == origin } }
    }

    /// Remembers a server, and forgets the oldest where there are many.
    func add(_ origin: Origin) {
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
  final class CurlCommandQueue: Sendable {
    /// Word for the I/O thread.
    enum Command {
      case start(CurlExchange)
      case cancel(CurlExchange)
      case resume(CurlExchange)
      /// No exchange will be started any more.
      case close
    }

    private struct State {
      var commands: [Command] = []
      var isSleeping = false
      var hasEnded = false
    }

    private let state = Mutex(State())
    /// Becomes readable when the I/O thread is to wake up.
    let wakeupDescriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))

    deinit {
      if isUsable { Glibc.close(wakeupDescriptor) }
    }

    private let exchanges = Atomic(0)

    /// How many exchanges the thread has, those on their way to it among them.
    var exchangeCount: Int { exchanges.load(ordering: .relaxed) }

    /// An exchange is on its way.
    func enter() {
      exchanges.wrappingAdd(1, ordering: .relaxed)
    }

    /// An exchange is over.
    func exit() {
      exchanges.wrappingSubtract(1, ordering: .relaxed)
    }

    /// The one of the I/O thread that this is; nil on any other thread.
    static var current: CurlCommandQueue? {
      pthread_getspecific(key).map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
    }

    /// For the I/O thread: it is this one's, to its end.
    func setCurrent() {
      pthread_setspecific(Self.key, Unmanaged.passUnretained(self).toOpaque())
    }

    private static let key: pthread_key_t = {
      var key = pthread_key_t()
      pthread_key_create(&key, nil)
      return key
    }()

    /// False when the system had no file descriptor left.
    var isUsable: Bool { wakeupDescriptor >= 0 }

    func post(_ command: Command) {
      let wakes = state.withLock { state in
        guard !state.hasEnded else { return false }
        state.commands.append(command)
        defer { state.isSleeping = false }
        return state.isSleeping
      }
      if wakes { eventfd_write(wakeupDescriptor, 1) }
    }

    /// For the I/O thread: swaps what has been posted for an empty array; when it was nothing, whoever
    /// posts from now on wakes the thread.
    func take(into commands: inout [Command]) {
      state.withLock { state in
        swap(&state.commands, &commands)
        state.isSleeping = commands.isEmpty
      }
    }

    /// For the I/O thread: it is awake.
    func wake() {
      state.withLock { $0.isSleeping = false }
    }

    /// For the I/O thread: ends the post, unless there is something to be taken.
    func end() -> Bool {
      state.withLock { state in
        state.hasEnded = state.commands.isEmpty
        return state.hasEnded
      }
    }
  }
#endif
