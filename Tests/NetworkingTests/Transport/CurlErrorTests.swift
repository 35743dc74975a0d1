#if os(Linux)
  import CCatena
  import Testing

  @testable import Networking

  struct CurlErrorTests {
    @Test(arguments: [
      (CurlResult.hostNotResolved, NetworkError.Code.dnsFailed), (.proxyNotResolved, .dnsFailed),
      (.cannotConnect, .cannotConnect), (.timedOut, .timedOut(.connect)),
      (.malformedURL, .invalidURL), (.loginDenied, .invalidURL), (.partialFile, .connectionLost),
      (.receiveError, .connectionLost), (.sendError, .connectionLost),
      (.gotNothing, .connectionLost), (.http2Stream, .connectionLost),
      (.handshakeFailed, .tlsHandshakeFailed), (.pinMismatch, .pinMismatch),
      (.peerNotVerified, .tlsUntrusted), (.badCertificateAuthorities, .tlsUntrusted),
      (.weirdReply, .malformedResponse), (.unsupportedProtocol, .malformedResponse),
      (.badContentEncoding, .malformedResponse), (.tooLarge, .malformedResponse),
      (.unknownOption, .unsupported),
    ])
    func eachResultHasItsCode(_ result: CurlResult, _ code: NetworkError.Code) {
      #expect(NetworkError.Code(result, verification: 0, message: "") == code)
    }

    @Test(arguments: [
      (9, "", NetworkError.Code.tlsCertificateExpired), (10, "", .tlsCertificateExpired),
      (18, "self-signed certificate", .tlsUntrusted), (62, "", .tlsHostMismatch),
      (1, "no alternative certificate subject name matches target host name", .tlsHostMismatch),
    ])
    func certificatesAreToldApart(_ verification: Int, _ message: String, _ code: NetworkError.Code)
    {
      #expect(
        NetworkError.Code(.peerNotVerified, verification: verification, message: message) == code)
    }

    @Test func theLibraryIsOneThatIsKnown() {
      #expect(catena_curl_version() >= 0x07_4000)
      #expect(String(cString: catena_curl_describe(.OK)) == "No error")
      #expect(
        String(cString: catena_curl_describe(.pinMismatch))
          == "SSL public key does not match pinned public key")
    }
  }
#endif
