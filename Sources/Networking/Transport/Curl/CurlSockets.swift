#if CATENA_CURL
  import CCatena
  import CCatenaCurl
  import CatenaSystem

  /// The addresses and ports of a TCP connection, which identify it among the connections of a thread.
  ///
  /// The ports alone do not, because the system uses a local port for connections to several addresses.
  struct CurlEndpoints: Hashable {
    private let ports: UInt32
    private let local: SIMD2<UInt64>
    private let remote: SIMD2<UInt64>

    /// Makes a value of the connection of a transfer, or returns `nil` if it has none.
    init?(_ easy: OpaquePointer) {
      var endpoints = CatenaEndpoints()
      guard catena_easy_endpoints(easy, &endpoints) else { return nil }
      ports = endpoints.ports
      local = SIMD2(endpoints.local.0, endpoints.local.1)
      remote = SIMD2(endpoints.remote.0, endpoints.remote.1)
    }
  }

  /// The sockets of libcurl, registered with epoll.
  ///
  /// libcurl stops watching a connection at the end of each exchange and watches it again in the
  /// next. To save two system calls per exchange, the connection stays registered with epoll in
  /// between. It is unregistered when an event occurs on it. This type has to know when the
  /// descriptor of a registered socket is closed. So only sockets opened by this type stay
  /// registered, and not other sockets of libcurl, such as its resolver's.
  ///
  /// A kept connection that becomes readable is either closed, or its server has sent bytes without a
  /// request. libcurl before 8.0 would return these bytes as the response to the next request. So the
  /// file behind the descriptor of such a connection is replaced by a closed socket, and libcurl discards
  /// the connection at its next use. HTTP/2 connections are exempt: their servers send frames at any time,
  /// and libcurl reads these before it uses the connection.
  ///
  /// An exchange can begin before the event of its connection is reported, so it checks the connection
  /// again before its request is sent. It finds the socket by the endpoints of the connection, which is
  /// all that libcurl then reports about it.
  ///
  /// Source: RFC 9112 section 9.2.
  final class CurlSockets: CallbackContext {
    private struct Socket {
      /// `CURL_POLL_IN` and `CURL_POLL_OUT` bits: those that libcurl wants, and those registered
      /// with epoll.
      var wanted: Int32 = 0
      var registered: Int32 = 0
      var isOpenedHere = false
      /// Whether the connection is kept for later requests and must not become readable.
      var isKept = false
      /// The exchange that has paused on the connection, and has not ended.
      var pausedUser: ObjectIdentifier?
      /// The endpoints of the connection, or `nil` if they are not known or it is a Unix socket.
      var endpoints: CurlEndpoints?
    }

    private let wakeupDescriptor: Int32
    private let epoll = catena_epoll_create()
    // Unchecked, because dynamic exclusivity checks are slow for each event. Only the I/O thread
    // accesses these properties, and accesses do not overlap.
    @exclusivity(unchecked) private var sockets: [Socket] = []
    @exclusivity(unchecked) private var socketsByEndpoints: [CurlEndpoints: Int32] = [:]
    @exclusivity(unchecked) private var events: [CatenaEpollEvent]

    /// Makes an epoll instance.
    ///
    /// - Parameter wakeupDescriptor: A descriptor that ends a wait when it is written to.
    init(wakeupDescriptor: Int32) {
      self.wakeupDescriptor = wakeupDescriptor
      events = Array(repeating: CatenaEpollEvent(), count: 256)
      // Edge-triggered, so that the descriptor need not be read.
      control(
        CatenaEpollAdd, wakeupDescriptor, for: CatenaEpollIn | CatenaEpollEdgeTriggered)
    }

    deinit {
      CatenaSystem.close(epoll)
    }

    /// Whether epoll could be set up; `false` if the process had no file descriptor left.
    var isUsable: Bool { epoll >= 0 }

    func open(_ kind: CatenaSocketKind) -> Int32 {
      let socket = CatenaSystem.socket(
        kind.family, kind.type | SocketType.closedInChildren, kind.protocol)
      if socket >= 0 { self[socket] = Socket(isOpenedHere: true) }
      return socket
    }

    func close(_ socket: Int32) {
      if let endpoints = self[socket].endpoints, socketsByEndpoints[endpoints] == socket {
        socketsByEndpoints[endpoints] = nil
      }
      self[socket] = Socket()
      CatenaSystem.close(socket)
    }

    /// Records the endpoints of a connection unless they are known.
    func identify(_ socket: Int32, by endpoints: @autoclosure () -> CurlEndpoints?) {
      guard self[socket].isOpenedHere, self[socket].endpoints == nil, let endpoints = endpoints()
      else { return }
      self[socket].endpoints = endpoints
      socketsByEndpoints[endpoints] = socket
    }

    /// Handles the end of the last exchange on a connection, which may have been closed.
    ///
    /// The connection counts as kept until libcurl watches it again. The next exchange may use it before
    /// this one is removed, and may even have paused, so that libcurl does not watch it.
    func keep(_ socket: Int32) {
      guard self[socket].isOpenedHere, self[socket].wanted == 0, self[socket].pausedUser == nil
      else { return }
      self[socket].isKept = true
      if self[socket].registered & CurlPoll.in.rawValue == 0 {
        register(socket, for: CurlPoll.in.rawValue)
      }
    }

    /// Handles the end of the last exchange on a connection that libcurl did not watch for it.
    func keep(_ endpoints: CurlEndpoints) {
      if let socket = socketsByEndpoints[endpoints] { keep(socket) }
    }

    /// Notes that an exchange has paused on its connection, which is not a kept one therefore.
    ///
    /// - Returns: The socket, if it is known.
    func pause(_ user: CurlHandle) -> Int32? {
      let socket =
        user.socket >= 0 ? user.socket : CurlEndpoints(user.easy).flatMap { socketsByEndpoints[$0] }
      guard let socket else { return nil }
      self[socket].isKept = false
      self[socket].pausedUser = ObjectIdentifier(user)
      return socket
    }

    /// Notes the end of an exchange that has paused on a connection.
    func end(_ user: CurlHandle, pausedOn socket: Int32) {
      if self[socket].pausedUser == ObjectIdentifier(user) { self[socket].pausedUser = nil }
    }

    /// Whether the server has closed a connection or sent bytes that libcurl has not received.
    func isReadable(_ endpoints: CurlEndpoints) -> Bool {
      guard let socket = socketsByEndpoints[endpoints] else { return false }
      return catena_is_readable(socket) != 0
    }

    /// Closes a kept connection and leaves a closed socket in its place, until libcurl closes it.
    private func discard(_ socket: Int32) {
      register(socket, for: 0)
      self[socket].isKept = false
      if catena_replace_with_closed_socket(socket) < 0 {
        // No file descriptor is left. libcurl finds this connection closed too, unless bytes are unread.
        shutdown(socket, Int32(SHUT_RDWR))
      }
    }

    /// Sets the events for which libcurl watches a socket.
    func watch(_ socket: Int32, for events: CurlPoll) {
      let wanted = events == .remove ? 0 : events.rawValue
      self[socket].wanted = wanted
      if wanted != 0 { self[socket].isKept = false }
      if wanted != 0 || !self[socket].isOpenedHere { register(socket, for: wanted) }
    }

    /// Waits for events and reports each ready socket.
    ///
    /// - Parameters:
    ///   - milliseconds: The maximum time to wait, or -1 for no limit.
    ///   - ready: A closure that gets each ready socket and its `CURL_CSELECT_*` bits.
    func wait(milliseconds: Int32, _ ready: (_ socket: Int32, _ selected: Int32) -> Void) {
      // Space for all sockets, because a kept connection that is ready must not be used before its event.
      if events.count < sockets.count {
        events = Array(repeating: CatenaEpollEvent(), count: sockets.count)
      }
      let count = catena_epoll_wait(epoll, &events, Int32(events.count), milliseconds)
      guard count > 0 else { return }
      for index in 0..<Int(count) {
        let event = events[index]
        let socket = Int32(event.token)
        guard socket != wakeupDescriptor else { continue }
        let wanted = self[socket].wanted
        let selected = Self.selected(by: event.events)
        if wanted & selected != 0 {
          ready(socket, wanted & selected)
        } else if self[socket].isKept, selected & Int32(CatenaSelectIn) != 0 {
          discard(socket)
        } else if self[socket].isKept {
          register(socket, for: CurlPoll.in.rawValue)
        } else if wanted == 0 {
          register(socket, for: 0)
        }
      }
    }

    /// Errors and hang-ups count as all awaited events: libcurl detects them on its next read or
    /// write.
    private static func selected(by events: UInt32) -> Int32 {
      if events & (CatenaEpollError | CatenaEpollHangup) != 0 {
        return Int32(CatenaSelectIn | CatenaSelectOut)
      }
      return (events & CatenaEpollIn != 0 ? Int32(CatenaSelectIn) : 0)
        | (events & CatenaEpollOut != 0 ? Int32(CatenaSelectOut) : 0)
    }

    private func register(_ socket: Int32, for wanted: Int32) {
      let registered = self[socket].registered
      guard wanted != registered else { return }
      let events =
        (wanted & CurlPoll.in.rawValue != 0 ? CatenaEpollIn : 0)
        | (wanted & CurlPoll.out.rawValue != 0 ? CatenaEpollOut : 0)
      let operation =
        wanted == 0 ? CatenaEpollRemove : registered == 0 ? CatenaEpollAdd : CatenaEpollChange
      control(operation, socket, for: events)
      self[socket].registered = wanted
    }

    /// Changes what epoll reports; nothing for a descriptor that could not be opened.
    private func control(_ operation: Int32, _ descriptor: Int32, for events: UInt32) {
      guard descriptor >= 0 else { return }
      let event = CatenaEpollEvent(events: events, token: UInt64(descriptor))
      _ = catena_epoll_control(epoll, operation, descriptor, event)
    }

    private subscript(socket: Int32) -> Socket {
      get { sockets.indices.contains(Int(socket)) ? sockets[Int(socket)] : Socket() }
      set {
        let missing = Int(socket) + 1 - sockets.count
        if missing > 0 { sockets += Array(repeating: Socket(), count: max(missing, 64)) }
        sockets[Int(socket)] = newValue
      }
    }
  }
#endif
