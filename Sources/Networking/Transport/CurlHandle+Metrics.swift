#if os(Linux)
  import CCatena

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
        bytesSent: sends ? min(uploaded, upload?.offset ?? uploaded) : 0,
        bytesReceived: catena_easy_size(easy, .downloaded),
        reusedConnection: isReused,
        // With a body libcurl counts that in or not, as its version has it.
        headBytesSent: sends ? nil : count(.requestSent),
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
