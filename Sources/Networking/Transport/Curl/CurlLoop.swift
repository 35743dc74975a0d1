#if CATENA_CURL
  import CCatena
  import CCatenaCurl
  import CatenaSystem
  import Dispatch
  import Foundation
  import Promises

  /// The event loop of an I/O thread: libcurl's multi interface, driven by epoll.
  ///
  /// Each iteration waits for events, tells libcurl about ready sockets, ends completed exchanges, performs
  /// the posted commands, tells libcurl about an expired timer, and ends completed exchanges again. The
  /// commands follow the events, because a new exchange must not use a connection that has become
  /// readable since its last exchange. A request that a handler makes is sent in the same iteration, if its
  /// connection is checked before. The handlers of exchanges are called from libcurl's callbacks or after
  /// the events, never under a lock.
  final class CurlLoop: CallbackContext {
    private static let initialized: Void = catena_curl_initialize()
    /// Whether ``CurlHandle/reportConnection()`` checks a connection before a request is sent on it.
    private static let checksConnections = catena_curl_version() >= 0x07_5000

    private let commandQueue: CurlCommandQueue
    private let options: CurlTransport.Options
    private let http1Origins: OriginCache
    /// The origins that refuse HTTP/1.1, or `nil` except in a pool for bodies.
    private let refusingOrigins: OriginCache?
    private let sockets: CurlSockets
    /// The TLS sessions of all handles.
    private let share: OpaquePointer?
    private let clock = CurlClock()
    private let connections = CurlConnections()
    private let multi: OpaquePointer?
    // Unchecked, because dynamic exclusivity checks are slow for each exchange. Only the I/O thread
    // accesses these properties, and accesses do not overlap.
    @exclusivity(unchecked) private var deadlines = Heap<CurlDeadline>()
    /// The active handles of a pool for bodies by the sockets that libcurl watches for them.
    private var owners: [Int32: CurlHandle] = [:]
    /// The handles of finished exchanges, kept for reuse.
    @exclusivity(unchecked) private var idleHandles: [CurlHandle] = []
    private static let maximumIdleHandles = 256
    /// The time at which libcurl's timer expires, or `nil` if none is set.
    private var timerDue: UInt64?
    @exclusivity(unchecked) private var activeCount = 0
    private var isClosing = false

    /// Makes a loop.
    ///
    /// - Parameters:
    ///   - commandQueue: The queue of its commands.
    ///   - options: The options of the transport.
    ///   - http1Origins: The cache of HTTP/1.1 origins, which the loop updates from responses.
    ///   - refusingOrigins: The cache of origins that refuse HTTP/1.1, which the loop updates, for a pool
    ///     for bodies; otherwise `nil`.
    init(
      commandQueue: CurlCommandQueue, options: CurlTransport.Options,
      _ http1Origins: OriginCache, refusing refusingOrigins: OriginCache?
    ) {
      _ = Self.initialized
      self.commandQueue = commandQueue
      self.options = options
      self.http1Origins = http1Origins
      self.refusingOrigins = refusingOrigins
      sockets = CurlSockets(wakeupDescriptor: commandQueue.wakeupDescriptor)
      multi = catena_multi_make()
      share = catena_share_make()
    }

    /// Runs the loop until the transport is released and its last exchange has ended.
    func run() {
      catena_name_thread("Catena.Curl")
      commandQueue.setCurrent()
      TransportThread.markCurrent()
      blockSIGPIPE()
      setUpMulti()
      var commands: [CurlCommandQueue.Command] = []
      repeat {
        if !Self.checksConnections { commandQueue.take(into: &commands) }
        let isIdle = commands.isEmpty && commandQueue.isIdle()
        let polled = CurlClock.currentTime
        sockets.wait(milliseconds: isIdle ? pollTimeout(at: polled) : 0) {
          [clock] socket, selected in
          clock.update()
          // After a read has ended its stream, libcurl notices that when it sends.
          let sends = owners[socket]?.sendsAfterReads == true
          catena_multi_socket_ready(
            multi, socket, sends ? selected | Int32(CatenaSelectOut) : selected)
        }
        if isIdle { commandQueue.wake() }
        clock.update()
        if Self.checksConnections {
          finishCompleted()
          commandQueue.take(into: &commands)
        }
        for command in commands { perform(command) }
        commands.removeAll(keepingCapacity: true)
        fireTimer()
        finishCompleted()
        handleDeadlines(dueBy: polled)
        finishCompleted()
      } while !(isClosing && activeCount == 0 && commandQueue.end())
      idleHandles.removeAll()
      catena_multi_free(multi)
      catena_share_free(share)
    }

    private func setUpMulti() {
      keepConnections(options.connectionCacheSize)
      if refusingOrigins != nil { catena_multi_set_long(multi, .multiplexing, 0) }
      catena_multi_set_long(
        multi, .maxHostConnections, max(options.maximumConnectionsPerHost ?? 0, 0))
      catena_multi_on_socket(
        multi,
        { easy, socket, events, context, _ in
          let loop = CurlLoop.at(context)
          // libcurl's own handles have no private pointer.
          if let easy, let handle = catena_easy_private(easy) {
            let handle = CurlHandle.at(handle)
            handle.socket = socket
            if handle.hasOwnConnection {
              loop.owners[socket] = CurlPoll(rawValue: events) == .remove ? nil : handle
            }
            loop.sockets.identify(socket, by: CurlEndpoints(easy))
          }
          loop.sockets.watch(socket, for: CurlPoll(rawValue: events) ?? .remove)
          return 0
        }, context)
      catena_multi_on_timer(
        multi,
        { _, milliseconds, context in
          let loop = CurlLoop.at(context)
          // A timer that is due now needs no exact time, and another one must not expire early.
          let now = milliseconds > 0 ? CurlClock.currentTime : loop.clock.now
          loop.timerDue = milliseconds < 0 ? nil : now + UInt64(milliseconds) * 1_000_000
          return 0
        }, context)
    }

    private func keepConnections(_ n: Int) { catena_multi_set_long(multi, .maxConnects, max(n, 1)) }

    private func perform(_ command: CurlCommandQueue.Command) {
      switch command {
      case .start(let exchange): start(exchange)
      case .cancel(let exchange):
        if let handle = exchange.handle {
          end(handle, with: handle.failure(.cancelled))
        } else {
          // Its files may still be opened. An exchange that has ended ignores this.
          exchange.fail(.cancelled)
        }
      case .resume(let exchange):
        // libcurl does not resume an exchange that has completed.
        finishCompleted()
        // libcurl does not report this result in any other way.
        if let handle = exchange.handle, case let result = handle.resume(), result != .OK {
          end(handle, with: handle.event(for: result))
        }
      case .endEarly(let exchange):
        guard let handle = exchange.handle else { return }
        if handle.answerEarly() {
          end(handle, with: handle.event(for: .OK))
        } else {
          readAgain(handle)
        }
      case .keepConnections(let count): keepConnections(count)
      case .close: isClosing = true
      }
    }

    private func start(_ exchange: CurlExchange) {
      guard !exchange.isCancelled else { return exchange.fail(.cancelled) }
      guard multi != nil, sockets.isUsable,
        let handle = idleHandles.popLast() ?? CurlHandle(clock: clock, connections)
      else {
        let problem = catena_curl_problem().map { String(cString: $0) }
        return exchange.fail(.cannotConnect, problem ?? "No memory or file descriptors are left")
      }
      handle.hasOwnConnection = refusingOrigins != nil
      handle.requiresHTTP1 = refusingOrigins?.contains(exchange.request.url) == false
      do {
        try handle.prepare(exchange, options, sockets, share)
      } catch {
        _ = handle.finish()
        recycle(handle)
        return exchange.end(with: .failure(error))
      }
      activeCount += 1
      if let due = handle.idleDeadline() {
        deadlines.insert(CurlDeadline(due: due, handle: handle))
      }
      add(handle)
    }

    private func add(_ handle: CurlHandle) {
      guard catena_multi_add(multi, handle.easy) != 0 else { return }
      end(handle, with: handle.failure(.cannotConnect, "libcurl rejected the exchange"))
    }

    /// Returns the maximum time to wait for events, in milliseconds, or -1 for no limit.
    private func pollTimeout(at now: UInt64) -> Int32 {
      let due = min(timerDue ?? .max, deadlines.first?.due ?? .max)
      guard due < .max else { return isClosing && activeCount == 0 ? 0 : -1 }
      guard due > now else { return 0 }
      return Int32(clamping: (due - now + 999_999) / 1_000_000)
    }

    private func fireTimer() {
      guard let timerDue, timerDue <= clock.now else { return }
      self.timerDue = nil
      catena_multi_timer_expired(multi)
    }

    private func finishCompleted() {
      var result = CurlResult.OK
      while let easy = catena_multi_next_completed(multi, &result) {
        let handle = CurlHandle.at(catena_easy_private(easy))
        if handle.prepareRestart(after: result) {
          restart(handle)
        } else if handle.isHTTP1Refused(result), handle.rewindBody() {
          if let origin = handle.origin { refusingOrigins?.add(origin) }
          handle.offerHTTP2()
          restart(handle)
        } else {
          end(handle, with: handle.event(for: result))
        }
      }
      // The exchanges of a connection end before it is closed.
      connections.removeClosed()
    }

    /// Sends a request again that was not sent, or that its server has not processed.
    private func restart(_ handle: CurlHandle) {
      catena_multi_remove(multi, handle.easy)
      handle.restart()
      add(handle)
    }

    /// Makes libcurl read from the connection of an exchange, and again after a while if the exchange
    /// does not end.
    private func readAgain(_ handle: CurlHandle) {
      guard let delay = handle.body.readDelay, !handle.isPaused else { return }
      // Other streams of the connection would read in its place.
      catena_multi_timer_expired(multi)
      catena_easy_read_again(handle.easy)
      catena_multi_timer_expired(multi)
      handle.body.readDelay = delay < 2_000_000_000 ? delay * 4 : nil
      if let index = handle.deadlineIndex { deadlines.remove(at: index) }
      let due = min(clock.now + delay, handle.idleDeadline() ?? .max)
      deadlines.insert(CurlDeadline(due: due, handle: handle))
    }

    /// Fails exchanges whose idle timeout has expired, and repeats reads of libcurl.
    ///
    /// - Parameter polled: The time since which the sockets have been polled. A response that arrived
    ///   before it has been received, however long the process was suspended.
    private func handleDeadlines(dueBy polled: UInt64) {
      while let deadline = deadlines.first, deadline.due <= polled {
        deadlines.popFirst()
        let handle = deadline.handle
        readAgain(handle)
        guard handle.deadlineIndex == nil, let due = handle.idleDeadline() else { continue }
        let tolerance = deadline.isRepeated ? LateCheck.suspension : LateCheck.tolerance
        if due > clock.now {
          deadlines.insert(CurlDeadline(due: due, handle: handle))
        } else if polled - deadline.due > tolerance.wholeNanoseconds {
          // A request that could not be sent, or a response that was on its way.
          let due = polled + LateCheck.grace.wholeNanoseconds
          deadlines.insert(CurlDeadline(due: due, handle: handle, isRepeated: true))
        } else {
          end(handle, with: handle.failure(.timedOut(.idle)))
        }
      }
    }

    /// Records the HTTP version that an `https` server selected, if HTTP/2 was possible.
    private func recordHTTPVersion(from event: TransportEvent, of handle: CurlHandle) {
      guard options.allowsHTTP2, let origin = handle.origin, origin.scheme == "https",
        case .end(let metrics) = event
      else { return }
      switch metrics.httpVersion {
      case "1.1": http1Origins.add(origin)
      case "2": http1Origins.remove(origin)
      default: break
      }
    }

    private func end(_ handle: CurlHandle, with event: TransportEvent) {
      recordHTTPVersion(from: event, of: handle)
      let trailers = handle.trailers
      let exchange = remove(handle)
      if !trailers.isEmpty, case .end = event {
        exchange?.deliver(.trailers(HTTPHeaders(trailers)))
      }
      exchange?.end(with: event)
    }

    /// Removes a handle from libcurl and keeps it for reuse.
    private func remove(_ handle: CurlHandle) -> CurlExchange? {
      let mayCarryFrames = handle.mayUseHTTP2
      if let socket = handle.pausedSocket.take() { sockets.end(handle, pausedOn: socket) }
      catena_multi_remove(multi, handle.easy)
      if !mayCarryFrames {
        if handle.socket >= 0 {
          sockets.identify(handle.socket, by: CurlEndpoints(handle.easy))
          sockets.keep(handle.socket)
        } else if let endpoints = CurlEndpoints(handle.easy) {
          sockets.keep(endpoints)
        }
      }
      if let index = handle.deadlineIndex { deadlines.remove(at: index) }
      if owners[handle.socket] === handle { owners[handle.socket] = nil }
      activeCount -= 1
      let exchange = handle.finish()
      recycle(handle)
      return exchange
    }

    /// Keeps a finished handle for reuse, up to a limit.
    private func recycle(_ handle: CurlHandle) {
      if idleHandles.count < Self.maximumIdleHandles, handle.recycle() {
        idleHandles.append(handle)
      }
    }

    /// Blocks `SIGPIPE` on this thread.
    ///
    /// With `CURLOPT_NOSIGNAL`, libcurl does not ignore the signal, and the TLS library writes
    /// without `MSG_NOSIGNAL`.
    private func blockSIGPIPE() {
      var signals = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, SIGPIPE)
      pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
  }

  /// A monotonic clock in nanoseconds whose time is cached for the current step of the I/O thread.
  final class CurlClock {
    private(set) var now = currentTime

    func update() { now = Self.currentTime }

    /// The time of the system clock, uncached.
    static var currentTime: UInt64 { DispatchTime.now().uptimeNanoseconds }
  }

  /// The time of a handle's next check for an idle connection.
  ///
  /// Each handle has at most one deadline in the heap. If the connection has been active when the
  /// deadline is due, the handle gets a new deadline. Activity does not update the heap, because it
  /// is far more frequent.
  struct CurlDeadline: HeapElement {
    /// The time on the ``CurlClock``.
    let due: UInt64
    let handle: CurlHandle
    /// Whether it follows a late one.
    var isRepeated = false

    func precedes(_ other: CurlDeadline) -> Bool { due < other.due }
    func setHeapIndex(_ index: Int?) { handle.deadlineIndex = index }
  }
#endif
