#if CATENA_CURL
  import CatenaSystem

  /// An exchange of a ``CurlTransport``, and its handle.
  ///
  /// Any thread can set the flags. The I/O thread reads them in libcurl's callbacks, so no further
  /// event is delivered after `receive` has cancelled the exchange.
  final class CurlExchange: TransportHandle {
    typealias Receive = @Sendable (TransportEvent) -> Void

    private enum Flag {
      static let cancelled: UInt8 = 1
      static let suspended: UInt8 = 2
      static let ended: UInt8 = 4
    }

    let request: HTTPRequest
    private let commandQueue: CurlCommandQueue
    private let flags = Atomic<UInt8>(0)
    // Only the I/O thread uses it after the exchange was posted to the command queue. The lock of
    // that queue orders these uses after `init`.
    // `nonisolated(unsafe)` because `receive` is protected by this thread confinement.
    nonisolated(unsafe) private var receive: Receive?
    /// The libcurl handle of the exchange, or `nil` before its start and after its end.
    ///
    /// `nonisolated(unsafe)` because `handle` is protected by thread confinement, as `receive` is.
    nonisolated(unsafe) var handle: CurlHandle?
    /// The opened body if it has files, or the reason that it cannot be opened.
    ///
    /// `nonisolated(unsafe)` because it is set before the exchange is posted to the command queue,
    /// and used by the I/O thread afterwards.
    nonisolated(unsafe) private var openedBody: Result<BodyReader, TransportFailure>?

    init(_ request: HTTPRequest, _ receive: @escaping Receive, _ commandQueue: CurlCommandQueue) {
      self.request = request
      self.receive = receive
      self.commandQueue = commandQueue
    }

    /// Posts the command that starts the exchange, or ends it if the thread could not be started.
    func start() {
      guard !commandQueue.isUsable else { return commandQueue.post(.start(self)) }
      fail(.cannotConnect, "The process has no file descriptors left")
    }

    var isCancelled: Bool { flags.load(ordering: .acquiring) & Flag.cancelled != 0 }
    var isSuspended: Bool { flags.load(ordering: .acquiring) & Flag.suspended != 0 }

    func cancel() {
      let (before, _) = flags.bitwiseOr(Flag.cancelled, ordering: .acquiringAndReleasing)
      if before & (Flag.cancelled | Flag.ended) == 0 { commandQueue.post(.cancel(self)) }
    }

    func suspend() { flags.bitwiseOr(Flag.suspended, ordering: .acquiringAndReleasing) }

    func resume() {
      let (before, _) = flags.bitwiseAnd(~Flag.suspended, ordering: .acquiringAndReleasing)
      if before & Flag.suspended != 0, before & Flag.ended == 0 { commandQueue.post(.resume(self)) }
    }

    /// Posts a command that resumes a transfer that a callback of libcurl paused.
    func resumeTransfer() {
      if flags.load(ordering: .acquiring) & Flag.ended == 0 { commandQueue.post(.resume(self)) }
    }

    /// Posts a command that ends the exchange if its response is complete and its request body is not.
    ///
    /// Otherwise libcurl looks at the HTTP/2 stream again.
    func endEarly() { commandQueue.post(.endEarly(self)) }

    /// Opens the files of the request body; not on an I/O thread, which it could block.
    func openFiles() {
      guard !isCancelled else { return }
      openedBody = Result { () throws(TransportFailure) in try BodyReader(request.body) }
    }

    /// Returns the reader of the request body, which the caller then owns.
    func openBody() throws(TransportFailure) -> BodyReader {
      if let openedBody = openedBody.take() { return try openedBody.get() }
      return try BodyReader(request.body)
    }

    /// Delivers an event other than the last; for the I/O thread only.
    func deliver(_ event: TransportEvent) { receive?(event) }

    /// Ends the exchange with a failure before its start; for the I/O thread, or without one.
    func fail(_ code: NetworkError.Code, _ detail: String = "") {
      end(with: .failure(TransportFailure(code: code, detail: detail)))
    }

    /// Delivers the last event and releases the handler; for the I/O thread only.
    func end(with event: TransportEvent) {
      flags.bitwiseOr(Flag.ended, ordering: .acquiringAndReleasing)
      guard let handler = receive else { return }
      receive = nil
      openedBody = nil
      commandQueue.exchanges.subtract(1, ordering: .relaxed)
      handler(event)
    }
  }
#endif
