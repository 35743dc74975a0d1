import CCatena
import CatenaSystem
import Foundation

/// A thread that waits for file descriptors and runs jobs until it is stopped.
///
/// Other threads only call `poller.wake()`, which is a thread-safe system call; the lock of
/// `jobQueue` prevents calls after the poller is closed.
/// `@unchecked Sendable` because `lastToken`, like `handlers`, is protected by thread confinement.
final class EventLoop: @unchecked Sendable {
  typealias Job = @Sendable () -> Void

  /// A handler of the events of a file descriptor, which is called only on the thread of the loop.
  protocol EventHandler: AnyObject {
    func handle(_ readiness: Readiness)
  }

  private struct JobQueue {
    var jobs: [Job] = []
    var isOpen = true
  }

  private let jobQueue = Mutex(JobQueue())
  private let poller: Poller
  private var handlers: [UInt64: any EventHandler] = [:]
  private var lastToken: UInt64 = 0
  /// The work that runs after the next events, on the loop's thread.
  private var deferredWork: [() -> Void] = []
  private let threadKey = "Catena.EventLoop"

  init() throws(SocketError) {
    poller = try Poller()
    let thread = Thread { [self] in run() }
    thread.name = threadKey
    thread.start()
  }

  /// Runs a job on the thread of the loop.
  ///
  /// Jobs run in the order of the calls.
  ///
  /// - Returns: Whether the job will run. `false` if the loop has been stopped.
  @discardableResult
  func execute(_ job: @escaping Job) -> Bool {
    jobQueue.withLock { jobQueue in
      guard jobQueue.isOpen else { return false }
      jobQueue.jobs.append(job)
      if jobQueue.jobs.count == 1 { poller.wake() }
      return true
    }
  }

  /// Whether the current thread is that of the loop.
  var isCurrent: Bool {
    Thread.current.threadDictionary[threadKey] as? ObjectIdentifier == ObjectIdentifier(self)
  }

  // MARK: On the loop's thread

  func watch(_ descriptor: Int32, for readiness: Readiness, _ handler: any EventHandler) -> UInt64 {
    lastToken += 1
    handlers[lastToken] = handler
    poller.watch(descriptor, for: readiness, as: lastToken)
    return lastToken
  }

  func change(_ descriptor: Int32, to readiness: Readiness, _ token: UInt64) {
    poller.change(descriptor, to: readiness, as: token)
  }

  func ignore(_ descriptor: Int32, _ token: UInt64) {
    poller.ignore(descriptor)
    handlers[token] = nil
  }

  /// Runs work after the handlers of the events that are ready now.
  ///
  /// A handler with much work divides it in this way, so that other handlers are not delayed.
  func afterNextEvents(_ work: @escaping () -> Void) {
    deferredWork.append(work)
  }

  /// Ends the loop after the current jobs, and rejects further jobs.
  func stop() {
    jobQueue.withLock { $0.isOpen = false }
  }

  private func run() {
    Thread.current.threadDictionary[threadKey] = ObjectIdentifier(self)
    var ready: [(UInt64, Readiness)] = []
    var events = Poller.noEvents
    var rounds = 0
    while true {
      let (jobs, isOpen) = jobQueue.withLock { jobQueue in
        defer { jobQueue.jobs = [] }
        return (jobQueue.jobs, jobQueue.isOpen)
      }
      for job in jobs { job() }
      guard isOpen else { break }
      rounds += 1
      // Jobs may add jobs without end. The number of rounds is bounded, so that events are handled.
      if !jobs.isEmpty, deferredWork.isEmpty, rounds < Self.roundsBetweenEvents { continue }
      rounds = 0
      ready.removeAll(keepingCapacity: true)
      poller.wait(&events, blocks: jobs.isEmpty && deferredWork.isEmpty) { token, readiness in
        ready.append((token, readiness))
      }
      // An earlier handler in the list may have removed a later one. Tokens are never reused.
      for (token, readiness) in ready { handlers[token]?.handle(readiness) }
      let work = deferredWork
      deferredWork.removeAll(keepingCapacity: true)
      for continuation in work { continuation() }
    }
    handlers = [:]
    deferredWork = []
    poller.close()
    Thread.current.threadDictionary.removeObject(forKey: threadKey)
  }

