#if os(Linux)
  import CCatena
  import Foundation

  /// An easy handle of libcurl with what belongs to the exchange that it performs.
  ///
  /// It is used again for the next one. Everything of it happens on the I/O thread.
  final class CurlHandle {
    let easy: OpaquePointer
    let errorBuffer: UnsafeMutablePointer<CChar>
    let clock: CurlClock
    var fields = CurlHeaderList()
    var deadlineIndex: Int?
    /// Nil when the handle is as new.
    var appliedOptions: AppliedOptions?

    // Of the exchange under way.
    private(set) var exchange: CurlExchange?
    var upload: BodyReader?
    /// Why the body could not be read.
    private var uploadFailure: TransportFailure?
    /// Whether its receiver was found to hold it back, and has not been seen to let it go on.
    private var isFlowSuspended = false
    // Unchecked, as that is for each line of a head: it is the I/O thread's, and no access has another within.
    @exclusivity(unchecked) private var head = ResponseHeadParser()
    private(set) var started: UInt64 = 0
    private var lastActivity: UInt64 = 0
    private var isPaused = false
    private var bytesSent: Int64 = 0
    private(set) var hasBody = false
    /// Nil when there is nothing to send, or it is not known how much.
    var bytesToSend: Int64?
    private(set) var lastSent: UInt64 = 0
    /// Whether the connection has to be told of at the head, as libcurl does not tell when it stands.
    private var reportsConnectionWithHead = false
    /// Whether the request must not go out twice, as libcurl would have it go on its own.
    private var isNotRepeatable = false
    /// How often libcurl has had a connection for it.
    private var connections = 0

    /// Nil when there is no memory for it.
    init?(clock: CurlClock) {
      guard let easy = catena_easy_make() else { return nil }
      self.easy = easy
      self.clock = clock
      errorBuffer = .allocate(capacity: CatenaErrorSize)
    }

    deinit {
      catena_easy_free(easy)
      errorBuffer.deallocate()
      fields.deallocate()
    }

    /// Takes an exchange on.
    func begin(_ exchange: CurlExchange, hasBody: Bool) {
      self.exchange = exchange
      self.hasBody = hasBody
      exchange.handle = self
      errorBuffer[0] = 0
      head.reset()
      started = clock.now
      lastActivity = started
      isPaused = false
      isFlowSuspended = false
      uploadFailure = nil
      bytesSent = 0
      lastSent = 0
      reportsConnectionWithHead = false
      connections = 0
    }

    /// Has the connection told of once it stands, or not, and the request kept from going out twice where
    /// that could do harm.
    ///
    /// Source: RFC 9110 section 9.2.2.
    func enableConnectionReports(of request: HTTPRequest) {
      isNotRepeatable =
        !request.method.isIdempotent && !request.headers.contains(HTTPHeaders.idempotencyKeyName)
      let isWanted = request.reportsConnection || isNotRepeatable
      if appliedOptions?.reportsConnection != isWanted, setConnectionCallback(isWanted) {
        appliedOptions?.reportsConnection = isWanted
      }
      reportsConnectionWithHead =
        request.reportsConnection && appliedOptions?.reportsConnection != true
    }

    /// Lets go of the exchange.
    ///
    /// The handle has to be out of its multi handle by now.
    func finish() -> CurlExchange? {
      defer { exchange = nil }
      exchange?.handle = nil
      upload = nil
      if appliedOptions?.isReusable != true {
        appliedOptions = nil
        catena_easy_reset(easy)
      }
      return exchange
    }

    /// Whether a kept connection was closed before an answer came, and libcurl is about to send the request
    /// over another.
    private var wouldResend: Bool { isNotRepeatable && connections > 1 && !head.isBegun }

    /// What libcurl's result comes to.
    func event(for result: CurlResult) -> TransportEvent {
      if exchange?.isCancelled == true { return failure(.cancelled) }
      if result == .abortedByCallback, wouldResend {
        return failure(
          .connectionLost,
          "The connection was closed before an answer came; whether the request has arrived is not known"
        )
      }
      if result == .OK, head.isComplete { return .end(metrics) }
      if result == .OK, head.isBegun {
        return failure(.connectionLost, "The connection was closed within the response's head")
      }
      if result == .OK { return failure(.malformedResponse, "There is no head of a response") }
      if var failure = uploadFailure {
        failure.metrics = metrics
        return .failure(failure)
      }
      let tunnel = catena_easy_long(easy, .connectCode)
      if tunnel != 0, tunnel / 100 != 2 {
        return failure(.cannotConnect, "The proxy refuses the tunnel, by the status \(tunnel)")
      }
      let message = String(cString: errorBuffer)
      let code = NetworkError.Code(
        result, verification: catena_easy_long(easy, .verifyResult), message: message)
      // A proxy of the environment is quoted with its credentials.
      let isSafe =
        !message.isEmpty && !message.contains("@")
        && !message.containsSecrets(exchange?.request.url)
      return failure(code, isSafe ? message : String(cString: catena_curl_describe(result)))
    }

    func failure(_ code: NetworkError.Code, _ detail: String = "") -> TransportEvent {
      .failure(TransportFailure(code: code, detail: detail, metrics: metrics))
    }

    /// Goes on with a transfer that a callback paused.
    func resume() {
      lastActivity = clock.now
      isFlowSuspended = false
      guard isPaused else { return }
      isPaused = false
      catena_easy_unpause(easy)
    }

    /// When the connection will have been silent for too long, if nothing more happens on it; nil when
    /// that is no matter.
    ///
    /// What was found to be held back counts so until it is resumed here too: its receiver may have
    /// resumed it a moment ago, and the silence until then was its own.
    func idleDeadline() -> UInt64? {
      if exchange?.isSuspended == true { isFlowSuspended = true }
      guard let limit = exchange?.request.idleTimeout else { return nil }
      let connected = UInt64(clamping: catena_easy_size(easy, .pretransferTime)) * 1_000
      let awaitsServer = connected > 0 && !isFlowSuspended && !isPaused
      let since = awaitsServer ? max(lastActivity, started + connected) : clock.now
      return since.addingReportingOverflow(limit.wholeNanoseconds).partialValue
    }

    // MARK: Callbacks

    func receiveHeader(_ line: UnsafeRawBufferPointer) {
      lastActivity = clock.now
      guard let exchange, let head = head.take(line) else { return }
      if reportsConnectionWithHead { reportConnection() }
      if hasBody { report(sent: catena_easy_size(easy, .uploaded)) }
      // Maybe by the receiver of just that.
      guard !exchange.isCancelled else { return }
      exchange.deliver(.head(head))
    }

    /// Tells of the connection.
    ///
    /// - Returns: whether to go on.
    @discardableResult
    func reportConnection() -> Bool {
      guard let exchange, !exchange.isCancelled else { return false }
      connections += 1
      guard !wouldResend else { return false }
      if exchange.request.reportsConnection {
        exchange.deliver(.connected(measure(hasConnection: true)))
      }
      return !exchange.isCancelled
    }

    /// Takes bytes of the body.
    ///
    /// - Returns: as many, or what tells libcurl to pause or to give up.
    func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Int {
      guard let exchange, !exchange.isCancelled else { return 0 }
      if exchange.isSuspended {
        isPaused = true
        return CatenaWritePause
      }
      lastActivity = clock.now
      if let start = bytes.baseAddress, !bytes.isEmpty {
        exchange.deliver(.body(Data(bytes: start, count: bytes.count)))
      }
      return bytes.count
    }

    func readBody(into buffer: UnsafeMutableRawBufferPointer) -> Int {
      lastActivity = clock.now
      guard let upload, let exchange, !exchange.isCancelled else { return CatenaReadAbort }
      do {
        switch try upload.read(into: buffer, whenReady: { exchange.resumeUpload() }) {
        case .bytes(let count): return count
        case .end: return 0
        case .pending:
          isPaused = true
          return CatenaReadPause
        }
      } catch {
        uploadFailure = error
        return CatenaReadAbort
      }
    }

    /// Tells how much of the body has been sent.
    ///
    /// libcurl counts what frames the chunks of a stream; what has been read of it bounds that.
    func report(sent: Int64) {
      guard let exchange, !exchange.isCancelled else { return }
      let sent = min(sent, upload?.offset ?? sent)
      guard sent > bytesSent else { return }
      bytesSent = sent
      lastActivity = clock.now
      lastSent = lastActivity
      exchange.deliver(.sent(bytes: sent, total: bytesToSend))
    }
  }

  extension String {
    /// Whether it quotes the parts of a URL that may be secret.
    fileprivate func containsSecrets(_ url: URL?) -> Bool {
      [url?.query, url?.password, url?.user].contains { part in
        part.map { !$0.isEmpty && contains($0) } ?? false
      }
    }
  }

  extension CurlHandle {
    /// What has been measured until now.
    var metrics: TransportMetrics {
      measure(hasConnection: time(.pretransferTime) != nil)
    }

    /// What has been measured until now, for a moment when libcurl does not tell of its connection yet.
    ///
    /// - Parameter hasConnection: whether one stands, new or kept. Of a kept one libcurl has times, too: when
    ///   it was found.
    /// - Returns: the metrics.
    func measure(hasConnection: Bool) -> TransportMetrics {
      let isReused = hasConnection && catena_easy_long(easy, .connections) == 0
      let uploaded = catena_easy_size(easy, .uploaded)
      return TransportMetrics(
        nameResolved: isReused ? nil : time(.nameLookupTime),
        connected: isReused ? nil : time(.connectTime),
        secured: isReused ? nil : time(.handshakeTime),
        requestSent: lastSent > 0
          ? .nanoseconds(Int64(lastSent - started)) : time(.pretransferTime),
        firstByte: time(.firstByteTime),
        total: time(.totalTime) ?? .nanoseconds(Int64(clock.now - started)),
        bytesSent: hasBody ? min(uploaded, upload?.offset ?? uploaded) : 0,
        bytesReceived: catena_easy_size(easy, .downloaded),
        reusedConnection: isReused,
        // With a body libcurl counts that in or not, as its version has it.
        headBytesSent: hasBody ? nil : count(.requestSent),
        headBytesReceived: count(.headReceived),
        httpVersion: httpVersion,
        remoteAddress: catena_easy_address(easy).flatMap {
          $0.pointee == 0 ? nil : String(cString: $0)
        },
        remotePort: count(.port).map { Int($0) })
    }

    /// A number, where there is one.
    private func count(_ info: CurlLongInfo) -> Int64? {
      let count = catena_easy_long(easy, info)
      return count > 0 ? Int64(count) : nil
    }

    private var httpVersion: String? {
      // CURL_HTTP_VERSION_*.
      switch catena_easy_long(easy, .httpVersion) {
      case 1: "1.0"
      case 2: "1.1"
      case 3: "2"
      case 30: "3"
      default: nil
      }
    }

    private func time(_ info: CurlSizeInfo) -> Duration? {
      let microseconds = catena_easy_size(easy, info)
      return microseconds > 0 ? .microseconds(microseconds) : nil
    }
  }
#endif
