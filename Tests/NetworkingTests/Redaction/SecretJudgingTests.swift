import Foundation
import TestGate
import TestSupport
import Testing

@testable import Networking

/// The values that are secret because of their name, their form, or an element over several lines, and
/// their ends.
@Suite(.gated)
struct SecretJudgingTests {
  @Test(arguments: [
    ("/reset-password/4f2c81d9e07b", "/reset-password/***"),
    ("https://a.test/token/4f2c81d9e07b/c?d=e", "https://a.test/token/***/c?d=e"),
    ("/password/reset", "/password/reset"), ("/session/7/close", "/session/7/close"),
    ("https://token.a.test/board2go7x/c", "https://token.a.test/board2go7x/c"),
    ("/boards/4f2c81d9e07b", "/boards/4f2c81d9e07b"),
    ("/token?a=4f2c81d9e07b", "/token?a=4f2c81d9e07b"),
    ("/token//", "/token//"), ("/token/aBcDeFgHiJkLmNoP", "/token/***"),
    ("/token/aBcDeFgHiJkLmNo", "/token/aBcDeFgHiJkLmNo"),
    ("/token/123456789012345678901234", "/token/***"),
    ("/token/12345678901234567890123", "/token/12345678901234567890123"),
  ])
  func aRandomSegmentAfterTheNameOfASecretIsMaskedInARecording(_ url: String, _ expected: String) {
    #expect(Redactor(purpose: .recording).maskedURL(url) == expected)
  }

  @Test(arguments: [
    "1234", " 1234 ", "1234\u{A0}", " 1234\u{A0}", "\u{3000}1234\u{2028}\n", "%201234%C2%A0",
    "\u{0B}1234\u{0C}",
  ])
  func whiteSpaceAroundASecretNumberIsIgnored(_ value: String) {
    let redactor = Redactor.standard
    #expect(redactor.isSecret(name: "pin", value: value))
    #expect(redactor.isSecret(name: "session_id", value: value) == false)
    #expect(!redactor.isSecret(name: "pin", value: "1 " + value + " a"))
    #expect(!redactor.isSecret(name: "pin", value: value.replacing("1234", with: "")))
  }

  @Test func aNameOfAClientOfAnyLengthIsSecretHoweverItIsWritten() {
    let long = String(repeating: "ab", count: 40)
    let redactor = Redactor(
      names: SecretNames(including: ["q", "Kontonúmmer", long], excluding: ["pin"]))
    let secret = [
      "q", "-Q-", "%71", "kontonummer", "Konto_Nummer", "KONTON%C3%9AMMER", long, "\(long)-",
    ]
    #expect(secret.filter { !redactor.isSecret(name: $0, value: "1") } == [])
    let others = ["qq", "konto", "\(long)a", "p.i.n", "%70in", ""]
    #expect(others.filter { redactor.isSecret(name: $0, value: "1234") } == [])
  }

  @Test func onlyAWholeMaskIsAlreadyMasked() {
    let redactor = Redactor(purpose: .recording)
    #expect(redactor.isSecret(name: "key", value: "***-3f2a9c"))
    #expect(!redactor.isSecret(name: "key", value: "***-3f2a9c "))
    #expect(redactor.maskedForm("key=***-3f2a9c%20&a=b") == "key=***-3f2a9c%20&a=b")
  }

