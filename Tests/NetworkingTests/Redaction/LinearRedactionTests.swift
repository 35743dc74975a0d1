import Foundation
import MockingRecordings
import TestGate
import Testing

@testable import Networking

/// The work of redaction grows in proportion to the text, whatever a server sends.
///
/// The tests count the bytes that the maskers read, with repetitions. They do not measure time.
@Suite(.gated) struct LinearRedactionTests {
  static let pieces = [
    "a", "a=", "a:", "a=1&", "a=1;", "a: ", "a : ", "a='", "a=\"", "a\\\":\\\"", "a:\\\\\\\"",
    "a:" + String(repeating: "\\", count: 31) + "\"", "\\", "\"", "'", "name:", "value:",
    "name:\"", "value:x,name:token,", "{\"value\":\"x\",\"name\":\"password\"", "token=", "token:[",
    "token:{\"", "token='", "token=\"\\", "cookie: a=1; ", "cookie:a=1;b=2;",
    "Authorization: Digest a=\"1\", ", "Bearer ", "Basic", "Bearer  x", "authorization: Bearer ",
    "%3D", "a%3D", "%25", "%253Da", "%", "a%3A%2F%2F", "%3A%2F%2F%253A%252F%252F", "://", "a://b@",
    "://b/", "https://h/hooks/a1b2c3", "://hooks", "@", ";", "?", "a?b=c&", "<", "<a", "<a>",
    "<a b>", "<a>b", "<token>", "<token>a", "<a></", "<a><![CDATA[", "<![CDATA[", "]]>",
    "<token><![CDATA[]]>", "[", "{", "secret", "session", "pässword", "\u{301}", "🧑‍🧑‍🧒", " ", "\t",
    "a=b=c;d:e,f", "token='a\\\":\\\"authorization: Bearer ", "a\\\":\\\"cookie: a=1; a=%26", "\n",
    "a:\n", "token=\n", "=%3B", "a=%26", "a%3D;", "token%3D;", "token%3Da;b",
    "value=[ name=password ", "value:[ name:token,", "value:{ name:token,",
    "value={\"a\":[ name=token ", "value=a;name=cookie;", "value=a,name=authorization,",
    // Names whose values are judged by their form.
    "key=", "code=a&key=", "session='key='", "key:", "\"key\":\"", "pin=code%3D", "sid=\"key:[",
    "key%3Dsid%253D", "signature={key:", "token_type=key=", "key;sid=", "name:key,value:{",
    "<key>", "<key>a</key>", "<code><![CDATA[", "<key><![CDATA[a]]>", "<key>sid</key>\n<string>",
    "<key name=\"sid\"\n>", "<a\nkey=\"", "<a>\n", "<pin>\n1</pin>", "{key:\n", "pin: 123 456 ",
    "iban: DE12 3456 ", "Bearer a=", "\"pin\" : 12,",
    "cookie:a\"", "cookie:a\\\"", "cookie:a=\"", "cookie:a=\"b\"c=", "cookie:a=\\\"",
    "cookie:a\"b\"; c=",
    // Names beyond ASCII, and values that neighbors name.
    "\u{E9}pin:", "密码密:", "é key=", "[[\"key\",\"abc\"],", "[\"password\",", "[[\\\"key\\\",\\\"",
    "[[\"password\",\"a\",\"b\"],", "<password><a>b</a>", "<password><!-- c -->",
    "<password><![CDATA[", "<password></password>", "<f name=password><v>a</v>", "</a>",
    "path:/a/0/0/0/0,",
    "value:a,path:/password,", "a={a:", "a={a=", "a=%7Ba:", "a=%7B%22key%22:", "a=%255Bkey:",
    "&a={key:",
  ]

  private static func text(_ piece: String, _ length: Int) -> String {
    String(repeating: piece, count: length / piece.utf8.count + 1)
  }

  private func workOnText(_ text: String) -> Int {
    var work = 0
    _ = Redactor.standard.maskedText(text, counting: &work)
    return work
  }

  private func workOnLines(_ text: String) -> Int {
    var work = 0
    _ = Redactor(purpose: .recording).maskedText(text, .lines, counting: &work)
    return work
  }

  /// Numbers and credentials are replaced by placeholders.
  private func workOnRecording(_ text: String) -> Int {
    struct Placeholders: SecretPlaceholders {
      func text(for secret: String) -> String { "***-3f2a9c" }
      func number(for secret: String) -> Int { 999_000_034 }
    }
    var work = 0
    _ = Redactor(purpose: .recording, placeholders: Placeholders())
      .maskedText(text, .lines, counting: &work)
    return work
  }