  /// The maximum number of times that jobs run before events are handled.
  private static let roundsBetweenEvents = 16
}

#if canImport(Darwin)
  /// A level-triggered poller for file descriptors, based on kqueue.
  struct Poller {
    /// The buffer for the events of one wait.
    typealias Events = [kevent]
    static var noEvents: Events { Array(repeating: kevent(), count: 256) }

    private let queue: Int32
    private static let wakeIdent: UInt = 0

    init() throws(SocketError) {
      queue = kqueue()
      guard queue >= 0 else { throw SocketError.current }
      change(Self.wakeIdent, Int16(EVFILT_USER), UInt16(EV_ADD | EV_CLEAR), 0, .max)
    }

    func watch(_ descriptor: Int32, for readiness: Readiness, as token: UInt64) {
      change(descriptor, to: readiness, as: token)
    }

    func change(_ descriptor: Int32, to readiness: Readiness, as token: UInt64) {
      let ident = UInt(descriptor)
      // The read filter also reports the end of input. If only the end of input is watched, the
      // filter is edge-triggered, because unread bytes would otherwise be reported repeatedly.
      let reads: Int32 =
        readiness.contains(.readable)
        ? EV_ADD | EV_ENABLE
        : readiness.contains(.hangup) ? EV_ADD | EV_ENABLE | EV_CLEAR : EV_DELETE
      // Deletes the filter first, because an existing filter keeps its trigger mode.
      change(ident, Int16(EVFILT_READ), UInt16(EV_DELETE), 0, token)
      if reads != EV_DELETE { change(ident, Int16(EVFILT_READ), UInt16(reads), 0, token) }
      let writes = readiness.contains(.writable) ? EV_ADD | EV_ENABLE : EV_DELETE
      change(ident, Int16(EVFILT_WRITE), UInt16(writes), 0, token)
    }

    /// Stops watching a descriptor; must be called before the descriptor is closed.
    func ignore(_ descriptor: Int32) {
      change(descriptor, to: [], as: 0)
    }

    private func change(
      _ ident: UInt, _ filter: Int16, _ flags: UInt16, _ filterFlags: UInt32, _ token: UInt64
    ) {
      var event = kevent(
        ident: ident, filter: filter, flags: flags, fflags: filterFlags, data: 0,
        // Pointers have 32 bits on some watches. Tokens count from 1, and that of the wake-up is not read.
        udata: UnsafeMutableRawPointer(bitPattern: UInt(truncatingIfNeeded: token)))
      // The call fails for a filter that does not exist. The error is ignored.
      _ = kevent(queue, &event, 1, nil, 0, nil)
    }

    /// Reports the descriptors that are ready.
    ///
    /// - Parameters:
    ///   - events: The buffer.
    ///   - blocks: Whether the call blocks until a descriptor is ready or ``wake()`` is called.
    ///   - report: A closure that is called for each descriptor that is ready.
    func wait(
      _ events: inout Events, blocks: Bool = true,
      _ report: (_ token: UInt64, _ readiness: Readiness) -> Void
    ) {
      var noTime = timespec()
      let count =
        blocks
        ? kevent(queue, nil, 0, &events, Int32(events.count), nil)
        : kevent(queue, nil, 0, &events, Int32(events.count), &noTime)
      guard count > 0 else { return }
      for event in events[..<Int(count)] where event.filter != Int16(EVFILT_USER) {
        let isWrite = event.filter == Int16(EVFILT_WRITE)
        var readiness: Readiness = isWrite ? .writable : .readable
        if event.flags & UInt16(EV_EOF) != 0 { readiness.insert(isWrite ? .broken : .hangup) }
        if event.flags & UInt16(EV_ERROR) != 0 { readiness.insert(.broken) }
        report(UInt64(UInt(bitPattern: event.udata)), readiness)
      }
    }

    /// Wakes the current or the next call of ``wait(_:blocks:_:)``; may be called from any thread.
    func wake() {
      change(Self.wakeIdent, Int16(EVFILT_USER), 0, UInt32(NOTE_TRIGGER), .max)
    }

    func close() {
      CatenaSystem.close(queue)
    }
  }