  @Test(arguments: [
    (
      "<input\n name=\"password\"\n value=\"s3\ncret\">\nb",
      "<input\n name=\"password\"\n value=\"***\">\nb"
    ),
    (
      "<key>password</key>\n<string>s3cret</string>\n<c>d</c>",
      "<key>password</key>\n<string>***</string>\n<c>d</c>"
    ),
    ("<password>\n s3\n cret\n</password>", "<password>\n ***\n</password>"),
    ("<password><![CDATA[s3\ncret]]></password>", "<password>***</password>"),
    (
      "<f name='token'>\n<value>\ns3cret\n</value>\n</f>",
      "<f name='token'>\n<value>\n***\n</value>\n</f>"
    ),
    (
      "{\n \"name\": \"token\",\n \"value\": \"s3cret\"",
      "{\n \"name\": \"token\",\n \"value\": \"***\""
    ),
    (
      "<input name=\"token\" value=\"s3cret\"> a <INPUT name='pwd'>\nb",
      "<input name=\"token\" value=\"***\"> a <INPUT name='pwd'>\nb"
    ),
    // Names whose element has another meaning, or no end.
    ("<token>\nx\ny", "<token>\nx\ny"), ("<token/>\nx\n</token>", "<token/>\nx\n</token>"),
    (
      "<key>token</key>\n<a>b</a>\n<string>c</string>",
      "<key>token</key>\n<a>b</a>\n<string>c</string>"
    ),
    ("<a>b</a>\nname=pwd\n<b value=1>", "<a>b</a>\nname=pwd\n<b value=1>"),
  ])
  func valuesOverLinesAreMaskedInARecording(_ text: String, _ expected: String) {
    #expect(Redactor(purpose: .recording).maskedContent(text) == expected)
    let whole = Redactor.standard.maskedText(text)
    if expected != text { #expect(whole == expected) }
  }

  @Test(arguments: [
    ("user_session", "x9y8z7w6v5", true), ("basicAuth", "a1b2c3d4e5f6", true),
    ("stream_key", "live_7fXkQ2p9ZbL4", true), ("stream_key", "live", false),
    ("primary_key", "4f2c81d9e07b", false), ("publicKey", "4f2c81d9e07b", false),
    ("signature_algorithm", "SHA256withRSA", false), ("token_symbol", "ETH", false),
    ("csrf", "off", false), ("csrf", "trout", true), ("api_key_prefix", "live", false),
    ("authorization", "trout", true), ("code", "482913", true), ("code", "48291", false),
    ("code", "4829137", false), ("error_code", "482913", false),
    ("password", " off\n", false), ("password", "offer", true), ("pin", " 1234\n", true),
    ("iban", "DE00 1234 5678 9012 34", true), ("iban", "unknown", false),
    ("key", "%2534f2c81d9e07b", true), ("token_type", "Zx81Qw9LmN4tRv7bKp2sYd6h", true),
  ])
  func valuesAreJudgedByNameAndForm(_ name: String, _ value: String, _ isSecret: Bool) {
    #expect(Redactor.standard.isSecret(name: name, value: value) == isSecret)
  }

  @Test(arguments: [
    ("xoxb-123456789012-1234567890123-AbCdEfGhIjKlMnOpQrStUvWx", true),
    ("dp.pt.AbCdEfGhIjKlMnOpQrStUvWx0", true), ("xoxb-configuration-of-2", false),
    ("sk-internationalization-2", false), ("npm_config_registry_for_users_1", false),
  ])
  func tokensWithAWellKnownPrefixAreMasked(_ token: String, _ isSecret: Bool) {
    let expected = isSecret ? "a (***), b" : "a (\(token)), b"
    #expect(Redactor.standard.maskedText("a (\(token)), b") == expected)
  }

  /// A quotation mark after a value without marks closes a string around it.
  @Test(arguments: [
    (#"[{cookie:token","value":"y"}]"#, #"[{cookie:***","value":"y"}]"#),
    (#"[{cookie:a=1; b=2","value":"y"}]"#, #"[{cookie:***","value":"y"}]"#),
    (#"{authorization:token","value":"y"}"#, #"{authorization:***","value":"y"}"#),
    (#"{password:token","value":"y"}"#, #"{password:***","value":"y"}"#),
    (#"{set-cookie=token","password":"s3cret"}"#, #"{set-cookie=***","password":"***"}"#),
    // The equals sign is the padding of base64, or the value is empty.
    (#"{"a":"Authorization: czNjcmV0eQ=","b":"y"}"#, #"{"a":"Authorization: ***","b":"y"}"#),
    (
      #"-H "Authorization: Basic czNjcmV0eQ==" -H "Accept: a""#,
      #"-H "Authorization: ***" -H "Accept: a""#
    ),
    (#"{"a":"Cookie: a=s3cret; b=", "c":"y"}"#, #"{"a":"Cookie: ***", "c":"y"}"#),
    (#"{"a":"Cookie: a=""#, #"{"a":"Cookie: ***""#),
    (#""{\"h\":\"cookie: a=1\",\"b\":2}"; x=5"#, #""{\"h\":\"cookie: ***\",\"b\":2}"; x=5"#),
  ])
  func aMarkThatClosesAStringEndsTheValueInIt(_ text: String, _ expected: String) {
    expectMaskedOnce(text, expected)
  }

  /// A part in quotation marks belongs to the value, also if it is escaped or cut.
  @Test(arguments: [
    (#"cookie: a="s3cret"; b="s3cret", c"#, "cookie: ***, c"),
    (#"cookie: a="s3cret"s3cret; b=s3cret"#, "cookie: ***"),
    (#"cookie: a="s3cret"b="s3cret"c="s3cret" d"#, "cookie: *** d"),
    (#"cookie: a=s3cret"s3cret"; b=s3cret"#, "cookie: ***"),
    (#""cookie: a=\"s3cret\"; b=s3cret","c""#, #""cookie: ***","c""#),
    (#"cookie: a="s3cret"#, "cookie: ***"),
    (#"cookie: a="s3cret; b=s3cret"#, "cookie: ***"),
    (#"password: token="s3cret" a"#, "password: *** a"),
    (#"cookie: sid=" s3cret""#, "cookie: ***"), (#"cookie: a=";s3cret"; b=1"#, "cookie: ***"),
    ("cookie: a=s3cret\"x y\"\nb", "cookie: ***\nb"),
    // A field without a value within the list.
    ("cookie: a : s3cret; b=s3cret : s3cret; c=s3cret, d", "cookie: ***, d"),
  ])
  func aPartInQuotationMarksBelongsToTheValue(_ text: String, _ expected: String) {
    expectMaskedOnce(text, expected)
  }

  /// The secrets of a recording have replacements of their own, which are not secret again.
  @Test(arguments: [
    ("/a?key=s3cret", "/a?key=***-3f2a9c"), ("/a?key=***-3f2a9c", "/a?key=***-3f2a9c"),
    ("/a?key=b,***-3f2a9c", "/a?key=b,***-3f2a9c"), ("/a?key=b,***-s3", "/a?key=b,***-s3"),
    ("/token/4f2c81d9e07b", "/token/***-3f2a9c"), ("/token/***-3f2a9c", "/token/***-3f2a9c"),
  ])
  func aReplacementOfARecordingIsNotReplacedAgain(_ url: String, _ expected: String) {
    struct Placeholders: SecretPlaceholders {
      func text(for secret: String) -> String { "***-3f2a9c" }
      func number(for secret: String) -> Int { 999_000_034 }
    }
    let log = Log<String>()
    let redactor = Redactor(
      purpose: .recording, placeholders: Placeholders(), onSecret: { log.append($0) })
    #expect(redactor.maskedURL(url) == expected)
    #expect(log.entries.isEmpty == (url == expected))
    #expect(
      redactor.maskedContent(#"{"pin": 1234, "a": "Bearer s3cret-12"}"#)
        == #"{"pin": 999000034, "a": "Bearer ***-3f2a9c"}"#)
  }

  private func expectMaskedOnce(_ text: String, _ expected: String) {
    for redactor in [Redactor.standard, Redactor(purpose: .recording)] {
      #expect(redactor.maskedContent(text) == expected)
      #expect(redactor.maskedContent(expected) == expected)
    }
  }
}
