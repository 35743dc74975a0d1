#if os(Linux)
  import CCatena

  extension NetworkError.Code {
    /// What a failure of libcurl's comes to.
    ///
    /// - Parameters:
    ///   - result: CURLE_*, other than OK.
    ///   - verification: OpenSSL's X509_V_ERR_*; 0 for none.
    ///   - message: libcurl's own words, which tell some failures apart that share a result.
    init(_ result: CurlResult, verification: Int, message: String) {
      self =
        switch result {
        case .hostNotResolved, .proxyNotResolved: .dnsFailed
        case .cannotConnect, .proxy: .cannotConnect
        // No time limit is set with libcurl but the one for connecting.
        case .timedOut: .timedOut(.connect)
        case .malformedURL, .loginDenied: .invalidURL
        case .notBuiltIn, .unknownOption: .unsupported
        case .handshakeFailed, .badClientCertificate, .badCipher, .clientCertificateNeeded:
          .tlsHandshakeFailed
        case .peerNotVerified: Self.untrusted(verification, message)
        case .badCertificateAuthorities, .issuerMismatch, .badCertificateStatus: .tlsUntrusted
        case .pinMismatch: .pinMismatch
        // The scheme of the URL has been looked at before, so it is HTTP/0.9 that is not supported.
        case .unsupportedProtocol, .weirdReply, .badContentEncoding, .tooLarge, .writeError:
          .malformedResponse
        case .outOfMemory where message.contains("header"): .malformedResponse
        case .receiveError where message.contains("chunk"): .malformedResponse
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
      // libcurl compares names itself, before it notes that OpenSSL had nothing to say against the
      // chain; only its words tell.
      case _ where message.contains("match") && message.contains("name"): .tlsHostMismatch
      default: .tlsUntrusted
      }
    }
  }
#endif
