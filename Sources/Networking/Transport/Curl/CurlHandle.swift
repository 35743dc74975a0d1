#if os(Linux)
  import CCatena
  import Foundation

  /// An easy handle of libcurl, with the state of the exchange that it performs.
  ///
  /// The handle is reused for further exchanges. Only the I/O thread uses it.
  final class CurlHandle {
    let easy: OpaquePointer
    let errorBuffer: UnsafeMutablePointer<CChar>
    let clock: CurlClock
    var fields = CurlHeaderList()
    /// The index of the handle's ``CurlDeadline`` in the heap, or `nil` if it has none.
    var deadlineIndex: Int?
    /// The options that are set on the handle, or `nil` if it is new or reset.
    var appliedOptions: AppliedOptions?

    // The state of the current exchange.
    private(set) var exchange: CurlExchange?
    var upload: BodyReader?
    /// The error of reading the request body, if any.
    private var uploadFailure: TransportFailure?
    /// Whether the I/O thread has found the exchange suspended and has not resumed it since.
    private var isFlowSuspended = false
    // Unchecked, because dynamic exclusivity checks are slow for each line of a head. Only the I/O
    // thread accesses the parser, and accesses do not overlap.
    @exclusivity(unchecked) private var headParser = ResponseHeadParser()
    private(set) var started: UInt64 = 0
    private var lastActivity: UInt64 = 0
    private var isPaused = false
    private var bytesSent: Int64 = 0
    private(set) var hasBody = false
    /// The length of the request body, or `nil` if there is none or its length is not known.
    var bytesToSend: Int64?
    private(set) var lastSent: UInt64 = 0
    /// Whether the connection is reported with the head, because libcurl has no callback for it.
    private var reportsConnectionWithHead = false
    /// Whether libcurl must be prevented from sending the request twice.
    private var mustNotRepeat = false
    /// The number of connections that libcurl has used for the request.
    private var connections = 0

    /// Makes a handle, or returns `nil` if libcurl is out of memory.
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

    /// Begins an exchange.
    func begin(_ exchange: CurlExchange, hasBody: Bool) {
      self.exchange = exchange
      self.hasBody = hasBody
      exchange.handle = self
      errorBuffer[0] = 0
      headParser.reset()
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

    /// Sets or clears the connection callback of libcurl.
    ///
    /// The callback is needed to report the connection to monitors, and to prevent a second
    /// transmission of a request that is not idempotent.
    ///
    /// Source: RFC 9110 section 9.2.2.
    func configureConnectionCallback(for request: HTTPRequest) {
      mustNotRepeat =
        !request.method.isIdempotent && !request.headers.contains(HTTPHeaders.idempotencyKeyName)
      let isWanted = request.reportsConnection || mustNotRepeat
      if appliedOptions?.reportsConnection != isWanted, setConnectionCallback(isWanted) {
        appliedOptions?.reportsConnection = isWanted
      }
      reportsConnectionWithHead =
        request.reportsConnection && appliedOptions?.reportsConnection != true
    }

    /// Ends the exchange and prepares the handle for reuse.
    ///
    /// The handle must already be removed from its multi handle.
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

    /// Whether a reused connection was closed before a response, and libcurl is about to send the
    /// request again on another connection, although it must not.
    private var wouldResend: Bool { mustNotRepeat && connections > 1 && !headParser.hasStatusLine }

    /// Returns the last event for a result of libcurl.
    func event(for result: CurlResult) -> TransportEvent {
      if exchange?.isCancelled == true { return failure(.cancelled) }
      if result == .abortedByCallback, wouldResend {
        return failure(
          .connectionLost,
          "The connection was closed before a response; the server may have processed the request"
        )
      }
      if result == .OK, headParser.isComplete { return .end(metrics) }
      if result == .OK, headParser.hasStatusLine {
        return failure(
          .connectionLost, "The connection was closed in the middle of the response head")
      }
      if result == .OK { return failure(.malformedResponse, "The response has no head") }
      if var failure = uploadFailure {
        failure.metrics = metrics
        return .failure(failure)
      }
      let tunnel = catena_easy_long(easy, .connectCode)
      if tunnel != 0, tunnel / 100 != 2 {
        return failure(.cannotConnect, "The proxy rejected the tunnel with the status \(tunnel)")
      }
      let message = String(cString: errorBuffer)
      let code = NetworkError.Code(
        result, verification: catena_easy_long(easy, .verifyResult), message: message)
      // The message can contain a proxy URL from the environment, including its credentials.
      let isSafe =
        !message.isEmpty && !message.contains("@")
        && !message.containsSecrets(exchange?.request.url)
      return failure(code, isSafe ? message : String(cString: catena_curl_describe(result)))
    }

    func failure(_ code: NetworkError.Code, _ detail: String = "") -> TransportEvent {
      .failure(TransportFailure(code: code, detail: detail, metrics: metrics))
    }

    /// Resumes a transfer that a callback paused.
    func resume() {
      lastActivity = clock.now
      isFlowSuspended = false
      guard isPaused else { return }
      isPaused = false
      catena_easy_unpause(easy)
    }

    /// Returns the time at which the idle timeout expires without further activity, or `nil`
    /// without a limit.
    ///
    /// An exchange that the I/O thread has found suspended counts as suspended until the I/O thread
    /// resumes it. Its caller may already have resumed it, but the time during which it was
    /// suspended must not count as idle time of the server.
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
      guard let exchange, let head = headParser.parse(line) else { return }
      if reportsConnectionWithHead { reportConnection() }
      if hasBody { report(sent: catena_easy_size(easy, .uploaded)) }
      // The handler may have cancelled the exchange in one of the calls above.
      guard !exchange.isCancelled else { return }
      exchange.deliver(.head(head))
    }

    /// Reports the connection.
    ///
    /// - Returns: Whether libcurl continues.
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

    /// Delivers bytes of the response body.
    ///
    /// - Returns: The number of bytes, or the value that makes libcurl pause or abort.
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

    /// Reports the number of bytes of the request body sent so far.
    ///
    /// libcurl's number includes the framing of chunks, so it is limited to the number of bytes
    /// read from the body.
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
    /// Whether the string contains a part of the URL that may be secret.
    fileprivate func containsSecrets(_ url: URL?) -> Bool {
      [url?.query, url?.password, url?.user].contains { part in
        part.map { !$0.isEmpty && contains($0) } ?? false
      }
    }
  }

  extension CurlHandle {
    /// The measurements so far.
    var metrics: TransportMetrics {
      measure(hasConnection: time(.pretransferTime) != nil)
    }

    /// Returns the measurements so far.
    ///
    /// The caller states whether there is a connection, because libcurl's times do not show it yet
    /// in the connection callback.
    ///
    /// - Parameter hasConnection: Whether a connection is established. The connection times of a
    ///   reused connection are omitted, because libcurl sets them to the time at which it found the
    ///   connection.
    /// - Returns: The metrics.
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
        // With a body, some versions of libcurl include the body in this number.
        headBytesSent: hasBody ? nil : count(.requestSent),
        headBytesReceived: count(.headReceived),
        httpVersion: httpVersion,
        remoteAddress: catena_easy_address(easy).flatMap {
          $0.pointee == 0 ? nil : String(cString: $0)
        },
        remotePort: count(.port).map { Int($0) })
    }

    /// The value of a counter, or `nil` if it is 0 or not available.
    private func count(_ info: CurlLongInfo) -> Int64? {
      let count = catena_easy_long(easy, info)
      return count > 0 ? Int64(count) : nil
    }

    private var httpVersion: String? {
      // `CURL_HTTP_VERSION_*`.
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
