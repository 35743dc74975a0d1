#if CATENA_CURL
  import CCatenaCurl

  /// The state that decides whether a request may be sent again.
  ///
  /// A request that is not idempotent is sent again only if the server has stated that it did not
  /// process it: by a GOAWAY frame or by a stream error REFUSED_STREAM. A connection that is closed
  /// before a response is no such statement.
  ///
  /// Other requests are also sent again if their connection had been used before, and is closed without a
  /// response. libcurl does this for HTTP/1, but for only one stream of an HTTP/2 connection. The
  /// response 408 to a request that arrives when the server closes an idle connection counts as closed.
  ///
  /// With the response 421 the server states that it does not respond on this connection. The request is
  /// sent once more on another one, whatever its method is.
  ///
  /// Source: RFC 9110 sections 9.2.2, 15.5.9 and 15.5.20, RFC 9113 section 8.7; the Fetch standard
  /// (HTTP-network-or-cache fetch).
  struct CurlRepetition {
    /// Whether the server may get the request only once unless it has not processed it.
    var isUnsafe = false
    /// Whether libcurl itself repeats the request only after REFUSED_STREAM.
    var isLimitedToRefusals = false
    /// The number of times that libcurl has begun to send the request.
    var attempts = 0
    /// The number of times that the handle was started again for the request.
    var restarts = 0
    /// Whether libcurl was about to send the request again although it must not.
    var isHeldBack = false
    /// Whether the request was not sent because its connection is closed or has bytes of another response.
    var isConnectionUnusable = false
    /// Whether the request was not sent because its server has not selected HTTP/1.1.
    var isHTTP1Refused = false
    /// Whether the response to this attempt has begun.
    var hasResponse = false
    /// Whether the response is that of a server that closes an idle connection.
    var isTimedOut = false
    /// Whether the response is 421, and the request is sent once more on another connection.
    var isMisdirected = false
    /// Whether the request was sent on another connection after the response 421.
    var wasMisdirected = false
    /// Whether the HTTP/2 connection of this attempt had a response before.
    var isConnectionKept = false
    /// The HTTP/2 connection and stream of this attempt, if known.
    var connection: Int64?
    var stream: Int64?
    /// Whether a GOAWAY frame excluded the previous attempt.
    var wasExcluded = false
  }

  extension CurlHandle {
    /// The maximum number of times that the transport starts a request again.
    ///
    /// Each of them follows a GOAWAY frame or a connection that could not be used. With many concurrent
    /// requests and few requests for each connection, a request may be excluded many times.
    private static let maximumRestarts = 100
    /// The maximum number of times after a connection is closed without a response, which is libcurl's.
    private static let maximumRestartsAfterLoss = 5

    /// Makes libcurl report its messages, and limits its own repetitions of the request.
    ///
    /// libcurl repeats a request that got no response on a reused connection, whatever the reason.
    /// With this value of an option for RTSP, it repeats only after REFUSED_STREAM. A libcurl without
    /// RTSP rejects the option. The callback for an established connection then aborts the exchange.
    func limitRepetition() {
      guard repetition.isUnsafe else { return }
      repetition.isLimitedToRefusals =
        catena_easy_set_long(easy, .rtspRequest, Int(CatenaRTSPReceive)) == .OK
    }

    /// Handles a message of libcurl.
    func receive(message bytes: UnsafeRawBufferPointer) {
      switch CurlMessage(bytes) {
      case .connection(let number): repetition.connection = number
      case .stream(let number):
        repetition.connection = currentConnection
        repetition.stream = number
        body.endsConnection = false
        repetition.isConnectionKept =
          repetition.connection.map { connections.hasResponded($0) } ?? false
      case .goaway(let lastStream):
        // The frame can belong to any connection that libcurl reads for this exchange.
        if let connection = currentConnection {
          connections.add(lastStream: lastStream, on: connection)
        }
      case .repetition: endAttempt()
      case .streamEnd(let number): if number == repetition.stream { noteStreamEnd() }
      case .eviction: body.evictsConnection = true
      case .closing(let number):
        body.endsConnection = number == repetition.connection
        connections.close(number)
      case nil: break
      }
    }

    private var currentConnection: Int64? {
      let number = catena_easy_connection(easy)
      return number >= 0 ? number : repetition.connection
    }

    /// Whether a GOAWAY frame excludes the stream of this attempt.
    private var isExcluded: Bool {
      guard let connection = repetition.connection, let stream = repetition.stream else {
        return false
      }
      return connections.excludes(stream: stream, on: connection)
    }

    /// Notes that the response to this attempt has begun.
    func noteResponse() {
      repetition.hasResponse = true
      if repetition.stream != nil, let connection = repetition.connection {
        connections.addResponse(on: connection)
      }
    }

    /// Whether a head is that of a server that closes an idle connection, which it sends without a
    /// request.
    ///
    /// If the request body is not sent yet, the server may have waited for the rest of it.
    ///
    /// Source: RFC 9110 section 15.5.9, RFC 9112 section 9.6.
    func isTimeoutNotice(_ head: HTTPResponseHead) -> Bool {
      head.status == 408 && head.version.hasPrefix("1")
        && head.headers.values(for: "Connection").contains { $0.listMembers.contains("close") }
        && !hasInterimHead && (!hasBody || isUploadComplete)
        && catena_easy_long(easy, .connections) == 0
    }

    /// Whether the connection was closed without a response, after a response to another request, or
    /// libcurl has dropped the response.
    private func isLost(_ result: CurlResult) -> Bool {
      if repetition.isTimedOut { return !repetition.isUnsafe }
      guard !repetition.isUnsafe, !repetition.hasResponse else { return false }
      if isReset(result) { return true }
      guard repetition.isConnectionKept else { return false }
      switch result {
      case .OK, .HTTP2, .partialFile, .gotNothing, .sendError, .receiveError: return true
      // Some servers reset all streams without an error before they close a connection.
      case .http2Stream: return String(cString: errorBuffer).contains("closed cleanly")
      default: return false
      }
    }

    /// Whether the request was not sent because its server does not speak HTTP/1.1.
    func isHTTP1Refused(_ result: CurlResult) -> Bool {
      guard requiresHTTP1, exchange?.isCancelled == false else { return false }
      // The name of the alert, by which a server refuses all offered protocols (RFC 7301 section 3.2).
      return repetition.isHTTP1Refused
        || result == .handshakeFailed
          && String(cString: errorBuffer).contains("no application protocol")
    }

    /// Whether the server of a reused connection has closed it, or has sent bytes on it before the request.
    ///
    /// An HTTP/2 connection is never unusable for this reason, because libcurl reads its frames.
    var hasUnaskedBytes: Bool {
      guard catena_easy_long(easy, .connections) == 0 else { return false }
      if origin?.scheme == "https" {
        switch catena_easy_tls_state(easy) {
        case .HTTP2: return false
        case .readable: return true
        case .idle: break
        default: if mayNegotiateHTTP2 { return false }
        }
      }
      return CurlEndpoints(easy).map { sockets?.isReadable($0) == true } ?? false
    }

    private func endAttempt() {
      repetition.wasExcluded = isExcluded
      repetition.connection = nil
      repetition.stream = nil
      repetition.isConnectionKept = false
    }

    /// Whether libcurl may send the request, possibly again.
    func beginAttempt() -> Bool {
      repetition.attempts += 1
      guard repetition.isUnsafe, repetition.attempts > 1 else { return true }
      repetition.isHeldBack = !repetition.isLimitedToRefusals && !repetition.wasExcluded
      return !repetition.isHeldBack
    }

    /// Decides whether the request is sent again, because it was not sent on its connection, a GOAWAY
    /// frame excludes its stream, its connection is closed, or it needs another one, and returns to the
    /// start of its body.
    ///
    /// libcurl's result can be success without a response, after it has repeated another request of the
    /// connection.
    ///
    /// - Parameter result: The result of libcurl.
    /// - Returns: `true` if ``restart()`` must follow.
    func prepareRestart(after result: CurlResult) -> Bool {
      guard exchange?.isCancelled == false else { return false }
      if repetition.isMisdirected { return rewindBody() }
      let isUnprocessed =
        !repetition.hasResponse && (repetition.isConnectionUnusable || isExcluded)
      let limit = isUnprocessed ? Self.maximumRestarts : Self.maximumRestartsAfterLoss
      guard isUnprocessed || isLost(result), repetition.restarts < limit else { return false }
      return rewindBody()
    }

    /// Prepares the handle, which is removed from its multi handle, to send the request again.
    func restart() {
      endAttempt()
      repetition.restarts += 1
      repetition.isConnectionUnusable = false
      repetition.isHTTP1Refused = false
      repetition.isTimedOut = false
      if repetition.isMisdirected {
        repetition.isMisdirected = false
        repetition.wasMisdirected = true
        catena_easy_set_long(easy, .freshConnect, 1)
      }
      repetition.hasResponse = false
      resetAttempt()
    }

    /// Returns to the start of the request body.
    ///
    /// - Returns: `false` if it cannot be sent again. The exchange then fails for this reason.
    func rewindBody() -> Bool {
      guard let upload else { return true }
      guard upload.isRepeatable || upload.offset == 0 else {
        uploadFailure = .bodyAlreadySent
        return false
      }
      upload.rewind()
      return true
    }
  }
#endif
