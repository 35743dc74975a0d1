#if canImport(Glibc)
  import CCatena
  import Glibc

  /// Waits for many file descriptors at once, by epoll; level-triggered.
  struct Poller {
    /// Room for what one wait reports.
    typealias Events = [epoll_event]
    static let noEvents = Array(repeating: epoll_event(), count: 256)

    private let epoll: Int32
    private let alarm: Int32
    private static let alarmToken = UInt64.max

    init() throws(SocketError) {
      epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
      guard epoll >= 0 else { throw SocketError.current }
      alarm = eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC))
      guard alarm >= 0 else {
        let error = SocketError.current
        Glibc.close(epoll)
        throw error
      }
      watch(alarm, for: .readable, as: Self.alarmToken)
    }

    func watch(_ descriptor: Int32, for readiness: Readiness, as token: UInt64) {
      control(EPOLL_CTL_ADD, descriptor, readiness, token)
    }

    func change(_ descriptor: Int32, to readiness: Readiness, as token: UInt64) {
      control(EPOLL_CTL_MOD, descriptor, readiness, token)
    }

    /// To be called before the descriptor is closed.
    func ignore(_ descriptor: Int32) {
      control(EPOLL_CTL_DEL, descriptor, [], 0)
    }

    private func control(
      _ operation: Int32, _ descriptor: Int32, _ readiness: Readiness, _ token: UInt64
    ) {
      var event = epoll_event()
      if readiness.contains(.readable) { event.events |= EPOLLIN.rawValue }
      if readiness.contains(.writable) { event.events |= EPOLLOUT.rawValue }
      if readiness.contains(.hangup) { event.events |= EPOLLRDHUP.rawValue }
      event.data.u64 = token
      epoll_ctl(epoll, operation, descriptor, &event)
    }

    /// Blocks until something is ready, or ``wake()`` has been called.
    func wait(
      _ events: inout Events, _ report: (_ token: UInt64, _ readiness: Readiness) -> Void
    ) {
      let count = epoll_wait(epoll, &events, Int32(events.count), -1)
      guard count > 0 else { return }
      for event in events[..<Int(count)] {
        guard event.data.u64 != Self.alarmToken else {
          var number: UInt64 = 0
          _ = Glibc.read(alarm, &number, 8)
          continue
        }
        var readiness: Readiness = []
        if event.events & EPOLLIN.rawValue != 0 { readiness.insert(.readable) }
        if event.events & EPOLLOUT.rawValue != 0 { readiness.insert(.writable) }
        if event.events & EPOLLRDHUP.rawValue != 0 { readiness.insert(.hangup) }
        if event.events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 { readiness.insert(.broken) }
        report(event.data.u64, readiness)
      }
    }

    /// Has a ``wait(_:_:)`` return, the current or else the next; from any thread.
    func wake() {
      var one: UInt64 = 1
      _ = Glibc.write(alarm, &one, 8)
    }

    func close() {
      Glibc.close(alarm)
      Glibc.close(epoll)
    }
  }
#endif
