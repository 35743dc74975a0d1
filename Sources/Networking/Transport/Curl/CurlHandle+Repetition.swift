#if CATENA_CURL
  import CCatenaCurl

  /// The state that decides whether a request may be sent again.
  ///
  /// A request that is not idempotent is sent again only if the server has stated that it did not
  /// process it: by a GOAWAY frame or by a stream error REFUSED_STREAM. A connection that is closed
  /// before a response is no such statement.
  ///
  /// Source: RFC 9110 section 9.2.2, RFC 9113 section 8.7.
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
    /// Whether the response to this attempt has begun.
    var hasResponse = false
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
      case .goaway(let lastStream):
        // The frame can belong to any connection that libcurl reads for this exchange.
        if let connection = currentConnection {
          goaways.add(lastStream: lastStream, on: connection)
        }
      case .repetition: endAttempt()
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
      return goaways.excludes(stream: stream, on: connection)
    }

    private func endAttempt() {
      repetition.wasExcluded = isExcluded
      repetition.connection = nil
      repetition.stream = nil
    }

    /// Whether libcurl may send the request, possibly again.
    func beginAttempt() -> Bool {
      repetition.attempts += 1
      guard repetition.isUnsafe, repetition.attempts > 1 else { return true }
      repetition.isHeldBack = !repetition.isLimitedToRefusals && !repetition.wasExcluded
      return !repetition.isHeldBack
    }

    /// Decides whether the request is sent again, because it was not sent on its connection or a GOAWAY
    /// frame excludes its stream, and returns to the start of its body.
    ///
    /// libcurl's result can be success without a response, after it has repeated another request of the
    /// connection.
    ///
    /// - Returns: `true` if ``restart()`` must follow.
    func prepareRestart() -> Bool {
      guard !repetition.hasResponse, repetition.isConnectionUnusable || isExcluded,
        repetition.restarts < Self.maximumRestarts, exchange?.isCancelled == false
      else { return false }
      return rewindBody()
    }

    /// Prepares the handle, which is removed from its multi handle, to send the request again.
    func restart() {
      endAttempt()
      repetition.restarts += 1
      repetition.isConnectionUnusable = false
      errorBuffer[0] = 0
      handshake = nil
      tlsProperties = nil
      isPaused = false
      lastActivity = clock.now
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
