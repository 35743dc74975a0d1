#if CATENA_CURL
  import CCatenaCurl
  import Foundation

  /// The state of a response body.
  struct CurlResponseBody {
    /// The decoder of its content codings, or `nil` if it has none or is not decoded.
    var decoder: ContentDecoder?
    /// The reason that the response is malformed, as a sentence without a period, or `nil`.
    var failure: String?
    /// The reason that a body that is not empty cannot be decoded, or `nil`.
    var undecodable: String?
    /// The number of decoded bytes at the start of the bytes that libcurl delivers again.
    var consumedBytes = 0
    /// The number of bytes until the response is complete.
    ///
    /// It is counted for requests with a body, and `nil` if it is not known.
    var missingBytes: Int64?
    /// Whether the response was complete before the request body was sent.
    var isAnsweredEarly = false
    /// The time in nanoseconds until libcurl is made to read from the connection once more, or `nil`.
    var readDelay: UInt64?
    /// Whether the HTTP/2 stream of the response has ended without an error.
    var hasStreamEnded = false
    /// Whether all bytes of that stream have been delivered.
    var isDelivered = false
    /// Whether libcurl verifies the length of the body.
    var hasLength = false
    /// Whether libcurl has closed the connection at the end of the response.
    var endsConnection = false
    /// Whether libcurl closes connections because it keeps too many.
    var evictsConnection = false
  }

  extension CurlHandle {
    /// Delivers bytes of the response body.
    ///
    /// - Returns: The number of bytes, or the value that makes libcurl pause or abort.
    func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Int {
      repetition.hasResponse = true
      guard let exchange, !exchange.isCancelled, body.failure == nil else { return 0 }
      if exchange.isSuspended {
        pause()
        return CatenaWritePause
      }
      lastActivity = clock.now
      // After an interim response, libcurl accepts a response of HTTP/0.9, which has no head.
      guard hasCompleteHead else { return reject("The response has no head") }
      if let reason = body.undecodable { return reject(reason) }
      if let decoder = body.decoder { return decode(bytes, by: decoder, for: exchange) }
      if let start = bytes.baseAddress, !bytes.isEmpty {
        exchange.deliver(.body(Data(bytes: start, count: bytes.count)))
      }
      countReceived(bytes.count)
      return bytes.count
    }

    /// Ends the exchange because its response is malformed.
    ///
    /// - Parameter reason: A sentence without a period.
    /// - Returns: The value that makes libcurl abort.
    private func reject(_ reason: String) -> Int {
      body.failure = reason
      return 0
    }

    /// The number of decoded bytes after which other exchanges of the thread get their turn.
    private static let decodedBytesPerTurn = 1 << 20

    /// Decodes bytes of the response body and delivers the pieces.
    ///
    /// When it pauses, libcurl keeps all bytes and delivers them again. ``CurlResponseBody/consumedBytes`` counts those
    /// that the decoder has already consumed.
    private func decode(
      _ bytes: UnsafeRawBufferPointer, by decoder: ContentDecoder, for exchange: CurlExchange
    ) -> Int {
      let repeated = min(body.consumedBytes, bytes.count)
      var input = UnsafeRawBufferPointer(rebasing: bytes[repeated...])
      var allowance = Self.decodedBytesPerTurn
      do throws(ContentDecoder.DecodingError) {
        while let piece = try decoder.next(&input) {
          allowance -= piece.work
          if !piece.data.isEmpty { exchange.deliver(.body(piece.data)) }
          guard !exchange.isCancelled else { return 0 }
          guard exchange.isSuspended || allowance <= 0 else { continue }
          body.consumedBytes += bytes.count - input.count - repeated
          pause()
          if allowance <= 0 { exchange.resumeTransfer() }
          return CatenaWritePause
        }
      } catch {
        return reject(error.reason)
      }
      body.consumedBytes -= repeated
      countReceived(bytes.count)
      return bytes.count
    }

    /// Prepares the handle for the body of a response.
    func prepareBody(of head: HTTPResponseHead) {
      let decodesBody = decodesBody && exchange?.request.options.preservesContentCoding != true
      if decodesBody, head.status != 206, head.headers.contains("Content-Encoding") {
        do throws(ContentDecoder.DecodingError) {
          body.decoder = try ContentDecoder(head.headers.contentCodings)
        } catch {
          // A response without a body, such as a response to HEAD, is still valid.
          body.undecodable = error.reason
        }
      }
      body.hasLength = head.headers.contains("Content-Length")
      guard hasBody, !head.headers.contains("Transfer-Encoding") else { return }
      let isEmpty = head.status == 204 || head.status == 304
      body.missingBytes = isEmpty ? 0 : head.headers["Content-Length"].flatMap { Int64($0) }
      countReceived(0)
    }

    /// Ends an exchange whose response is complete before the request body was sent.
    ///
    /// Source: RFC 9112 section 9.3.
    private func countReceived(_ count: Int) {
      guard let missing = body.missingBytes else { return }
      body.missingBytes = missing - Int64(count)
      if body.missingBytes == 0, !isUploadComplete { exchange?.endEarly() }
    }

    /// Marks the exchange as answered if its request body has not been sent yet.
    func answerEarly() -> Bool {
      body.isAnsweredEarly = body.missingBytes == 0 && !isUploadComplete
      return body.isAnsweredEarly
    }

    /// Makes libcurl look at the HTTP/2 stream of a response that began before the end of the upload.
    ///
    /// If the response is already complete, the end of the upload closes the stream. libcurl 7.88 does
    /// not notice that until it reads from the connection. Some of its reads are for other streams, so
    /// they are repeated a few times.
    func noteUploadEnd() {
      guard hasCompleteHead, mayUseHTTP2 else { return }
      body.readDelay = 50_000_000
      exchange?.endEarly()
    }

    /// Whether a result of libcurl means that the server has reset the HTTP/2 stream without an error
    /// before the request body was sent.
    func isReset(_ result: CurlResult) -> Bool { result == .http2Stream && body.hasStreamEnded }

    /// Whether the response has begun while a request body is sent on an HTTP/2 connection of its own.
    var sendsAfterReads: Bool { mayNegotiateHTTP2 && hasCompleteHead && !isPaused }

    /// The failure of a response that may not be complete when its stream is reset.
    var resetResponse: TransportEvent {
      guard hasCompleteHead else { return lostRequest }
      return failure(
        .connectionLost,
        "The HTTP/2 stream was reset, and the last bytes of the response may be missing")
    }

    /// Whether a result of libcurl means only that the rest of the request body could not be sent,
    /// because the HTTP/2 stream has ended with a complete response.
    ///
    /// libcurl 7.88 drops the bytes of a TLS record that it reads together with the reset. So a response is
    /// complete if it has its length or the end of its content coding, or if all bytes are delivered. It is
    /// not complete during a pause, because libcurl has not delivered all of it.
    ///
    /// Source: RFC 9113 section 8.1.
    func isAnswered(_ result: CurlResult) -> Bool {
      guard isReset(result), hasCompleteHead, !isPaused else { return false }
      if let missing = body.missingBytes { return missing == 0 }
      return body.decoder?.isComplete ?? body.isDelivered
    }

    /// Notes that the HTTP/2 stream of the response has ended without an error.
    ///
    /// libcurl reads TLS records until one has bytes of the response, or until there is none. If there is
    /// none, it has not dropped bytes. This holds for a connection that only this exchange reads.
    func noteStreamEnd() {
      body.hasStreamEnded = true
      body.isDelivered = hasOwnConnection && catena_easy_awaits_bytes(easy) != 0
    }

    /// Whether an error of the framing has ended a body of HTTP/2 whose length is not known.
    ///
    /// libcurl then closes the connection, and returns the same result as for a complete body. Apart
    /// from this, it closes a connection at the end of a response after a GOAWAY frame, or because it
    /// keeps too many. A connection with other streams is closed later, and the error is not noticed.
    var isBodyCut: Bool {
      // Earlier versions do not tell of GOAWAY frames.
      guard body.endsConnection, !body.evictsConnection, !body.hasLength, mayNegotiateHTTP2,
        mayUseHTTP2, let connection = repetition.connection, catena_curl_version() >= 0x07_5800
      else { return false }
      return !connections.isEnding(connection)
    }

    var isUploadComplete: Bool {
      let sent = catena_easy_size(easy, .uploaded)
      return upload?.isAtEnd ?? true && sent >= bytesToSend ?? 0
    }
  }
#endif