#endif

#if !canImport(Darwin)
  /// A level-triggered poller for file descriptors, based on epoll.
  struct Poller {
    /// The buffer for the events of one wait.
    typealias Events = [CatenaEpollEvent]
    static let noEvents = Array(repeating: CatenaEpollEvent(), count: 256)

    private let epoll: Int32
    private let wakeDescriptor: Int32
    private static let wakeToken = UInt64.max

    init() throws(SocketError) {
      epoll = catena_epoll_create()
      guard epoll >= 0 else { throw SocketError.current }
      wakeDescriptor = catena_eventfd()
      guard wakeDescriptor >= 0 else {
        let error = SocketError.current
        CatenaSystem.close(epoll)
        throw error
      }
      watch(wakeDescriptor, for: .readable, as: Self.wakeToken)
    }

    func watch(_ descriptor: Int32, for readiness: Readiness, as token: UInt64) {
      control(CatenaEpollAdd, descriptor, readiness, token)
    }

    func change(_ descriptor: Int32, to readiness: Readiness, as token: UInt64) {
      control(CatenaEpollChange, descriptor, readiness, token)
    }

    /// Stops watching a descriptor; must be called before the descriptor is closed.
    func ignore(_ descriptor: Int32) {
      control(CatenaEpollRemove, descriptor, [], 0)
    }

    private func control(
      _ operation: Int32, _ descriptor: Int32, _ readiness: Readiness, _ token: UInt64
    ) {
      var event = CatenaEpollEvent(events: 0, token: token)
      if readiness.contains(.readable) { event.events |= CatenaEpollIn }
      if readiness.contains(.writable) { event.events |= CatenaEpollOut }
      if readiness.contains(.hangup) { event.events |= CatenaEpollReadHangup }
      _ = catena_epoll_control(epoll, operation, descriptor, event)
    }

    /// Reports the descriptors that are ready.
    ///
    /// - Parameters:
    ///   - events: The buffer.
    ///   - blocks: Whether the call blocks until a descriptor is ready or ``wake()`` is called.
    ///   - report: A closure that is called for each descriptor that is ready.
    func wait(
      _ events: inout Events, blocks: Bool = true,
      _ report: (_ token: UInt64, _ readiness: Readiness) -> Void
    ) {
      let count = catena_epoll_wait(epoll, &events, Int32(events.count), blocks ? -1 : 0)
      guard count > 0 else { return }
      for event in events[..<Int(count)] {
        guard event.token != Self.wakeToken else {
          var number: UInt64 = 0
          _ = CatenaSystem.read(wakeDescriptor, &number, 8)
          continue
        }
        var readiness: Readiness = []
        if event.events & CatenaEpollIn != 0 { readiness.insert(.readable) }
        if event.events & CatenaEpollOut != 0 { readiness.insert(.writable) }
        if event.events & CatenaEpollReadHangup != 0 { readiness.insert(.hangup) }
        if event.events & (CatenaEpollError | CatenaEpollHangup) != 0 { readiness.insert(.broken) }
        report(event.token, readiness)
      }
    }

    /// Wakes the current or the next call of ``wait(_:blocks:_:)``; may be called from any thread.
    func wake() {
      var one: UInt64 = 1
      _ = CatenaSystem.write(wakeDescriptor, &one, 8)
    }

    func close() {
      CatenaSystem.close(wakeDescriptor)
      CatenaSystem.close(epoll)
    }
  }
#endif

/// The events that a file descriptor is ready for, or is watched for.
struct Readiness: OptionSet, Hashable {
  let rawValue: UInt8

  static let readable = Readiness(rawValue: 1)
  static let writable = Readiness(rawValue: 2)
  /// The peer sends no more bytes; it may have closed the connection.
  static let hangup = Readiness(rawValue: 4)
  /// The connection is broken.
  ///
  /// Reported even if it is not watched.
  static let broken = Readiness(rawValue: 8)
}
