import Foundation
import TestGate
import Testing

@testable import Networking

/// Responses of Digest authentication: the examples of the RFCs.
@Suite(.gated) struct DigestVectorTests {
  private func response(
    _ challenge: String, _ username: String, _ password: String, _ clientNonce: String,
    _ target: String = "/dir/index.html", count: UInt32 = 1, method: HTTPMethod = .get,
    body: HTTPBody = .none
  ) throws -> String? {
    let challenge = try #require(
      AuthenticationChallenge.list(challenge).lazy.compactMap(DigestChallenge.init).first)
    let url = try #require(URL(string: "https://www.example.org\(target)"))
    return DigestResponse(
      username: username, password: password, challenge: challenge, clientNonce: clientNonce,
      count: count
    ).fieldValue(for: HTTPRequest(method: method, url: url, body: body))
  }

  private static let nonce = "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v"
  private static let clientNonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
  private static let opaque = "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"

  /// Source: RFC 7616 section 3.9.1.
  @Test(arguments: [
    ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
    ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
  ])
  func theExampleOfRFC7616(_ algorithm: String, _ response: String) throws {
    let value = try self.response(
      """
      Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=\(algorithm), \
      nonce="\(Self.nonce)", opaque="\(Self.opaque)"
      """, "Mufasa", "Circle of Life", Self.clientNonce)
    #expect(
      value == """
        Digest username="Mufasa", realm="http-auth@example.org", uri="/dir/index.html", \
        algorithm=\(algorithm), nonce="\(Self.nonce)", nc=00000001, \
        cnonce="\(Self.clientNonce)", qop=auth, response="\(response)", opaque="\(Self.opaque)"
        """)
  }

  #if os(Linux)
    /// Source: RFC 7616 section 3.9.2, with the values of erratum 4897.
    @Test(arguments: [true, false])
    func theExampleWithANameBeyondASCII(_ hashesUsername: Bool) throws {
      let value = try response(
        """
        Digest realm="api@example.org", qop="auth", algorithm=SHA-512-256, \
        nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", \
        opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS", charset=UTF-8, \
        userhash=\(hashesUsername)
        """, "Ja\u{308}s\u{F8}n Doe", "Secret, or not?",
        "NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v", "/doe.json")
      let name =
        hashesUsername
        ? "username=\"793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b\""
        : "username*=UTF-8''J%C3%A4s%C3%B8n%20Doe"
      #expect(
        value == """
          Digest \(name), realm="api@example.org", uri="/doe.json", algorithm=SHA-512-256, \
          nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", nc=00000001, \
          cnonce="NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v", qop=auth, \
          response="3798d4131c277846293534c3edc11bd8a5e4cdcbff78b05db9d95eeb1cec68a5", \
          opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS"\
          \(hashesUsername ? ", userhash=true" : "")
          """)
    }
  #endif

  @Test(arguments: [
    ("Mufasa", ", charset=UTF-8", "username=\"Mufasa\""),
    ("J\u{E4}son", ", charset=UTF-8", "username*=UTF-8''J%C3%A4son"),
    ("J\u{E4}son", "", "username=\"J\u{E4}son\""),
    ("Mu\u{7F}", "", "username*=UTF-8''Mu%7F"), ("Mu\u{1F}", "", "username*=UTF-8''Mu%1F"),
    ("Mu fasa~", "", "username=\"Mu fasa~\""),
  ])
  func onlyANameThatNeedsItIsExtended(
    _ username: String, _ charset: String, _ expected: String
  ) throws {
    let value = try response(
      "Digest realm=\"a\", nonce=\"n\"\(charset)", username, "p", "c")
    #expect(value?.hasPrefix("Digest \(expected), ") == true)
  }

  /// Source: RFC 2617 section 3.5.
  @Test func theExampleOfRFC2617() throws {
    let value = try response(
      """
      Digest realm="testrealm@host.com", qop="auth,auth-int", \
      nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", opaque="5ccc069c403ebaf9f0171e9517f40e41"
      """, "Mufasa", "Circle Of Life", "0a4f113b")
    #expect(value?.contains("response=\"6629fae49393a05397450978507c4ef1\"") == true)
    #expect(value?.contains("algorithm") == false)
  }

  /// Source: RFC 2069 section 2.4, with the value of erratum 749.
  @Test func theExampleOfRFC2069() throws {
    let value = try response(
      """
      Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", \
      opaque="5ccc069c403ebaf9f0171e9517f40e41"
      """, "Mufasa", "CircleOfLife", "unused")
    #expect(
      value == """
        Digest username="Mufasa", realm="testrealm@host.com", uri="/dir/index.html", \
        nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", \
        response="1949323746fe6a43ef61f9606e7febea", opaque="5ccc069c403ebaf9f0171e9517f40e41"
        """)
  }

  /// The values are those of an independent implementation, Python's hashlib.
  @Test(arguments: [
    ("MD5-sess", "auth", UInt32(1), "7bcc2dc55932734d48a84ba6c4f9a7e2"),
    (
      "SHA-256-sess", "auth", 26, "0694b3eff73eccf2cbe3d7054dd534b6c922b7e3c6bf870e6fcff4819a2bb1df"
    ),
    ("MD5", "auth-int", 0xDEAD_BEEF, "3cd6f6583208f659a4b865546e466e7b"),
    ("SHA-256", "auth-int", 1, "e3fad3d2481bb150c16e1e81ccdac0550ca3d9fa4d1effe301945b68a2ed4ec6"),
  ])
  func sessionsBodiesAndCounts(
    _ algorithm: String, _ protection: String, _ count: UInt32, _ expected: String
  ) throws {
    let value = try response(
      "Digest realm=\"a \\\"b\\\"\", nonce=\"n1\", algorithm=\(algorithm), qop=\"\(protection)\"",
      "ada", "pass:word", "c1", "/p?q=%20#fragment", count: count, method: .post,
      body: .data(Data("hello".utf8)))
    let text = try #require(value)
    #expect(text.contains("realm=\"a \\\"b\\\"\", uri=\"/p?q=%20\", algorithm=\(algorithm)"))
    #expect(text.contains("qop=\(protection), response=\"\(expected)\""))
  }

  @Test(arguments: [
    "Basic realm=\"a\"", "Digest nonce=\"n\"", "Digest realm=\"a\"", "Digest",
    "Digest realm=\"a\", nonce=\"n\", algorithm=SHA-1",
    "Digest realm=\"a\", nonce=\"n\", algorithm=token-sess, qop=auth",
    "Digest realm=\"a\", nonce=\"n\", qop=\"auth-conf\"",
    "Digest realm=\"a\", nonce=\"n\", algorithm=MD5-sess", "Negotiate YWJj==", "",
  ])
  func aChallengeThatCannotBeAnsweredIsNone(_ challenge: String) {
    #expect(AuthenticationChallenge.list(challenge).allSatisfy { DigestChallenge($0) == nil })
  }

  /// The hash of a body that is not in memory, or large, would block the thread of the transport.
  @Test func aBodyThatCannotBeHashedHasNoResponse() throws {
    let file = URL(fileURLWithPath: "/dev/null")
    for body in [HTTPBody.file(file), .data(Data(count: 1 << 20 + 1))] {
      let challenge = "Digest realm=\"a\", nonce=\"n\", qop="
      #expect(try response("\(challenge)auth-int", "a", "b", "c", body: body) == nil)
      #expect(try response("\(challenge)\"auth-int,auth\"", "a", "b", "c", body: body) != nil)
    }
  }

  @Test(arguments: [
    (
      "Newauth realm=\"apps\", type=1, title=\"Login to \\\"apps\\\"\", Basic realm=\"simple\"",
      ["newauth realm=apps title=Login to \"apps\" type=1", "basic realm=simple"]
    ),
    ("Digest REALM = \"a, b\" , nonce=n,realm=x", ["digest nonce=n realm=a, b"]),
    ("Negotiate, Digest a=1", ["negotiate", "digest a=1"]),
    ("Negotiate YWJ/jZA==, Digest a=1", ["negotiate", "digest a=1"]),
    (",,Basic,", ["basic"]), ("a=1", []), ("Digest a=\"1", ["digest"]),
    ("Digest a=, b=2", ["digest b=2"]),
    ("Digest a=\"1\\", ["digest"]), ("\"", []), ("@, Basic", ["basic"]),
  ])
  func challengesAreParsed(_ field: String, _ expected: [String]) {
    let challenges = AuthenticationChallenge.list(field).map { challenge in
      ([challenge.scheme]
        + challenge.parameters.sorted { $0.key < $1.key }
        .map { "\($0.key)=\($0.value)" }).joined(separator: " ")
    }
    #expect(challenges == expected)
  }
}
