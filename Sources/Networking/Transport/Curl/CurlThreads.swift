#if CATENA_CURL
  import CCatena
  import CCatenaCurl
  import CatenaSystem
  import Foundation

  /// The pool of I/O threads of a transport, which assigns each exchange to a thread.
  ///
  /// A few exchanges share one thread and its connections. More exchanges are spread over two
  /// threads if the machine has at least two cores. A request that is started from a response
  /// handler stays on the handler's thread, unless that thread has many more exchanges.
  ///
  /// Exchanges that share connections stay on the first thread. These are all exchanges of a
  /// transport with a limit of connections per host, and exchanges with an `https` server, until a
  /// response shows that the server speaks HTTP/1.1.
  ///
  /// A pool for bodies gives each exchange a connection of its own. It offers only HTTP/1.1 to `https`
  /// servers, and HTTP/2 to those that do not select HTTP/1.1, before the request is sent.
  final class CurlLoopPool: Sendable {
    /// The number of exchanges on each thread at which another thread is started.
    private static let busyThreshold = 4
    /// The default limit of connections to one host in a pool for bodies.
    ///
    /// Servers commonly queue 100 to 500 connections that they have not accepted. With Node, 1,000 uploads
    /// at once over 6 to 100 connections take a sixth of the time that they take over 1,000.
    static let maximumBodiesPerHost = 100

    private struct State: ~Copyable {
      var others: [CurlCommandQueue] = []
      /// The maximum number of connections that each thread keeps.
      var cacheSize: Int
    }

    private let options: CurlTransport.Options
    private let limit: Int
    private let first = CurlCommandQueue()
    private let state: Mutex<State>
    /// The `https` origins that have responded with HTTP/1.1.
    private let http1Origins = OriginCache()
    /// The `https` origins that have not selected HTTP/1.1 when nothing else was offered.
    ///
    /// `nil` except in a pool for bodies.
    private let refusingOrigins: OriginCache?

    /// Starts the first thread.
    ///
    /// - Parameters:
    ///   - options: The options of the transport.
    ///   - isForBodies: Whether it is a pool for bodies.
    init(_ options: CurlTransport.Options, isForBodies: Bool = false) {
      var options = options
      let cores = ProcessInfo.processInfo.activeProcessorCount
      limit =
        options.maximumConnectionsPerHost == nil
        ? max(min(2, cores, options.connectionCacheSize), 1) : 1
      if isForBodies, options.maximumConnectionsPerHost == nil {
        options.maximumConnectionsPerHost = Self.maximumBodiesPerHost / limit
      }
      refusingOrigins = isForBodies ? OriginCache() : nil
      self.options = options
      let cacheSize = options.connectionCacheSize / limit
      state = Mutex(State(cacheSize: cacheSize))
      run(first, cacheSize)
    }

    deinit {
      first.post(.close)
      for commandQueue in state.withLock({ $0.others }) { commandQueue.post(.close) }
    }

    /// Sets the maximum number of connections that the pool keeps.
    func keepConnections(_ count: Int) {
      state.withLock { state in
        state.cacheSize = count / limit
        for queue in [first] + state.others { queue.post(.keepConnections(state.cacheSize)) }
      }
    }

    /// Returns the command queue of the thread for an exchange, and counts the exchange there.
    func commandQueue(for request: HTTPRequest) -> CurlCommandQueue {
      let commandQueue = limit > 1 && !sharesConnections(request) ? chooseQueue() : first
      commandQueue.exchanges.add(1, ordering: .relaxed)
      return commandQueue
    }

    private func sharesConnections(_ request: HTTPRequest) -> Bool {
      options.allowsHTTP2 && refusingOrigins == nil && request.isSecure
        && !http1Origins.contains(request.url)
    }

    private func chooseQueue() -> CurlCommandQueue {
      let current = CurlCommandQueue.current
      guard first.exchangeCount >= Self.busyThreshold || current != nil else { return first }
      return state.withLock { state in
        let leastBusy = state.others.reduce(first) { $1.exchangeCount < $0.exchangeCount ? $1 : $0 }
        // The current I/O thread has just delivered a response, so it has capacity and need not be
        // woken.
        if let current, current === first || state.others.contains(where: { $0 === current }),
          current.exchangeCount <= leastBusy.exchangeCount + Self.busyThreshold
        {
          return current
        }
        guard leastBusy.exchangeCount >= Self.busyThreshold, state.others.count + 1 < limit else {
          return leastBusy
        }
        let added = CurlCommandQueue()
        guard added.isUsable else { return leastBusy }
        run(added, state.cacheSize)
        state.others.append(added)
        return added
      }
    }

    private func run(_ commandQueue: CurlCommandQueue, _ cacheSize: Int) {
      guard commandQueue.isUsable else { return }
      var options = options
      options.connectionCacheSize = cacheSize
      Thread { [options, http1Origins, refusingOrigins] in
        CurlLoop(
          commandQueue: commandQueue, options: options, http1Origins, refusing: refusingOrigins
        ).run()
      }.start()
    }

    /// Whether a request that this pool would send over HTTP/2 needs a pool for bodies.
    ///
    /// A server may respond to a request before it has read the body, and then reset the stream without
    /// an error (RFC 9113 section 8.1). libcurl drops such a response if it reads both at once, which it
    /// does for all streams of a connection. Over HTTP/1.1 no response is lost. Over an HTTP/2 connection
    /// without other streams, it is lost only if the server sends it in one TLS record with the reset.
    ///
    /// A request with credentials for a tunnel must not share it, either.
    ///
    /// Measured with Node 20 and up to 1,000 uploads at once: libcurl 7.88 loses up to 20 percent on a
    /// shared connection.
    func needsOwnConnection(_ request: HTTPRequest) -> Bool {
      options.allowsHTTP2 && (request.hasBody || request.authorizesProxy) && request.isSecure
        && !http1Origins.contains(request.url)
    }
  }

  extension HTTPHeaders {
    /// The name of the field with the credentials for a proxy.
    static let proxyAuthorizationName = "Proxy-Authorization"
  }

  extension HTTPRequest {
    /// Whether the request has a body, possibly an empty one.
    var hasBody: Bool { if case .none = body { false } else { true } }

    /// Whether the request has credentials for a proxy, which must not reach its server.
    var authorizesProxy: Bool { headers.contains(HTTPHeaders.proxyAuthorizationName) }

    /// Whether the request uses TLS.
    var isSecure: Bool {
      // The accepted schemes are `http` and `https`; only `http` has a colon as its fifth
      // character.
      url.absoluteString.utf8.dropFirst(4).first != UInt8(ascii: ":")
    }
  }

  /// A bounded cache of `https` origins, as a hint about the versions of HTTP that they speak.
  ///
  /// A connection to an origin of HTTP/1.1 carries one exchange at a time, so exchanges cannot share
  /// it, and each thread opens its own. The origin is removed when it speaks HTTP/2.
  final class OriginCache: Sendable {
    private static let limit = 32

    /// The origins, the newest first.
    private let origins = Mutex<[Origin]>([])

    /// Returns whether a URL belongs to one of the origins.
    func contains(_ url: URL) -> Bool {
      origins.withLock { origins in
        guard !origins.isEmpty, let origin = Origin(url) else { return false }
        return origins.contains(origin)
      }
    }

    /// Removes an origin.
    func remove(_ origin: Origin) { origins.withLock { $0.removeAll { $0 == origin } } }

    /// Adds an origin, and removes the oldest one if the cache is full.
    func add(_ origin: Origin) {
      origins.withLock { origins in
        guard !origins.contains(origin) else { return }
        origins.insert(origin, at: 0)
        if origins.count > Self.limit { origins.removeLast() }
      }
    }
  }

  /// A queue of commands for an I/O thread.
  ///
  /// Any thread can post commands. The first command after the I/O thread has fallen asleep wakes
  /// it. While it is awake, posting does not signal it. Commands posted after its end are
  /// discarded.
  final class CurlCommandQueue: CallbackContext, Sendable {
    /// A command for the I/O thread.
    enum Command {
      case start(CurlExchange)
      case cancel(CurlExchange)
      case resume(CurlExchange)
      /// Ends an exchange whose response is complete before its request body was sent, or makes libcurl
      /// look at its HTTP/2 stream.
      case endEarly(CurlExchange)
      /// Sets the maximum number of connections that are kept for reuse.
      case keepConnections(Int)
      /// Ends the thread after its last exchange. No exchange is started after this command.
      case close
    }

    private struct State: ~Copyable {
      var commands: [Command] = []
      var isSleeping = false
      var hasEnded = false
    }

    private let state = Mutex(State())
    /// The number of exchanges of the thread, including those whose start is still queued.
    let exchanges = Atomic(0)

    /// A descriptor that becomes readable when the I/O thread has to wake up.
    let wakeupDescriptor = catena_eventfd()

    deinit {
      if isUsable { CatenaSystem.close(wakeupDescriptor) }
    }

    /// The current value of `exchanges`.
    var exchangeCount: Int { exchanges.load(ordering: .relaxed) }

    /// The command queue of the current I/O thread, or `nil` on any other thread.
    static var current: CurlCommandQueue? { pthread_getspecific(key).map { at($0) } }

    /// Makes this the queue of the current I/O thread, until the thread ends.
    func setCurrent() { pthread_setspecific(Self.key, context) }

    private static let key = makeThreadKey()

    /// Whether the queue could be set up; `false` if the process had no file descriptor left.
    var isUsable: Bool { wakeupDescriptor >= 0 }

    func post(_ command: Command) {
      let wakes = state.withLock { state in
        guard !state.hasEnded else { return false }
        state.commands.append(command)
        defer { state.isSleeping = false }
        return state.isSleeping
      }
      if wakes {
        var one: UInt64 = 1
        _ = CatenaSystem.write(wakeupDescriptor, &one, 8)
      }
    }

    /// Returns whether there are no commands; for the I/O thread only.
    ///
    /// The next command then wakes the thread.
    func isIdle() -> Bool {
      state.withLock { state in
        state.isSleeping = state.commands.isEmpty
        return state.isSleeping
      }
    }

    /// Marks the I/O thread as awake; for the I/O thread only.
    func wake() { state.withLock { $0.isSleeping = false } }

    /// Swaps the posted commands for an empty array; for the I/O thread only.
    func take(into commands: inout [Command]) { state.withLock { swap(&$0.commands, &commands) } }

    /// Ends the queue unless commands are waiting; for the I/O thread only.
    ///
    /// - Returns: Whether the queue has ended.
    func end() -> Bool {
      state.withLock { state in
        state.hasEnded = state.commands.isEmpty
        return state.hasEnded
      }
    }
  }
#endif
