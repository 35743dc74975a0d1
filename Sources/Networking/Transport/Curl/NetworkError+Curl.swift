#if CATENA_CURL
  import CCatenaCurl

  extension NetworkError.Code {
    /// Makes a code from a result of libcurl.
    ///
    /// - Parameters:
    ///   - result: A `CURLE_*` code other than `CURLE_OK`.
    ///   - verification: An `X509_V_ERR_*` code of OpenSSL, or 0.
    ///   - message: The message of libcurl, which distinguishes failures with the same result.
    init(_ result: CurlResult, verification: Int, message: String) {
      self =
        switch result {
        case .hostNotResolved, .proxyNotResolved: .dnsFailed
        // Memory is exhausted before a connection is used. Afterwards libcurl gives this result for
        // a line of the response that is too long, which the handle reports.
        case .cannotConnect, .proxy, .outOfMemory: .cannotConnect
        // The connect timeout is the only time limit that is set in libcurl.
        case .timedOut: .timedOut(.connect)
        case .malformedURL, .loginDenied: .invalidURL
        case .notBuiltIn, .unknownOption: .unsupported
        case .handshakeFailed, .badClientCertificate, .badCipher, .clientCertificateNeeded:
          .tlsHandshakeFailed
        case .peerNotVerified: Self.untrusted(verification, message)
        case .badCertificateAuthorities, .issuerMismatch, .badCertificateStatus: .tlsUntrusted
        case .pinMismatch: .pinMismatch
        // The URL's scheme was checked before, so the unsupported protocol is HTTP/0.9.
        case .unsupportedProtocol, .weirdReply, .badContentEncoding, .tooLarge, .writeError:
          .malformedResponse
        case .receiveError where message.contains("chunk"): .malformedResponse
        case .receiveError where message.contains("response header"): .malformedResponse
        case .receiveError where message.contains("SSL") && message.contains("alert"):
          .tlsHandshakeFailed
        case .abortedByCallback: .cancelled
        default: .connectionLost
        }
    }

    private static func untrusted(_ verification: Int, _ message: String) -> NetworkError.Code {
      switch verification {
      // X509_V_ERR_CERT_NOT_YET_VALID and CERT_HAS_EXPIRED.
      case 9, 10: .tlsCertificateExpired
      // X509_V_ERR_HOSTNAME_MISMATCH and IP_ADDRESS_MISMATCH.
      case 62, 64: .tlsHostMismatch
      // libcurl compares the names itself, before it stores OpenSSL's successful verification of
      // the chain. Only the message shows the mismatch.
      case _ where message.contains("match") && message.contains("name"): .tlsHostMismatch
      default: .tlsUntrusted
      }
    }
  }
#endif
