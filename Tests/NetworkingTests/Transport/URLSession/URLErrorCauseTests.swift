import Foundation
import TestGate
import TestSupport
import Testing

@testable import Networking

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.gated)
struct URLErrorCauseTests {
  /// The domain of a stream error, of `CFStream.h` and `CFNetworkErrors.h`.
  private enum Stream: Int {
    case posix = 1
    case ssl = 3
    case http = 4
    case netdb = 12
  }

  private func cause(
    _ code: Int, domain: String = NSURLErrorDomain, _ stream: (Stream, Int)? = nil,
    isStreamInner: Bool = true
  ) -> URLErrorCause {
    var info: [String: Any] = [:]
    if let stream {
      info["_kCFStreamErrorDomainKey"] = stream.0.rawValue
      info["_kCFStreamErrorCodeKey"] = stream.1
    }
    var inner: [String: Any] = isStreamInner ? info : [:]
    inner[NSLocalizedDescriptionKey] = "https://example.com/?token=1"
    var outer: [String: Any] = isStreamInner ? [:] : info
    outer["NSErrorFailingURLStringKey"] = "https://example.com/?token=1"
    outer[NSUnderlyingErrorKey] =
      NSError(domain: "kCFErrorDomainCFNetwork", code: code, userInfo: inner)
    return URLErrorCause(NSError(domain: domain, code: code, userInfo: outer))
  }

