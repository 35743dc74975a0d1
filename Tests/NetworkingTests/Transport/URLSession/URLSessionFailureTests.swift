import Foundation
import NetworkingTransfers
import TestGate
import TestSupport
import Testing

@testable import Networking

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

#if os(Linux) || os(macOS)
  @Suite(.gated)
  struct URLSessionFailureTests {
    private let transport = URLSessionTransport()

    private func failure(
      of steps: [ScriptedServer.Step], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> NetworkError.Code? {
      let server = try ScriptedServer { _ in steps }
      let record = await transport.get(server.url("/?token=secret"))
      #expect(record.lastEvents == 1, sourceLocation: sourceLocation)
      let detail = record.failure?.detail ?? ""
      #expect(!detail.contains("secret"), sourceLocation: sourceLocation)
      return record.failure?.code
    }

    @Test func aClosedPortIsAConnectionFailure() async throws {
      let port = try ClosedPort()
      #expect(await transport.get(port.url).failure?.code == .cannotConnect)
    }

    @Test func anUnknownHostIsAResolutionFailure() async throws {
      let record = await transport.get(.of("http://catena.invalid/?token=secret"))
      #expect(record.failure?.code == .dnsFailed)
      #expect(record.failure?.detail.contains("secret") == false)
    }

    @Test func aBrokenConnectionIsLost() async throws {
      #expect(try await failure(of: [.close]) == .connectionLost)
      #expect(try await failure(of: [.reset]) == .connectionLost)
      let head = ScriptedServer.Step.text("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n123")
      #expect(try await failure(of: [head, .close]) == .connectionLost)
      let chunk = ScriptedServer.Step.text(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc")
      #expect(try await failure(of: [chunk, .close]) == .connectionLost)
    }

    @Test(arguments: [
      "SSH-2.0-OpenSSH_9.2\r\n\r\n", "HTTP/7.3 200 OK\r\n\r\n", "HTTP/1.1 abc\r\n\r\n",
      "HTTP/1.1 200 OK\r\nno colon here\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 10\r\n\r\nnot zipped",
      "HTTP/1.1 200 OK\r\nContent-Encoding: rot13\r\nContent-Length: 3\r\n\r\nabc",
    ])
    func aNonHTTPResponseIsMalformed(_ text: String) async throws {
      #expect(try await failure(of: [.text(text), .close]) == .malformedResponse)
    }

    @Test func unsupportedTLSOptionsAreRefusedWhenTheTransportIsMade() throws {
      for options in try [
        TLSOptions(minimumVersion: .v1_3), TLSOptions(trust: .all(.insecure)),
      ] {
        let error = #expect(throws: NetworkError.self) {
          try URLSessionTransport(tls: options)
        }
        #expect(error?.code == .unsupported && error?.reason?.isEmpty == false)
        #expect(throws: NetworkError.self) {
          try SessionConfiguration.custom(.ephemeral).secured(with: options)
        }
      }
      #expect(throws: NetworkError.self) {
        try SessionConfiguration.background(identifier: "x").trusting(.all(.insecure))
      }
    }
  }
#endif

#if os(Linux) || os(macOS)
  @Suite(
    .gated, .serialized,
    .enabled(if: Certificates.areAvailable, "The openssl tool makes the certificates"))
  struct URLSessionTLSTests {
    private let certificates: Certificates

    init() async throws {
      certificates = try await Certificates()
      try await certificates.make("good")
    }

    @Test func anUntrustedCertificateIsRejected() async throws {
      let server = try await TLSServer(certificates, "good")
      #expect(await URLSessionTransport().get(server.url).failure?.code == .tlsUntrusted)
    }

    @Test func aPortWithoutTLSFailsTheHandshake() async throws {
      let plain = try ScriptedServer(greeting: [.text("HTTP/1.1 400 Bad Request\r\n\r\n")]) { _ in
        []
      }
      let url = try #require(URL(string: "https://127.0.0.1:\(plain.port)/"))
      #expect(await URLSessionTransport().get(url).failure?.code == .tlsHandshakeFailed)
    }
  }
#endif

@Suite(.gated)
struct URLSessionErrorTests {
  @Test(arguments: [
    (URLError.Code.cannotFindHost, NetworkError.Code.dnsFailed), (.dnsLookupFailed, .dnsFailed),
    (.cannotConnectToHost, .cannotConnect), (.notConnectedToInternet, .notConnectedToInternet),
    (.dataNotAllowed, .notConnectedToInternet), (.networkConnectionLost, .connectionLost),
    (.timedOut, .timedOut(.connect)), (.cancelled, .cancelled), (.badURL, .invalidURL),
    (.unsupportedURL, .invalidURL), (.secureConnectionFailed, .tlsHandshakeFailed),
    (.clientCertificateRequired, .tlsHandshakeFailed),
    (.clientCertificateRejected, .tlsHandshakeFailed),
    (.appTransportSecurityRequiresSecureConnection, .unsupported),
    (.cannotCreateFile, .fileNotWritten), (.cannotWriteToFile, .fileNotWritten),
    (.cannotMoveFile, .fileNotWritten), (.downloadDecodingFailedMidStream, .connectionLost),
    (.serverCertificateHasBadDate, .tlsCertificateExpired),
    (.serverCertificateNotYetValid, .tlsCertificateExpired),
    (.serverCertificateUntrusted, .tlsUntrusted), (.serverCertificateHasUnknownRoot, .tlsUntrusted),
    (.cannotParseResponse, .malformedResponse), (.cannotDecodeContentData, .malformedResponse),
    (.fileDoesNotExist, .encodingFailed), (.requestBodyStreamExhausted, .encodingFailed),
    (.unknown, .connectionLost),
  ])
  func eachCodeIsMapped(_ code: URLError.Code, _ meaning: NetworkError.Code) {
    #expect(NetworkError.Code(code, message: "") == meaning)
  }

  @Test(arguments: [
    ("SSL certificate problem: certificate has expired", NetworkError.Code.tlsCertificateExpired),
    ("SSL certificate problem: certificate is not yet valid", .tlsCertificateExpired),
    ("SSL: no alternative certificate subject name matches target host name", .tlsHostMismatch),
    ("SSL certificate problem: self-signed certificate", .tlsUntrusted),
    ("error:0A00010B:SSL routines::wrong version number", .tlsHandshakeFailed),
    ("transfer closed with 7 bytes remaining to read", .connectionLost),
    ("Recv failure: Connection reset by peer", .connectionLost),
    ("Received HTTP/0.9 when not allowed", .malformedResponse),
    ("Header without colon", .malformedResponse),
    ("Unrecognized content encoding type", .malformedResponse),
    ("Failed to connect to 127.0.0.1 port 1", .cannotConnect),
  ])
  func descriptionsDistinguishErrorsWithoutACode(_ message: String, _ meaning: NetworkError.Code) {
    #expect(NetworkError.Code(.unknown, message: message) == meaning)
  }

  @Test func anUnknownErrorIsALostConnection() {
    #expect(TransportFailure(CancellationError()).code == .connectionLost)
  }
}
