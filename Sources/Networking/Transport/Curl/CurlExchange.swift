#if os(Linux)
  import Synchronization

  /// One exchange of a ``CurlTransport``, and the handle that its caller has on it.
  ///
  /// The flags are what any thread may set; the I/O thread looks at them in libcurl's callbacks, so that
  /// nothing more is delivered once they are set from within `receive`.
  final class CurlExchange: TransportHandle {
    typealias Receive = @Sendable (TransportEvent) -> Void

    private enum Flag {
      static let cancelled: UInt8 = 1
      static let suspended: UInt8 = 2
      static let over: UInt8 = 4
    }

    let request: HTTPRequest
    private let commandQueue: CurlCommandQueue
    private let flags = Atomic<UInt8>(0)
    // `nonisolated(unsafe)` because these two are used by the I/O thread alone once the exchange has
    // been posted to it, which the mailbox's lock orders after `init`.
    nonisolated(unsafe) private var receive: Receive?
    /// What performs the exchange; nil before it starts and after its end.
    ///
    /// `nonisolated(unsafe)` because it is protected as `receive` is: by being the I/O thread's alone.
    nonisolated(unsafe) var handle: CurlHandle?

    init(_ request: HTTPRequest, _ receive: @escaping Receive, _ commandQueue: CurlCommandQueue) {
      self.request = request
      self.receive = receive
      self.commandQueue = commandQueue
    }

    var isCancelled: Bool { flags.load(ordering: .acquiring) & Flag.cancelled != 0 }
    var isSuspended: Bool { flags.load(ordering: .acquiring) & Flag.suspended != 0 }

    func cancel() {
      let (before, _) = flags.bitwiseOr(Flag.cancelled, ordering: .acquiringAndReleasing)
      if before & (Flag.cancelled | Flag.over) == 0 { commandQueue.post(.cancel(self)) }
    }

    func suspend() {
      flags.bitwiseOr(Flag.suspended, ordering: .acquiringAndReleasing)
    }

    func resume() {
      let (before, _) = flags.bitwiseAnd(~Flag.suspended, ordering: .acquiringAndReleasing)
      if before & Flag.suspended != 0, before & Flag.over == 0 { commandQueue.post(.resume(self)) }
    }

    /// Has the I/O thread look again at what a callback paused.
    func resumeUpload() {
      if flags.load(ordering: .acquiring) & Flag.over == 0 { commandQueue.post(.resume(self)) }
    }

    /// Delivers an event that is not the last; for the I/O thread only.
    func deliver(_ event: TransportEvent) {
      receive?(event)
    }

    /// Delivers the last event and lets go of the receiver; for the I/O thread only.
    func end(with event: TransportEvent) {
      flags.bitwiseOr(Flag.over, ordering: .acquiringAndReleasing)
      guard let last = receive else { return }
      receive = nil
      commandQueue.exit()
      last(event)
    }
  }
#endif
