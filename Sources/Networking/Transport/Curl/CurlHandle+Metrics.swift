#if CATENA_CURL
  import CCatenaCurl

  extension CurlHandle {
    /// The measurements so far.
    var metrics: TransportMetrics { measure(hasConnection: time(.pretransferTime) != nil) }

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
        remotePort: count(.port).map { Int($0) }, tls: tlsConnection.map(TLSMetrics.init))
    }

    /// The value of a counter, or `nil` if it is 0 or not available.
    private func count(_ info: CurlLongInfo) -> Int64? {
      let count = catena_easy_long(easy, info)
      return count > 0 ? Int64(count) : nil
    }

    /// Whether the connection of the exchange may be an HTTP/2 connection.
    ///
    /// Without a response the version is not known. libcurl closes an HTTP/1 connection in this case.
    var mayUseHTTP2: Bool {
      switch catena_easy_long(easy, .httpVersion) {
      case 0: mayNegotiateHTTP2
      case 1, 2: false
      default: true
      }
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