  private func workOnURL(_ text: String) -> Int {
    var work = 0
    _ = FieldMasker.masked(
      "/p?\(text)", in: .url, by: Redactor.standard.mask, counting: &work)
    return work
  }

  @Test(arguments: pieces) func aTextTwiceAsLongTakesTwiceTheWork(_ piece: String) {
    for work in [workOnText, workOnLines, workOnRecording, workOnURL] {
      let (short, long) = (Self.text(piece, 1_500), Self.text(piece, 3_000))
      #expect(work(long) <= work(short) * 5 / 2 + 1_000)
      #expect(work(long) <= 12 * long.utf8.count)
    }
  }

  /// Random texts of the delimiters find combinations that nobody has thought of.
  @Test(arguments: 0..<12) func randomDelimitersTakeLinearWork(_ seed: UInt64) {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1
    func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    let pattern = (0..<(2 + next(4))).map { _ in Self.pieces[next(Self.pieces.count)] }.joined()
    for work in [workOnText, workOnLines, workOnRecording, workOnURL] {
      let (short, long) = (Self.text(pattern, 3_000), Self.text(pattern, 6_000))
      #expect(work(long) <= work(short) * 5 / 2 + 2_000, "\(pattern.debugDescription)")
    }
  }

  @Test(arguments: [
    "a", "a=1&", "token=b ", "abc=b ", "sssssss=", "a:\"", "%3Da", "<a>b", "\u{301}", "name:x,",
    "cookie:a=1;",
  ])
  func aLongTextIsRedacted(_ piece: String) {
    let text = Self.text(piece, 1 << 15) + "\npassword=s3cret"
    #expect(!Redactor.standard.maskedText(text).contains("s3cret"))
    #expect(!Redactor(purpose: .recording).maskedContent(text).contains("s3cret"))
  }

  /// Objects with names such as `tokens` within each other are judged to a fixed depth.
  @Test func nestedObjectsOfSecretsAreMasked() {
    let count = 200
    let deep =
      String(repeating: #"{"tokens":"#, count: count) + #"{"a":"s3cret"}"#
      + String(repeating: "}", count: count)
    let redactor = Redactor(purpose: .recording)
    #expect(!redactor.maskedBody(deep, mimeType: "application/json").contains("s3cret"))
    let counts = #"{"tokens":{"a":{"b":[12,{"c":7}]}}}"#
    #expect(redactor.maskedBody(counts, mimeType: "application/json") == counts)
  }

  /// The work of judging values that contain each other, and of finding secrets by their form.
  @Test(arguments: [
    "key=", "4111 ", "4111111111111112 ", "DE89 3704 ", "eyJhbGciOi.", "eyJ", "ghp_", "xoxb-1-",
    "-----BEGIN PRIVATE KEY-----", "-----BEGIN", "%2525", "%25253D",
  ])
  func aLongTextIsSearchedForForms(_ piece: String) {
    let text = Self.text(piece, 1 << 15) + "\n a=ghp_16C7e42F292c6912E7710c838347Ae178B4a."
    let masked = Redactor(purpose: .recording).maskedContent(text)
    #expect(!masked.contains("16C7e42F292c6912E7710c838347Ae178B4a"))
  }

  @Test func theDescriptionOfAnErrorReadsABoundedPartOfTheBody() {
    struct Long: Error, CustomStringConvertible {
      let description: String
    }
    let body = Data("e\(String(repeating: "\u{301}", count: 1 << 20))".utf8)
    var error = NetworkError(.cannotConnect)
    error.body = body
    #expect(error.description.utf8.count < 1_000)
    let text = NetworkError.text(of: Long(description: String(decoding: body, as: UTF8.self)))
    #expect(text.utf8.count < 1_000)
  }

  /// 3,000 bodies within each other are masked to a fixed depth, and as text beyond it.
  @Test func nestedMultipartBodiesAreMaskedToAFixedDepth() {
    var body = "Content-Type: text/plain\r\n\r\npassword=s3cret"
    for level in 0..<3_000 {
      body =
        "--b\(level)\r\nContent-Type: multipart/mixed; boundary=b\(level - 1)\r\n\r\n\(body)\r\n"
    }
    let masked = Redactor(purpose: .recording)
      .maskedBody(body, mimeType: "multipart/mixed; boundary=b2999")
    #expect(!masked.contains("s3cret"))
    #expect(masked.hasPrefix("--b2999\r\nContent-Type: multipart/mixed"))
    #expect(masked.utf8.count >= body.utf8.count - 3)
  }
}
