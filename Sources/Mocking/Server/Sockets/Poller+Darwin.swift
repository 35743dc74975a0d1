#if canImport(Darwin)
  import Darwin

  /// Waits for many file descriptors at once, by kqueue; level-triggered.
  struct Poller {
    /// Room for what one wait reports.
    typealias Events = [kevent]
    static let noEvents = Array(repeating: kevent(), count: 256)

    private let queue: Int32
    private static let alarmIdent: UInt = 0

    init() throws(SocketError) {
      queue = kqueue()
      guard queue >= 0 else { throw SocketError.current }
      change(Self.alarmIdent, Int16(EVFILT_USER), UInt16(EV_ADD | EV_CLEAR), 0, .max)
    }

    func watch(_ descriptor: Int32, for readiness: Readiness, as token: UInt64) {
      change(descriptor, to: readiness, as: token)
    }

    func change(_ descriptor: Int32, to readiness: Readiness, as token: UInt64) {
      let ident = UInt(descriptor)
      // The read filter tells of the end, too; edge-triggered where only that is wanted, so that bytes
      // that nobody reads do not report again and again.
      let reads: Int32 =
        readiness.contains(.readable)
        ? EV_ADD | EV_ENABLE
        : readiness.contains(.hangup) ? EV_ADD | EV_ENABLE | EV_CLEAR : EV_DELETE
      // Deleted first: a filter that is there keeps its trigger mode.
      change(ident, Int16(EVFILT_READ), UInt16(EV_DELETE), 0, token)
      if reads != EV_DELETE { change(ident, Int16(EVFILT_READ), UInt16(reads), 0, token) }
      let writes = readiness.contains(.writable) ? EV_ADD | EV_ENABLE : EV_DELETE
      change(ident, Int16(EVFILT_WRITE), UInt16(writes), 0, token)
    }

    /// To be called before the descriptor is closed.
    func ignore(_ descriptor: Int32) {
      change(descriptor, to: [], as: 0)
    }

    private func change(
      _ ident: UInt, _ filter: Int16, _ flags: UInt16, _ filterFlags: UInt32, _ token: UInt64
    ) {
      var event = kevent(
        ident: ident, filter: filter, flags: flags, fflags: filterFlags, data: 0,
        udata: UnsafeMutableRawPointer(bitPattern: UInt(token)))
      // Deleting a filter that is not there fails, which is as well.
      _ = kevent(queue, &event, 1, nil, 0, nil)
    }

    /// Blocks until something is ready, or ``wake()`` has been called.
    func wait(
      _ events: inout Events, _ report: (_ token: UInt64, _ readiness: Readiness) -> Void
    ) {
      let count = kevent(queue, nil, 0, &events, Int32(events.count), nil)
      guard count > 0 else { return }
      for event in events[..<Int(count)] where event.filter != Int16(EVFILT_USER) {
        let isWrite = event.filter == Int16(EVFILT_WRITE)
        var readiness: Readiness = isWrite ? .writable : .readable
        if event.flags & UInt16(EV_EOF) != 0 { readiness.insert(isWrite ? .broken : .hangup) }
        if event.flags & UInt16(EV_ERROR) != 0 { readiness.insert(.broken) }
        report(UInt64(UInt(bitPattern: event.udata)), readiness)
      }
    }

    /// Has a ``wait(_:_:)`` return, the current or else the next; from any thread.
    func wake() {
      change(Self.alarmIdent, Int16(EVFILT_USER), 0, UInt32(NOTE_TRIGGER), .max)
    }

    func close() {
      Darwin.close(queue)
    }
  }
#endif