  @Test func theDetailHasTheNumbersOfAllErrorsAndNoText() {
    #expect(cause(-1_202).text == "URLError -1202, kCFErrorDomainCFNetwork -1202")
    for isInner in [true, false] {
      #expect(
        cause(-1_202, (.ssl, -9_843), isStreamInner: isInner).text
          == "URLError -1202, kCFErrorDomainCFNetwork -1202, TLS -9843")
    }
  }

  @Test func theNumberOfAStreamHasTheNameOfItsDomain() {
    #expect(cause(-1_004, (.posix, 61)).text.hasSuffix(", POSIX 61"))
    #expect(cause(-1_003, (.netdb, 8)).text.hasSuffix(", DNS 8"))
    #expect(cause(-1_001, (.http, -2_102)).text.hasSuffix(", stream 4 -2102"))
  }

  @Test func aNumberWithoutItsDomainMeansNothing() {
    let error = NSError(
      domain: NSURLErrorDomain, code: -1_200, userInfo: ["_kCFStreamErrorCodeKey": -9_843])
    #expect(URLErrorCause(error).text == "URLError -1200")
    #expect(URLErrorCause(error).code == .tlsHandshakeFailed)
  }

  @Test(arguments: [
    (-9_843, NetworkError.Code.tlsHostMismatch), (-9_814, .tlsCertificateExpired),
    (-9_815, .tlsCertificateExpired), (-9_812, .tlsUntrusted), (-9_813, .tlsUntrusted),
    (-9_807, .tlsUntrusted), (-9_808, .tlsUntrusted), (-9_806, .tlsHandshakeFailed),
    (-9_802, .tlsHandshakeFailed), (-9_836, .tlsHandshakeFailed),
  ])
  func theNumberOfTheHandshakeTellsCertificateErrorsApart(number: Int, code: NetworkError.Code) {
    #expect(cause(-1_200, (.ssl, number)).code == code)
    #expect(cause(-1_200, (.ssl, number), isStreamInner: false).code == code)
    // The same number in another domain is another error.
    #expect(cause(-1_200, (.posix, number)).code == .tlsHandshakeFailed)
  }

  @Test(arguments: [
    (-1_004, 61, NetworkError.Code.cannotConnect), (-1_004, 65, .cannotConnect),
    (-1_004, 50, .notConnectedToInternet), (-1_004, 51, .notConnectedToInternet),
    (-1_005, 54, .connectionLost), (-1_005, 57, .connectionLost), (-1_005, 50, .connectionLost),
    (-1_001, 60, .timedOut(.connect)), (-1_009, 50, .notConnectedToInternet),
    (-1_200, 54, .tlsHandshakeFailed), (-1, 61, .cannotConnect), (-1, 53, .connectionLost),
  ])
  func theNumbersOfDarwinRefineTheCode(error: Int, number: Int, code: NetworkError.Code) {
    #expect(cause(error, (.posix, number)).code == code)
  }

  @Test(arguments: [
    (NSPOSIXErrorDomain, 28, NetworkError.Code.fileNotWritten, "POSIX 28"),
    (NSPOSIXErrorDomain, 100, .malformedResponse, "POSIX 100"),
    (NSPOSIXErrorDomain, 32, .connectionLost, "POSIX 32"),
    (NSPOSIXErrorDomain, 53, .connectionLost, "POSIX 53"),
    (NSPOSIXErrorDomain, 54, .connectionLost, "POSIX 54"),
    (NSPOSIXErrorDomain, 61, .cannotConnect, "POSIX 61"),
    (NSCocoaErrorDomain, 640, .fileNotWritten, "NSCocoaErrorDomain 640"),
    (NSCocoaErrorDomain, 513, .fileNotWritten, "NSCocoaErrorDomain 513"),
    ("kCFErrorDomainCFNetwork", 2, .dnsFailed, "kCFErrorDomainCFNetwork 2"),
    ("kCFErrorDomainCFNetwork", 303, .malformedResponse, "kCFErrorDomainCFNetwork 303"),
    ("kCFErrorDomainCFNetwork", 307, .cannotConnect, "kCFErrorDomainCFNetwork 307"),
    ("kCFErrorDomainCFNetwork", 310, .cannotConnect, "kCFErrorDomainCFNetwork 310"),
    ("kCFErrorDomainCFNetwork", 311, .cannotConnect, "kCFErrorDomainCFNetwork 311"),
    ("kCFErrorDomainCFNetwork", 122, .cannotConnect, "kCFErrorDomainCFNetwork 122"),
    ("kCFErrorDomainCFNetwork", -1_003, .dnsFailed, "kCFErrorDomainCFNetwork -1003"),
    ("com.example", 7, .connectionLost, "com.example 7"),
    ("https://example.com/?token=1", 7, .connectionLost, "error 7"),
  ])
  func anErrorThatIsNoURLErrorKeepsItsDomainAndNumber(
    domain: String, number: Int, code: NetworkError.Code, detail: String
  ) {
    let info = [NSLocalizedDescriptionKey: "https://example.com/?token=1"]
    let failure = TransportFailure(NSError(domain: domain, code: number, userInfo: info))
    #expect(failure.code == code)
    #expect(failure.detail == detail)
  }

  @Test(arguments: [50, 51, 60, 64, 65])
  func aNumberThatAlsoEndsAConnectionDoesNotAllowASecondRequest(number: Int) {
    let raw = TransportFailure(NSError(domain: NSPOSIXErrorDomain, code: number))
    #expect(!raw.code.precedesRequest && raw.code.isTemporary)
    #expect(!cause(-1, (.posix, number)).code.precedesRequest)
  }

  @Test func aRefusedURLOfHTTPNamesTheKeyOfTheInfoPlist() {
    let cause = cause(-1_022)
    #expect(cause.code == .unsupported)
    #expect(cause.text.contains("NSAppTransportSecurity in Info.plist (URLError -1022"))
  }

  @Test func aCycleOfUnderlyingErrorsEnds() {
    var error = NSError(domain: "A", code: 0)
    for code in 1...100 {
      error = NSError(domain: "A", code: code, userInfo: [NSUnderlyingErrorKey: error])
    }
    #expect(URLErrorCause(error).text == "A 100, A 99, A 98, A 97, A 96")
  }
}

/// Errors of tasks that the transport has not cancelled.
@Suite(.gated)
struct UnexpectedTaskErrorTests {
  private static let policies: [ServerTrust.Policy] = [
    .pinnedKeys([TestCertificate.pin]), .authorities(.pem(TestCertificate.pem)), .insecure,
  ]

