#if CATENA_CURL
  import CCatenaCurl
  import Foundation

  /// An easy handle of libcurl, with the state of the exchange that it performs.
  ///
  /// The object is reused for further exchanges, with the same or another easy handle. Only the I/O
  /// thread uses it.
  final class CurlHandle: CallbackContext {
    /// Whether an easy handle must not be used for a second transfer.
    ///
    /// libcurl from 7.84 to 8.0.1 then keeps a pointer to freed memory, and writes there if the first
    /// field line of the response begins with a blank. `curl_easy_reset` does not clear the pointer.
    ///
    /// Source: https://github.com/curl/curl/pull/11103.
    private static let needsNewEasyHandles =
      (0x07_5400..<0x08_0100).contains(catena_curl_version())

    private(set) var easy: OpaquePointer
    let errorBuffer: UnsafeMutablePointer<CChar>
    let clock: CurlClock
    let connections: CurlConnections
    @exclusivity(unchecked) var fields = CurlHeaderList()
    /// The fields of the request for a tunnel.
    var tunnelFields = CurlHeaderList()
    /// The header fields for which the list was made, or `nil` if there is no list.
    var listedHeaders: HTTPHeaders?
    /// The list of `listedHeaders`.
    var list: UnsafeMutablePointer<CatenaList>?
    /// Whether the list is for a request with a body.
    var isListForBody = false
    /// The origin of the last URL.
    var origin: Origin?
    /// Whether the origin is on this machine.
    var isLoopback = false
    /// The last socket that libcurl watched for the exchange, or -1.
    var socket: Int32 = -1
    /// The sockets of the loop.
    var sockets: CurlSockets?
    /// The socket on which the exchange has paused.
    var pausedSocket: Int32?
    /// The index of the handle's ``CurlDeadline`` in the heap, or `nil` if it has none.
    var deadlineIndex: Int?
    /// The options that are set on the handle, or `nil` if it is new or reset.
    @exclusivity(unchecked) var appliedOptions: AppliedOptions?
    /// The TLS settings, once the options of the transport are set.
    @exclusivity(unchecked) var tls: HandleTLS?

    // The state of the current exchange.
    private(set) var exchange: CurlExchange?
    var upload: BodyReader?
    /// The error of reading the request body, if any.
    var uploadFailure: TransportFailure?
    /// Whether the I/O thread has found the exchange suspended and has not resumed it since.
    private var isFlowSuspended = false
    // Unchecked, as others above and below, because dynamic exclusivity checks are slow for each line of a
    // head. Only the I/O thread accesses them, and accesses do not overlap.
    @exclusivity(unchecked) private var headParser = ResponseHeadParser()
    /// Whether the head of the final response has been delivered.
    var hasCompleteHead: Bool { headParser.isComplete }
    /// Whether the response has begun with an interim response (1xx).
    var hasInterimHead: Bool { headParser.interimCount > 0 }
    /// The fields after the body.
    var trailers: [HTTPHeaders.Field] { headParser.trailers }
    private(set) var started: UInt64 = 0
    var lastActivity: UInt64 = 0
    var isPaused = false
    private var bytesSent: Int64 = 0
    private(set) var hasBody = false
    /// Whether a content coding of the response body is decoded.
    var decodesBody = true
    var body = CurlResponseBody()
    /// The length of the request body, or `nil` if there is none or its length is not known.
    var bytesToSend: Int64?
    private(set) var lastSent: UInt64 = 0
    /// Whether libcurl has a callback for an established connection.
    ///
    /// Otherwise the connection is reported with the head.
    var hasConnectionCallback = false
    /// Whether the exchange may use HTTP/2.
    var mayNegotiateHTTP2 = false
    /// Whether no other exchange uses the connection at the same time, whatever its version is.
    var hasOwnConnection = false
    /// Whether the request is sent only if its server selects HTTP/1.1 by ALPN.
    var requiresHTTP1 = false
    @exclusivity(unchecked) var repetition = CurlRepetition()
    /// The last handshake of the exchange.
    var handshake: HandshakeVerifier?
    /// The TLS properties of the connection, once it is known.
    var tlsConnection: TLSMetrics.Connection?

    /// Makes a handle, or returns `nil` if libcurl is out of memory.
    init?(clock: CurlClock, _ connections: CurlConnections) {
      guard let easy = catena_easy_make() else { return nil }
      self.easy = easy
      self.clock = clock
      self.connections = connections
      errorBuffer = .allocate(capacity: CatenaErrorSize)
    }

    deinit {
      catena_easy_free(easy)
      errorBuffer.deallocate()
      fields.deallocate()
      tunnelFields.deallocate()
    }

    /// Begins an exchange.
    func begin(_ exchange: CurlExchange, hasBody: Bool) {
      self.exchange = exchange
      self.hasBody = hasBody
      exchange.handle = self
      resetAttempt()
      isFlowSuspended = false
      uploadFailure = nil
      repetition = CurlRepetition(
        isUnsafe: !exchange.request.method.isIdempotent
          && !exchange.request.headers.contains(HTTPHeaders.idempotencyKeyName))
      limitRepetition()
      started = clock.now
      bytesSent = 0
      lastSent = 0
    }

    /// Resets the state of an attempt, before the request is sent.
    func resetAttempt() {
      errorBuffer[0] = 0
      handshake = nil
      tlsConnection = nil
      headParser.reset(isHTTP1: !mayNegotiateHTTP2)
      body = CurlResponseBody()
      isPaused = false
      lastActivity = clock.now
    }

    /// Ends the exchange.
    ///
    /// The handle must already be removed from its multi handle.
    func finish() -> CurlExchange? {
      defer { exchange = nil }
      exchange?.handle = nil
      upload = nil
      body = CurlResponseBody()
      socket = -1
      return exchange
    }

    /// Prepares the handle for the next exchange.
    ///
    /// An easy handle counts the repetitions of all its requests until it is reset, and fails a request
    /// at the sixth. It also remembers a refused stream of a failed request. So it is only kept after a
    /// request that was sent once and got a response.
    ///
    /// - Returns: `false` if libcurl is out of memory.
    func recycle() -> Bool {
      if Self.needsNewEasyHandles || repetition.attempts != 1 || !repetition.hasResponse {
        guard let new = catena_easy_make() else { return false }
        catena_easy_free(easy)
        easy = new
        appliedOptions = nil
      } else if appliedOptions?.isReusable != true {
        appliedOptions = nil
        catena_easy_reset(easy)
      }
      return true
    }

    /// Returns the last event for a result of libcurl.
    func event(for result: CurlResult) -> TransportEvent {
      if exchange?.isCancelled == true { return failure(.cancelled) }
      let result = isAnswered(result) ? .OK : result
      if let violation = headParser.violation { return failure(.malformedResponse, violation) }
      if let reason = body.failure { return failure(.malformedResponse, reason) }
      if body.isAnsweredEarly { return .end(metrics) }
      if isReset(result) { return resetResponse }
      if result == .abortedByCallback, repetition.isHeldBack { return lostRequest }
      if result == .abortedByCallback, repetition.isConnectionUnusable, uploadFailure == nil {
        return failure(.connectionLost, "The server closes its connections before they are used")
      }
      if repetition.isTimedOut { return lostRequest }
      if result == .OK, headParser.isComplete, isBodyCut {
        return failure(.malformedResponse, "The body ends with an error of the HTTP/2 framing")
      }
      if result == .OK, headParser.isComplete {
        guard body.decoder?.isComplete == false else { return .end(metrics) }
        return failure(.malformedResponse, "The body ends in the middle of its content coding")
      }
      // A field line that begins with a blank, without a line before it.
      if result == .badFunctionArgument, headParser.hasStatusLine {
        return failure(
          .malformedResponse,
          headParser.isComplete
            ? "A line after the body is not a field"
            : "The first field line of the response is folded")
      }
      if result == .outOfMemory, repetition.attempts > 0 || headParser.hasStatusLine {
        return failure(.malformedResponse, "A line of the response is too long")
      }
      if result == .OK, headParser.hasStatusLine {
        return failure(
          .connectionLost, "The connection was closed in the middle of the response head")
      }
      if result == .OK, !repetition.hasResponse, mayUseHTTP2 { return lostRequest }
      if result == .OK { return failure(.malformedResponse, "The response has no head") }
      if var failure = uploadFailure {
        failure.metrics = metrics
        return .failure(failure)
      }
      if let rejection = handshake?.failure {
        return .failure(TransportFailure(rejecting: rejection, metrics: metrics))
      }
      let tunnel = catena_easy_long(easy, .connectCode)
      if tunnel != 0, tunnel / 100 != 2 {
        return failure(.cannotConnect, "The proxy rejected the tunnel with the status \(tunnel)")
      }
      let message = String(cString: errorBuffer)
      // `CURLPX_RESOLVE_HOST`.
      let isUnresolved = result == .proxy && catena_easy_long(easy, .proxyError) == 27
      let code = NetworkError.Code(
        isUnresolved ? .hostNotResolved : result,
        verification: catena_easy_long(easy, .verifyResult), message: message)
      // libcurl would have sent any other request again.
      let isReused = repetition.attempts > 0 && catena_easy_long(easy, .connections) == 0
      if code == .connectionLost, isReused, repetition.isUnsafe, !repetition.hasResponse {
        return lostRequest
      }
      // The message can contain a proxy URL from the environment, including its credentials.
      let isSafe =
        !message.isEmpty && !message.contains("@")
        && !message.containsSecrets(exchange?.request.url)
      return failure(code, isSafe ? message : String(cString: catena_curl_describe(result)))
    }

    /// The failure of a request that must not be sent again.
    var lostRequest: TransportEvent {
      failure(
        .connectionLost,
        "The connection was closed before a response; the server may have processed the request")
    }

    func failure(_ code: NetworkError.Code, _ detail: String = "") -> TransportEvent {
      .failure(TransportFailure(code: code, detail: detail, metrics: metrics))
    }

    /// Resumes a transfer that a callback paused.
    ///
    /// libcurl then delivers the bytes that it has kept.
    ///
    /// - Returns: The error of this delivery, with which the exchange must end, or `OK`.
    func resume() -> CurlResult {
      lastActivity = clock.now
      isFlowSuspended = false
      guard isPaused else { return .OK }
      isPaused = false
      return catena_easy_unpause(easy)
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

    /// Handles a line of the response head or of the trailer.
    ///
    /// - Returns: Whether libcurl continues.
    func receiveHeader(_ line: UnsafeRawBufferPointer) -> Bool {
      // A head and a trailer have to be complete within the idle timeout, however slowly they arrive.
      if !headParser.isInHead, !headParser.isComplete { lastActivity = clock.now }
      if !headParser.isInHead, mayNegotiateHTTP2, line.count > 5, line[5] == UInt8(ascii: "2") {
        // libcurl would send several requests at once on a connection whose status line has the version 2.
        let state = catena_easy_tls_state(easy)
        headParser.requiresHTTP1 = state != .HTTP2 && state != .unknown
      }
      if !repetition.hasResponse { noteResponse() }
      guard let exchange else { return false }
      guard let head = headParser.parse(line) else { return headParser.violation == nil }
      if isTimeoutNotice(head) {
        repetition.isTimedOut = true
        return false
      }
      // A request that can be sent on another connection. Source: RFC 9110 section 15.5.20.
      if head.status == 421, !repetition.wasMisdirected, upload?.isRepeatable != false {
        repetition.isMisdirected = true
        return false
      }
      if !hasConnectionCallback { noteConnection(of: exchange) }
      if hasBody { report(sent: catena_easy_size(easy, .uploaded)) }
      // The handler may have cancelled the exchange in one of the calls above.
      guard !exchange.isCancelled else { return true }
      if head.status == 101, !exchange.request.headers.contains("Upgrade") {
        body.failure = "The server switched protocols without a request to do so"
        return false
      }
      exchange.deliver(.head(head))
      prepareBody(of: head)
      return true
    }

    /// Reports the connection on which the request is about to be sent, possibly again.
    ///
    /// On a connection that several exchanges share, the handle that opened it is no exception.
    ///
    /// - Returns: Whether libcurl continues.
    @discardableResult
    func reportConnection() -> Bool {
      guard let exchange, !exchange.isCancelled else { return false }
      repetition.isHTTP1Refused = requiresHTTP1 && catena_easy_refuses_http1(easy) != 0
      guard !repetition.isHTTP1Refused else { return false }
      repetition.isConnectionUnusable = hasUnaskedBytes
      guard !repetition.isConnectionUnusable, beginAttempt() else { return false }
      noteConnection(of: exchange)
      return !exchange.isCancelled
    }

    /// Notes that the exchange is paused.
    ///
    /// libcurl reports the socket of an exchange when it begins to watch it, and does not watch it during
    /// a pause. An exchange on a kept connection can pause before that. Until then only the endpoints
    /// identify the connection.
    func pause() {
      isPaused = true
      pausedSocket = sockets?.pause(self) ?? pausedSocket
    }

    func readBody(into buffer: UnsafeMutableRawBufferPointer) -> Int {
      lastActivity = clock.now
      guard let upload, let exchange, !exchange.isCancelled else { return CatenaReadAbort }
      do {
        switch try upload.read(into: buffer, whenReady: { exchange.resumeTransfer() }) {
        case .bytes(let count): return count
        case .end:
          noteUploadEnd()
          return 0
        case .pending:
          pause()
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
      if sent == bytesToSend { noteUploadEnd() }
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
#endif
