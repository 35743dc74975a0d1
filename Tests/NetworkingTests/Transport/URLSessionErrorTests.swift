import Foundation
import Testing

@testable import Networking

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

struct URLSessionErrorTests {
  @Test(arguments: [
    (URLError.Code.cannotFindHost, NetworkError.Code.dnsFailed), (.dnsLookupFailed, .dnsFailed),
    (.cannotConnectToHost, .cannotConnect), (.notConnectedToInternet, .notConnectedToInternet),
    (.dataNotAllowed, .notConnectedToInternet), (.networkConnectionLost, .connectionLost),
    (.timedOut, .timedOut(.connect)), (.cancelled, .cancelled), (.badURL, .invalidURL),
    (.unsupportedURL, .invalidURL), (.secureConnectionFailed, .tlsHandshakeFailed),
    (.clientCertificateRequired, .tlsHandshakeFailed),
    (.clientCertificateRejected, .tlsHandshakeFailed),
    (.serverCertificateHasBadDate, .tlsCertificateExpired),
    (.serverCertificateNotYetValid, .tlsCertificateExpired),
    (.serverCertificateUntrusted, .tlsUntrusted), (.serverCertificateHasUnknownRoot, .tlsUntrusted),
    (.cannotParseResponse, .malformedResponse), (.cannotDecodeContentData, .malformedResponse),
    (.fileDoesNotExist, .encodingFailed), (.requestBodyStreamExhausted, .encodingFailed),
    (.unknown, .connectionLost),
  ])
  func eachCodeHasItsMeaning(_ code: URLError.Code, _ meaning: NetworkError.Code) {
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
  func theWordsTellApartWhatHasNoCodeOfItsOwn(_ message: String, _ meaning: NetworkError.Code) {
    #expect(NetworkError.Code(.unknown, message: message) == meaning)
  }

  @Test func anErrorOfAnotherKindIsALostConnection() {
    #expect(TransportFailure(CancellationError()).code == .connectionLost)
  }
}
