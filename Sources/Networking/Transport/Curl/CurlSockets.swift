#if os(Linux)
  import CCatena
  import Glibc

  /// The sockets of libcurl, registered with epoll.
  ///
  /// libcurl stops watching a connection at the end of each exchange and watches it again in the
  /// next. To save two system calls per exchange, the connection stays registered with epoll in
  /// between. It is unregistered when an event occurs on it. This type has to know when the
  /// descriptor of a registered socket is closed. So only sockets opened by this type stay
  /// registered, and not other sockets of libcurl, such as its resolver's.
  final class CurlSockets {
    private struct Socket {
      /// `CURL_POLL_IN` and `CURL_POLL_OUT` bits: those that libcurl wants, and those registered
      /// with epoll.
      var wanted: Int32 = 0
      var registered: Int32 = 0
      var isOpenedHere = false
    }

    private let wakeupDescriptor: Int32
    private let epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    // Unchecked, because dynamic exclusivity checks are slow for each event. Only the I/O thread
    // accesses these properties, and accesses do not overlap.
    @exclusivity(unchecked) private var sockets: [Socket] = []
    @exclusivity(unchecked) private var events: [epoll_event]

    /// Makes an epoll instance.
    ///
    /// - Parameter wakeupDescriptor: A descriptor that ends a wait when it is written to.
    init(wakeupDescriptor: Int32) {
      events = Array(repeating: epoll_event(), count: 256)
      // Edge-triggered, so that the descriptor need not be read.
      var event = epoll_event()
      event.events = EPOLLIN.rawValue | EPOLLET.rawValue
      event.data.fd = wakeupDescriptor
      epoll_ctl(epoll, EPOLL_CTL_ADD, wakeupDescriptor, &event)
      self.wakeupDescriptor = wakeupDescriptor
    }

    deinit {
      Glibc.close(epoll)
    }

    /// Whether epoll could be set up; `false` if the process had no file descriptor left.
    var isUsable: Bool { epoll >= 0 }

    func open(_ kind: CatenaSocketKind) -> Int32 {
      let socket = Glibc.socket(
        kind.family, kind.type | Int32(SOCK_CLOEXEC.rawValue), kind.protocol)
      if socket >= 0 { self[socket] = Socket(isOpenedHere: true) }
      return socket
    }

    func close(_ socket: Int32) {
      self[socket] = Socket()
      Glibc.close(socket)
    }

    /// Sets the events for which libcurl watches a socket.
    func watch(_ socket: Int32, for events: CurlPoll) {
      let wanted = events == .remove ? 0 : events.rawValue
      self[socket].wanted = wanted
      if wanted != 0 || !self[socket].isOpenedHere { register(socket, for: wanted) }
    }

    /// Waits for events and reports each ready socket.
    ///
    /// - Parameters:
    ///   - milliseconds: The maximum time to wait, or -1 for no limit.
    ///   - ready: A closure that gets each ready socket and its `CURL_CSELECT_*` bits.
    func wait(milliseconds: Int32, _ ready: (_ socket: Int32, _ selected: Int32) -> Void) {
      let count = epoll_wait(epoll, &events, Int32(events.count), milliseconds)
      guard count > 0 else { return }
      for index in 0..<Int(count) {
        let event = events[index]
        let socket = event.data.fd
        guard socket != wakeupDescriptor else { continue }
        let wanted = self[socket].wanted
        let selected = wanted & Self.selected(by: event.events)
        if selected != 0 {
          ready(socket, selected)
        } else if wanted == 0 {
          register(socket, for: 0)
        }
      }
    }

    /// Errors and hang-ups count as all awaited events: libcurl detects them on its next read or
    /// write.
    private static func selected(by events: UInt32) -> Int32 {
      if events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 {
        return Int32(CatenaSelectIn | CatenaSelectOut)
      }
      return (events & EPOLLIN.rawValue != 0 ? Int32(CatenaSelectIn) : 0)
        | (events & EPOLLOUT.rawValue != 0 ? Int32(CatenaSelectOut) : 0)
    }

    private func register(_ socket: Int32, for wanted: Int32) {
      let registered = self[socket].registered
      guard wanted != registered else { return }
      var event = epoll_event()
      event.events =
        (wanted & CurlPoll.in.rawValue != 0 ? EPOLLIN.rawValue : 0)
        | (wanted & CurlPoll.out.rawValue != 0 ? EPOLLOUT.rawValue : 0)
      event.data.fd = socket
      let operation =
        wanted == 0 ? EPOLL_CTL_DEL : registered == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD
      epoll_ctl(epoll, operation, socket, &event)
      self[socket].registered = wanted
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
