#if os(Linux)
  import CCatenaCurl
  import Foundation
  import TestGate
  import TestSupport
  import Testing

  @testable import Networking

  @Suite(.gated)
  struct CurlFailureTests {
    private let transport = CurlTransport()

    private func failure(
      of steps: [ScriptedServer.Step], order: [String] = ["failure"],
      sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> NetworkError.Code? {
      let server = try ScriptedServer { _ in steps }
      let record = await transport.get(server.url("/?token=secret"))
      #expect(record.order == order, sourceLocation: sourceLocation)
      #expect(record.lastEvents == 1, sourceLocation: sourceLocation)
      let detail = record.failure?.detail ?? ""
      #expect(!detail.isEmpty && !detail.contains("secret"), sourceLocation: sourceLocation)
      return record.failure?.code
    }

    @Test func aClosedPortIsAConnectionFailure() async throws {
      let port = try ClosedPort()
      let record = await transport.get(port.url)
      #expect(record.failure?.code == .cannotConnect)
    }

    @Test func anUnknownHostIsAResolutionFailure() async throws {
      let url = try #require(URL(string: "http://catena.invalid/?token=secret"))
      let record = await transport.get(url)
      #expect(record.failure?.code == .dnsFailed)
      #expect(record.failure?.detail.contains("secret") == false)
    }

    @Test func aBrokenConnectionIsLost() async throws {
      #expect(try await failure(of: [.close]) == .connectionLost)
      #expect(try await failure(of: [.reset]) == .connectionLost)
      let lines = ScriptedServer.Step.text("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n")
      #expect(try await failure(of: [lines, .close]) == .connectionLost)
      let head = ScriptedServer.Step.text("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n123")
      let order = ["head", "body", "failure"]
      #expect(try await failure(of: [head, .close], order: order) == .connectionLost)
      let chunk = ScriptedServer.Step.text(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc")
      #expect(try await failure(of: [chunk, .close], order: order) == .connectionLost)
    }

    @Test(arguments: [
      "SSH-2.0-OpenSSH_9.2\r\n\r\n", "HTTP/1.1 abc\r\n\r\n", "HTTP/7.3 200 OK\r\n\r\n",
      "HTTP/1.1 200 OK\r\nno colon here\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n",
    ])
    func aNonHTTPResponseIsMalformed(_ text: String) async throws {
      #expect(try await failure(of: [.text(text), .close]) == .malformedResponse)
    }

    @Test(arguments: ["zz\r\nabc\r\n0\r\n\r\n", "3\r\nabcdef\r\n0\r\n\r\n"])
    func anInvalidChunkIsMalformed(_ text: String) async throws {
      let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
      let server = try ScriptedServer { _ in [.text(head + text), .close] }
      let record = await transport.get(server.url())
      #expect(record.failure?.code == .malformedResponse)
    }

    @Test func aWrongCodingIsMalformed() async throws {
      let body = Data("not zipped".utf8)
      let order = ["head", "failure"]
      let gzip = ScriptedServer.Step.respond("200 OK", ["Content-Encoding: gzip"], body)
      #expect(try await failure(of: [gzip], order: order) == .malformedResponse)
    }

    @Test func aSilentConnectionTimesOut() async throws {
      let head = ScriptedServer.Step.text("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n123")
      for steps in [[.stall], [head, .stall]] as [[ScriptedServer.Step]] {
        let server = try ScriptedServer { _ in steps }
        let record = await transport.perform(
          HTTPRequest(url: server.url(), idleTimeout: .milliseconds(100)))
        #expect(record.failure?.code == .timedOut(.idle))
        #expect(await server.closed.entries(1) == [0])
      }
    }

    @Test func anUnresponsiveAddressTimesOutConnecting() async throws {
      // A listener with a full backlog does not complete handshakes.
      let full = try FullListener()
      let record = await transport.perform(
        HTTPRequest(url: full.url, connectTimeout: .milliseconds(100)))
      #expect(record.failure?.code == .timedOut(.connect))
      #expect((record.failure?.metrics.total ?? .zero) >= .milliseconds(90))
    }
  }

  @Suite(.gated)
  struct CurlResolverTests {
    /// Runs in a separate process, in which the resolver blocks.
    @Test func theEndOfAnExchangeDoesNotWaitForTheResolver() async throws {
      let end = try await ChildProcess(worker: "hanging-resolver").end
      #expect(end.lines == ["cancelled", "timed out", "done"], "\(end.errors)")
    }
  }

  @Suite(.gated)
  struct CurlErrorTests {
    @Test(arguments: [
      (CurlResult.hostNotResolved, NetworkError.Code.dnsFailed), (.proxyNotResolved, .dnsFailed),
      (.cannotConnect, .cannotConnect), (.outOfMemory, .cannotConnect),
      (.timedOut, .timedOut(.connect)),
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
    func certificateErrorsAreDistinguished(
      _ verification: Int, _ message: String, _ code: NetworkError.Code
    ) {
      #expect(
        NetworkError.Code(.peerNotVerified, verification: verification, message: message) == code)
    }

    @Test func theLibraryVersionIsSupported() {
      #expect(catena_curl_version() >= 0x07_4000)
      #expect(String(cString: catena_curl_describe(.OK)) == "No error")
      #expect(
        String(cString: catena_curl_describe(.pinMismatch))
          == "SSL public key does not match pinned public key")
    }
  }
#endif