  private func failure(
    _ code: Int, tls: Int? = nil, under policy: ServerTrust.Policy? = nil,
    at url: String = "https://a.example/", evaluated: String? = nil, hasBegun: Bool = false
  ) throws -> TransportFailure {
    let trust = URLSessionTrust(
      try policy.map { try TLSOptions(trust: ["a.example": $0, "a.local": $0, "127.0.0.1": $0]) }
        ?? TLSOptions())
    if let evaluated { trust.noteEvaluation(of: evaluated) }
    var info: [String: Any] = [:]
    if let tls { info = ["_kCFStreamErrorDomainKey": 3, "_kCFStreamErrorCodeKey": tls] }
    let error = NSError(domain: NSURLErrorDomain, code: code, userInfo: info)
    let cause = URLErrorCause(error)
    return trust.failure(
      TransportFailure(code: cause.code, detail: cause.text), of: error, from: URL(string: url),
      hasBegun: hasBegun)
  }

  @Test(arguments: [-999, -1_012])
  func aCancellationNobodyAskedForIsARefusalIfTheHostHasAPolicy(code: Int) throws {
    for policy in Self.policies {
      #expect(try failure(code, under: policy).code == .tlsUntrusted)
      #expect(try failure(code, under: policy, at: "https://a.example:8443/").code == .tlsUntrusted)
      #expect(try failure(code, under: policy, at: "https://b.example/").code == .connectionLost)
      #expect(try failure(code, under: policy, at: "http://a.example/").code == .connectionLost)
      #expect(try failure(code, under: policy, hasBegun: true).code == .connectionLost)
    }
    #expect(try failure(code, under: .system).code == .connectionLost)
    #expect(try failure(code).code == .connectionLost)
  }

  @Test func aCancellationAfterTheDelegateHasEvaluatedTheHostIsARefusal() throws {
    #expect(try failure(-999, evaluated: "a.example").code == .tlsUntrusted)
    #expect(try failure(-999, evaluated: "b.example").code == .connectionLost)
  }

  @Test(arguments: [nil, -9_802, -9_807, -9_808, -9_812, -9_813])
  func aPrivateAuthorityWithoutAChallengeIsRefusedByAppTransportSecurity(number: Int?) throws {
    for policy in Self.policies.dropFirst() {
      let refusal = try failure(-1_200, tls: number, under: policy)
      #expect(refusal.code == .tlsUntrusted)
      #expect(refusal.detail.contains("NSExceptionDomains"))
      let later = try failure(-1_200, tls: number, under: policy, evaluated: "a.example")
      #expect(later.detail.contains("NSExceptionDomains"))
    }
    let alert = try failure(
      -1_200, tls: -9_802, under: .insecure, evaluated: "a.example")
    #expect(alert.code == .tlsHandshakeFailed)
  }

  @Test func otherFailedHandshakesHaveNoHint() throws {
    for failure in [
      // Another version, another error, and hosts to which the rules do not apply.
      try failure(-1_200, tls: -9_836, under: .insecure), try failure(-1_205, under: .insecure),
      try failure(-1_200, tls: -9_802), try failure(-1_200, tls: -9_802, under: Self.policies[0]),
      try failure(-1_200, tls: -9_802, under: .insecure, at: "https://a.local/"),
      try failure(-1_200, tls: -9_802, under: .insecure, at: "https://127.0.0.1/"),
    ] {
      #expect(failure.code == .tlsHandshakeFailed)
      #expect(!failure.detail.contains("NSExceptionDomains"))
    }
  }

  @Test(arguments: [-1_001, -1_003, -1_004, -1_009])
  func aRequestThatHasBegunWasSent(code: Int) throws {
    #expect(try failure(code).code.precedesRequest)
    #expect(try failure(code, hasBegun: true).code == .connectionLost)
  }

  @Test func theEvaluatedHostsAreBounded() throws {
    let trust = URLSessionTrust(TLSOptions())
    for number in 0...1_000 { trust.noteEvaluation(of: "\(number).example") }
    let error = URLError(.cancelled)
    func code(_ host: String) -> NetworkError.Code {
      trust.failure(
        TransportFailure(error), of: error, from: URL(string: "https://\(host)/"), hasBegun: false
      ).code
    }
    #expect(code("1000.example") == .tlsUntrusted)
    #expect(code("0.example") == .connectionLost)
  }
}
