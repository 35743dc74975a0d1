#if os(Linux)
  import CCatena
  import Glibc

  /// The sockets that libcurl wants to hear of, on epoll.
  ///
  /// libcurl loses interest in a connection at the end of each exchange and takes it up again with the
  /// next. To spare two system calls an exchange, a connection stays with epoll meanwhile; it is taken
  /// out when something happens on it. That takes knowing when its descriptor is closed, so it is done
  /// only with sockets opened here, and not with others that libcurl uses, such as its resolver's.
  final class CurlSockets {
    private struct Socket {
      /// CURL_POLL_IN and OUT: what libcurl wants, and what epoll has been told.
      var wanted: Int32 = 0
      var registered: Int32 = 0
      var isOpenedHere = false
    }

    private let epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    // Unchecked, as that is for each event: all of it is the I/O thread's, and no access has another within.
    @exclusivity(unchecked) private var sockets: [Socket] = []
    @exclusivity(unchecked) private var events: [epoll_event]

    /// - Parameter wakeupDescriptor: a descriptor that ends a wait whenever it is written to.
    init(wakeupDescriptor: Int32) {
      events = Array(repeating: epoll_event(), count: 256)
      // Edge-triggered, so that it need not be read.
      var event = epoll_event()
      event.events = EPOLLIN.rawValue | EPOLLET.rawValue
      event.data.fd = wakeupDescriptor
      epoll_ctl(epoll, EPOLL_CTL_ADD, wakeupDescriptor, &event)
      self.wakeupDescriptor = wakeupDescriptor
    }

    private let wakeupDescriptor: Int32

    deinit {
      Glibc.close(epoll)
    }

    /// False when the system had no file descriptor left.
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

    /// What libcurl wants to know of a socket from now on.
    func watch(_ socket: Int32, for what: CurlPoll) {
      let wanted = what == .remove ? 0 : what.rawValue
      self[socket].wanted = wanted
      if wanted != 0 || !self[socket].isOpenedHere { register(socket, for: wanted) }
    }

    /// Waits for something to happen, for so many milliseconds, -1 being for ever, and tells of each
    /// socket that is ready; what for, as CURL_CSELECT_ bits.
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

    /// Errors and hang-ups count as whatever is waited for: libcurl then finds out by trying.
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
