#if os(Linux)
  import CCatena
  import Glibc
  import Synchronization

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
