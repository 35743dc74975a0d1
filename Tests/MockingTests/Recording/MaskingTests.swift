import Foundation
import Networking
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingRecordings

/// The masking of recordings, on the fields of ``MaskingTable``.
@Suite(.gated)
struct MaskingTests {
  private typealias Position = MaskingPosition

  private func entry(
    url: String = "https://a.test/", headers: [HAR.Field] = [], mimeType: String = "text/plain",
    body: String = ""
  ) -> HAR.Entry {
    Position.entry(url: url, headers: headers, mimeType: mimeType, body)
  }

  private func encoded(_ text: String) -> String { Position.encoded(text) }

  private func text(_ entry: HAR.Entry) -> String { Position.text(entry) }

  /// Returns a masked exchange, and checks that masking it again does not change it.
  private func masked(_ entry: HAR.Entry) -> HAR.Entry {
    let redactor = RecordingRedactor(Tape.Redaction())
    var masked = entry
    redactor.redact(&masked)
    var again = masked
    redactor.redact(&again)
    #expect(again == masked, "\(text(masked))")
    return masked
  }

  private func expectMasked(_ entry: HAR.Entry, _ value: String, _ position: Position? = nil) {
    let masked = masked(entry)
    #expect(
      Position.isMasked(masked, value), "\(position.map { "\($0)" } ?? ""): \(text(masked))")
  }

  /// A quarter of the positions: those of all fields together are all positions, many times.
  ///
  /// With the environment variable `MASKING_POSITIONS` it is all of them.
  private func positions(of field: MaskingTable.Field, isSecret: Bool) -> [Position] {
    let all = ProcessInfo.processInfo.environment["MASKING_POSITIONS"] != nil
    let start = (field.name + field.value).utf8.reduce(0) { $0 + Int($1) }
    return Position.allCases.enumerated()
      .filter { all || ($0.offset + start).isMultiple(of: 4) }.map(\.element)
      .filter { $0.accepts(field, isSecret: isSecret) }
  }

  private func expectMaskedInItsPositions(_ field: MaskingTable.Field) throws {
    for position in positions(of: field, isSecret: true) {
      expectMasked(try position.entry(field), field.value, position)
    }
  }

  @Test func theTablesAreLarge() {
    let secrets =
      MaskingTable.wordSecrets.count + MaskingTable.namedSecrets.count
      + MaskingTable.shapedSecrets.count
    #expect(MaskingTable.innocentFields.count >= 230)
    #expect(secrets >= 550)
    #expect(Position.allCases.count >= 36)
  }

  @Test(arguments: MaskingTable.innocentFields)
  func aFieldThatIsNoSecretIsKept(_ field: MaskingTable.Field) throws {
    for position in positions(of: field, isSecret: false) {
      let entry = try position.entry(field)
      #expect(text(masked(entry)) == text(entry), "\(position)")
    }
  }

  /// A bakery has cookies, too.
  @Test(
    arguments: [
      (#"{"ginger":0,"oatmeal":3}"#, false), ("[]", false), ("[1,2.5]", false), ("true", false),
      ("null", false), ("12", false), (#"[{"a":[true,3]}]"#, false), (#""chocolate chip""#, false),
      (#""sid=trout""#, true), (#"["theme=dark","sid=trout"]"#, true),
      (#"{"theme":3,"sid":"trout"}"#, true), (#"[{"name":"sid","value":"trout"}]"#, true),
      (#"[{"Name":"sid","Value":"trout"}]"#, true), (#""trout.9f3b1c7d2e8a""#, true),
      (#"{"remember":{"value":"trout"}}"#, true), (#"{"remember":["trout"]}"#, true),
      (#"[["remember","trout"]]"#, true), (#"[{"remember":"trout"}]"#, true),
      (#"{"a.com":{"/":{"remember":"trout"}}}"#, true), (#"["trout"]"#, true),
      (#"{"auth":{"value":"trout123456789"}}"#, true), (#"{"sid=trout":1}"#, true),
      (#""trout123456789""#, true), (#""theme; trout""#, true),
    ])
  func cookiesAreSecretIfTheyCanBeThoseOfHTTP(value: String, isSecret: Bool) throws {
    let text = #"{"cookies":\#(value),"secretSantaToken":"pike-1"}"#
    let masked = self.text(masked(entry(mimeType: "application/json", body: text)))
    #expect(masked.contains(#""cookies":\#(value)"#) != isSecret, "\(masked)")
    #expect(!masked.contains("pike-1"))
  }

  @Test(
    arguments: [
      ("application/json", #"{"cookies":{"sid":"trout"}"#),
      ("application/json", #"{"a":1,"cookies":["trout"],"b":"#),
      ("text/plain", #"got {"cookies": {"remember": {"value": "trout"}}} at 12:00"#),
      ("text/plain", #"{\"cookies\":{\"remember\":\"trout\"}}"#),
      ("text/xml", "<cookies><remember>trout</remember></cookies>"),
      ("text/xml", "<a><cookies><c><d>trout</d></c></cookies></a>"),
      ("text/xml", "<cookies><c><![CDATA[trout]]></c></cookies>"),
      ("text/xml", #"<field name="cookies"><v>trout</v></field>"#),
      ("application/x-www-form-urlencoded", "cookies[]=trout&a=b"),
      ("application/x-www-form-urlencoded", "cookies%5B%5D=trout&a=b"),
      ("application/x-www-form-urlencoded", "cookies=sid%3Dtrout&a=b"),
    ])
  func aTextWithinCookiesIsMasked(type: String, body: String) {
    expectMasked(entry(mimeType: type, body: body), "trout")
  }

  @Test func wordsAreNoCookies() throws {
    let field = MaskingTable.Field(name: "cookies", value: "oatmeal")
    for position in Position.allCases
    where position != .jsonArray && position.accepts(field, isSecret: false) {
      let entry = try position.entry(field)
      #expect(text(masked(entry)) == text(entry), "\(position)")
    }
  }

  @Test(arguments: MaskingTable.wordSecrets)
  func aWordIsMaskedBecauseOfItsName(_ field: MaskingTable.Field) throws {
    try expectMaskedInItsPositions(field)
  }

  @Test(arguments: MaskingTable.namedSecrets)
  func aSecretWithANameIsMasked(_ field: MaskingTable.Field) throws {
    try expectMaskedInItsPositions(field)
  }

  @Test(arguments: MaskingTable.shapedSecrets)
  func aSecretWithAFormIsMasked(_ value: String) throws {
    try expectMaskedInItsPositions(MaskingTable.Field(name: "note", value: value))
    expectMasked(entry(url: "https://a.test/b/\(encoded(value))/c"), value)
    expectMasked(entry(headers: [HAR.Field(name: "X-Text", value: "a \(value), b")]), value)
    expectMasked(entry(body: "paid with \(value). Thank you"), value)
    expectMasked(entry(mimeType: "application/json", body: #"[{"a":["\#(value)"]}]"#), value)
  }

  @Test func aPrivateKeyIsMaskedInEachEncoding() throws {
    let lines = ["-----BEGIN RSA PRIVATE", "KEY-----\nMIIEowIBAAKCAQEA7bq\nVJlqcz\n-----END RSA"]
    let key = lines.joined(separator: " ") + " PRIVATE KEY-----"
    let json = String(decoding: try JSONEncoder().encode(["note": key]), as: UTF8.self)
    for (type, body) in [
      ("text/plain", "a\n\(key)\nb"), ("application/json", json), ("text/plain", "x \(json)"),
      ("application/x-www-form-urlencoded", "a=\(encoded(key))&b=c"),
    ] {
      #expect(!text(masked(entry(mimeType: type, body: body))).contains("MIIEow"))
    }
    let kept = "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0\n-----END PUBLIC KEY-----"
    #expect(masked(entry(body: kept)).response.content.text == kept)
  }

  @Test func aCardNumberInJSONStaysANumberThatIsNoCardNumber() throws {
    let card = entry(mimeType: "application/json", body: "[4111111111111111,12]")
    let json = try JSON(parsing: Data((masked(card).response.content.text ?? "").utf8))
    guard case .int(let number) = json[0] else { return #expect(Bool(false), "\(json)") }
    #expect(RecordingPlaceholder.isPlaceholder(number) && number < Int(Int32.max))
    #expect(json[1] == 12)
  }

  // MARK: Identity

  @Test func equalSecretsHaveEqualPlaceholdersInEachWrapping() throws {
    let (token, password) = ("t4711-B4lsa/x+y=", "hunter-2-trout")
    let basic = Data("ann:\(password)".utf8).base64EncodedString()
    var login = entry(
      headers: [
        HAR.Field(name: "Authorization", value: "Bearer \(token)"),
        HAR.Field(name: "Cookie", value: "sid=\(token)"),
        HAR.Field(name: "X-Auth-Token", value: token),
        HAR.Field(name: "Proxy-Authorization", value: "Basic \(basic)"),
      ], mimeType: "application/json", body: #"{"token":"\#(token)","password":"\#(password)"}"#)
    login.request.url = "https://a.test/s/\(encoded(token))?access_token=\(encoded(token))"
    let masked = masked(login)
    let body = try JSON(parsing: Data((masked.response.content.text ?? "").utf8))
    let placeholder = try #require(body["token"].string)
    #expect(RecordingPlaceholder.isPlaceholder(placeholder))
    #expect(
      masked.request.headers.map(\.value) == [
        "Bearer \(placeholder)", "sid=\(placeholder)", placeholder,
        "Basic \(body["password"].string ?? "")",
      ])
    #expect(
      masked.request.url == "https://a.test/s/\(placeholder)?access_token=\(placeholder)")
    #expect(body["password"].string != placeholder)
  }

  @Test func numbersKeepTheirIdentityAndTheirType() throws {
    let body = #"[{"pin":1234},{"pin":1234},{"pin":4321},{"password":12.5},{"pin":null}]"#
    let masked = masked(entry(mimeType: "application/json", body: body))
    let json = try JSON(parsing: Data((masked.response.content.text ?? "").utf8))
    #expect(json[0]["pin"] == json[1]["pin"] && json[0]["pin"] != json[2]["pin"])
    #expect(json[4]["pin"] == .null)
    for index in 0..<4 {
      let value = json[index][index == 3 ? "password" : "pin"]
      guard case .int(let number) = value else { return #expect(Bool(false), "\(value)") }
      #expect(RecordingPlaceholder.isPlaceholder(number))
    }
  }

  /// Lines of JSON, and JSON that was cut, are masked as text.
  @Test(arguments: [
    ("application/x-ndjson", "{\"pin\":1234}\n{\"pin\":1234,\"a\":\"b\"}\n"),
    ("application/json", "{\"a\":{\"pin\" : 1234, \"b\":{\"name\":\"pin\",\"value\":1234},"),
    (
      "application/json",
      "{\"c\":{\"value\":1234,\"name\":\"pin\"},\n\"pin\":\n1234}, \"pin\": 1234"
    ),
  ])
  func aSecretNumberInTextIsMaskedByANumber(_ type: String, _ body: String) throws {
    let text = try #require(masked(entry(mimeType: type, body: body)).response.content.text)
    let numbers = text.matches(of: /999\d{6}/).compactMap { Int($0.0) }
    #expect(numbers.count == 2 && numbers[0] == numbers[1])
    #expect(numbers.allSatisfy { RecordingPlaceholder.isPlaceholder($0) })
    #expect(text.replacing("\(numbers[0])", with: "1234") == body)
    #expect(RecordingPlaceholder.matches(body, recorded: text))
  }

  @Test(arguments: [
    ("a+b/c=", ["a%2Bb%2Fc%3D", "a%252Bb%252Fc%253D", #"a+b\/c="#, "a&#43;b/c="]),
    ("a b", ["a%20b", "a+b", " a b\n"]),
    (#"say "hi""#, [#"say \"hi\""#, "say &quot;hi&quot;", "say+%22hi%22", #"say \u0022hi\u0022"#]),
    (
      "<&>'",
      ["&lt;&amp;&gt;&apos;", "%3C%26%3E%27", #"\u003c\u0026\u003E'"#, "&#x3c;&#38;&gt;&#39;"]
    ),
    ("a\nb", [#"a\nb"#, "a%0Ab", "a&#10;b"]), ("\u{1F41F}", [#"\ud83d\udc1f"#, "&#128031;"]),
    ("4111111111111111", ["4111 1111 1111 1111", "4111-1111-1111-1111", "4111+1111+1111+1111"]),
    ("DE89370400440532013000", ["DE89 3704 0044 0532 0130 00", "de89370400440532013000"]),
  ])
  func theEncodingsOfASecretHaveOnePlaceholder(_ secret: String, _ encodings: [String]) {
    let placeholders = RecordingPlaceholders()
    let placeholder = placeholders.text(for: secret)
    for encoding in encodings {
      #expect(placeholders.text(for: encoding) == placeholder, "\(encoding)")
    }
    #expect(placeholders.text(for: "\(secret)x") != placeholder)
  }

  @Test func aSecretHasOnePlaceholderInEachPlaceOfARecording() throws {
    let secret = #"p&"4<w'7+/x"#
    let field = MaskingTable.Field(name: "password", value: secret)
    let redactor = RecordingRedactor(Tape.Redaction())
    var placeholders: Set<Substring> = []
    // In lines of plain text, a quotation mark or `&` ends the value.
    for position in Position.allCases
    where position.accepts(field, isSecret: true) && position != .line && position != .quotedLine {
      var entry = try position.entry(field)
      redactor.redact(&entry)
      #expect(Position.isMasked(entry, secret), "\(position): \(text(entry))")
      placeholders.formUnion(text(entry).matches(of: /\*\*\*-[0-9a-f]+/).map(\.0))
    }
    #expect(placeholders.count == 1, "\(placeholders)")
  }

  @Test func aValueOfSeveralLinesIsMaskedToTheEndOfItsElement() {
    let kept = "<pre>\ntoken:\nx\n</pre>\n<password/>\n<token>\ny\n<b>z</b>\n"
    let body = "<a>\n<password>\n  s3\n  token: cret\n</password>\n\(kept)</a>"
    let masked = masked(entry(mimeType: "text/xml", body: body)).response.content.text ?? ""
    let parts = masked.split(separator: "<password>\n  ", maxSplits: 1)
    #expect(parts.count == 2 && parts[0] == "<a>\n")
    #expect(RecordingPlaceholder.generalized("\(parts[1])") == "***\n</password>\n\(kept)</a>")
  }

  @Test func aPlanNamedBasicIsNoCredential() {
    for text in ["Basic plan, 1 a month", "plan=Basic status=200", "the Bearer of news, Basic set"]
    {
      #expect(self.text(masked(entry(body: text))) == self.text(entry(body: text)))
    }
    for text in ["Basic dXNlcjpwYXNzd29yZA==", "authorization: trout", "Bearer a1b2c3"] {
      #expect(self.text(masked(entry(body: text))).contains("***-"))
    }
  }

  @Test func placeholdersOfTwoRecordingsDiffer() {
    let (one, other) = (RecordingPlaceholders(), RecordingPlaceholders())
    #expect(one.text(for: "1234") == one.text(for: "1234"))
    let pins = (0..<50).map { "\(1_000 + $0)" }
    #expect(pins.map(one.text) != pins.map(other.text))
  }

  @Test func secretsWithCollidingCodesHaveDifferentPlaceholders() {
    let placeholders = RecordingPlaceholders { secret, _ in
      Data([0xAB, 0xCD, 0xEF]) + secret + Data(repeating: 0, count: 8)
    }
    let texts = ["1", "2", "3"].map(placeholders.text)
    #expect(texts[0] == "***-abcdef" && Set(texts).count == 3)
    #expect(texts.allSatisfy { RecordingPlaceholder.isPlaceholder($0) })
    #expect(placeholders.text(for: "2") == texts[1])
    let numbers = (0..<500).map { placeholders.number(for: "\($0)") }
    #expect(Set(numbers).count == 500)
  }

  @Test func withoutAHashThePlaceholdersAreRandomButStable() {
    let placeholders = RecordingPlaceholders { _, _ in nil }
    let text = placeholders.text(for: "s3cret")
    #expect(RecordingPlaceholder.isPlaceholder(text) && placeholders.text(for: "s3cret") == text)
    #expect(placeholders.text(for: "other") != text)
  }

  @Test(arguments: [
    "***", "***-3f2a9c", "%2A%2A%2A-3f2a9c", "%2a%2a*-00112233", "***-3f2a9c*",
  ])
  func placeholdersAreRecognized(_ text: String) {
    #expect(RecordingPlaceholder.isPlaceholder(text))
    #expect(RecordingPlaceholder.matches("anything", recorded: text))
    #expect(!RecordingPlaceholder.matches("", recorded: text))
  }

  @Test(arguments: [
    "", "**", "****", "***x", "***-", "***-3f2a9", "***-3f2a9cg", "***-3F2A9C", "***-3f2a9c1",
    "a***-3f2a9c", "***-3f2a9c b",
  ])
  func otherTextsAreNotPlaceholders(_ text: String) {
    #expect(!RecordingPlaceholder.isPlaceholder(text))
  }

  @Test func aPlaceholderStandsForAnyTextInAMatch() {
    let recorded = "/s/***-3f2a9c/items/***-00aa11*x?a=b"
    #expect(RecordingPlaceholder.ranges(in: recorded).count == 2)
    #expect(RecordingPlaceholder.generalized(recorded) == "/s/***/items/***x?a=b")
    #expect(RecordingPlaceholder.matches("/s/t-4711/items/7x?a=b", recorded: recorded))
    #expect(!RecordingPlaceholder.matches("/s//items/7x?a=b", recorded: recorded))
    #expect(!RecordingPlaceholder.matches("/s/t/items/7x?a=c", recorded: recorded))
    #expect(!RecordingPlaceholder.matches("/s/t/items/x?a=b", recorded: recorded))
    #expect(RecordingPlaceholder.matches("/s", recorded: "/s"))
    #expect(!RecordingPlaceholder.matches("/st", recorded: "/s"))
  }

  @Test func aSecretBeforeALetterHasAPlaceholderWithAnEnd() {
    let token = "Zx81Qw9LmN4tRv7bKp2sYd6h"
    let masked = masked(
      entry(headers: [HAR.Field(name: "X-Api-Key", value: token)], body: "a\(token)def"))
    let placeholder = masked.request.headers[0].value
    #expect(masked.response.content.text == "a\(placeholder)*def")
  }

  // MARK: Rules

  @Test func aKeptNameIsNeverMaskedAndAMaskedNameAlways() throws {
    let rules = Tape.Redaction(masking: ["shelf"], keeping: ["session", "password"])
    let redactor = RecordingRedactor(rules)
    let token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOjF9.s3cr3ts1gn4tur3"
    var kept = entry(
      headers: [HAR.Field(name: "Session", value: token)], mimeType: "application/json",
      body: #"{"password":"hunter-2","session":"\#(token)","shelf":7}"#)
    redactor.redact(&kept)
    #expect(kept.request.headers[0].value == token)
    let json = try JSON(parsing: Data((kept.response.content.text ?? "").utf8))
    #expect(json["password"] == "hunter-2" && json["session"].string == token)
    #expect(json["shelf"] != 7)
  }

  @Test func arraysAndObjectsOfSecretsAreMasked() throws {
    let body =
      #"{"session":{"id":"9f86d081884c7d65","user":"ann"},"tokens":{"input":12,"access":"abc"},"#
      + #""keys":[1],"code":["a1b2c3d4","x"],"enabled":true,"password":{"a":[true,"x"]}}"#
    let masked = masked(entry(mimeType: "application/json", body: body)).response.content.text
    let json = try JSON(parsing: Data((masked ?? "").utf8))
    #expect(json["session"]["user"] == "ann" && json["enabled"] == true && json["keys"][0] == 1)
    #expect(json["password"]["a"][0] == true)
    for value in [
      json["session"]["id"], json["tokens"]["access"], json["code"][0], json["code"][1],
      json["password"]["a"][1],
    ] {
      #expect(RecordingPlaceholder.isPlaceholder(value.string ?? ""), "\(value)")
    }
  }

  @Test(arguments: ["key=", "code=a1", "-----BEGIN ", "sk-", "eyJ.", "eyJ-", "4111 ", "DE89 "])
  func aTextWithoutAnEndIsMaskedOnceOrKept(_ piece: String) {
    let text = String(repeating: piece, count: 3_000)
    let once = masked(entry(url: "https://a.test/?\(encoded(text))", body: text))
    #expect(once.response.content.text?.isEmpty == false)
  }
}
