import Foundation
import Networking
import TestSupport
import Testing

@testable import Mocking

/// The masking of recordings, on the fields of ``MaskingTable``.
@Suite(.timeLimit(.minutes(10)))
struct MaskingTests {
  /// Returns an exchange with the texts in all parts of the request and the response.
  private func entry(
    url: String = "https://a.test/", headers: [HAR.Field] = [], mimeType: String = "text/plain",
    body: String = ""
  ) -> HAR.Entry {
    var request = HAR.Request(method: "POST", url: url, headers: headers)
    request.postData = HAR.PostData(mimeType: mimeType, text: body)
    return HAR.Entry(
      startedDateTime: "2026-01-01T00:00:00.000Z", request: request,
      response: HAR.Response(
        status: 200, headers: headers, content: HAR.Content(mimeType: mimeType, text: body)))
  }

  private func encoded(_ text: String) -> String { FormURLCoding.encode(text) }

  private func xml(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
  }

  private func isName(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-_.".utf8.contains($0) }
  }

  /// Returns exchanges with a named text, one for each position.
  private func entries(_ name: String, _ value: String) throws -> [HAR.Entry] {
    func json(_ value: some Encodable) throws -> String {
      String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
    }
    let part =
      "--b\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n--b--\r\n"
    let (form, html) = ("a=b&\(encoded(name))=\(encoded(value))&c=d", "text/html")
    var all = [
      entry(url: "https://a.test/b?\(form)"),
      entry(mimeType: "application/x-www-form-urlencoded", body: form),
      entry(mimeType: "application/json", body: try json([name: value])),
      entry(mimeType: "application/json", body: try json(["a": [[name: value]]])),
      entry(mimeType: "application/json", body: try json([["name": name, "value": value]])),
      entry(mimeType: "multipart/form-data; boundary=b", body: part),
      entry(mimeType: "text/plain", body: "a: b\n\(name): \(value)\nc: d\n"),
      entry(mimeType: html, body: "<input name=\"\(name)\" type=\"text\" value=\"\(xml(value))\">"),
      entry(mimeType: html, body: "<input value=\"\(xml(value))\" type=text name=\"\(name)\">"),
      entry(mimeType: html, body: "<param name=\"\(name)\">\(xml(value))</param>"),
    ]
    if isName(name) {
      all += [
        entry(headers: [HAR.Field(name: name, value: value)]),
        entry(mimeType: "text/xml", body: "<a><\(name)>\(xml(value))</\(name)></a>"),
        entry(mimeType: "text/xml", body: "<a \(name)=\"\(xml(value))\"/>"),
      ]
    }
    return all
  }

  /// Returns the masked texts of an exchange.
  private func text(_ entry: HAR.Entry) -> String {
    let fields = (entry.request.headers + entry.response.headers).map(\.value)
    return
      ([
        entry.request.url, entry.request.postData?.text ?? "", entry.response.content.text ?? "",
      ] + fields).joined(separator: "\n")
  }

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

  private func expectMasked(_ entry: HAR.Entry, _ value: String) {
    let text = text(masked(entry))
    // The digits of a placeholder may be those of a short secret by chance.
    let rest = RecordingPlaceholder.generalized(text)
    for form in [value, encoded(value), xml(value)] {
      #expect(!rest.contains(form), "\(text)")
    }
    #expect(text.contains("***-"), "\(text)")
  }

  @Test func theTablesAreLarge() {
    #expect(MaskingTable.innocentFields.count >= 95)
    #expect(MaskingTable.namedSecrets.count + MaskingTable.shapedSecrets.count >= 270)
  }

  @Test(arguments: MaskingTable.innocentFields)
  func aFieldThatIsNoSecretIsKeptInEachPosition(_ name: String, _ value: String) throws {
    let json = try JSON(parsing: Data("[\(value)]".utf8))[0]
    let member = entry(mimeType: "application/json", body: #"{"\#(name)":\#(value)}"#)
    #expect(masked(member).response.content.text == member.response.content.text)
    guard case .string(let text) = json, !text.isEmpty else { return }
    for entry in try entries(name, text) {
      let masked = masked(entry)
      #expect(masked.request.url == entry.request.url)
      #expect(masked.request.postData?.text == entry.request.postData?.text)
      #expect(masked.request.headers == entry.request.headers)
      #expect(masked.response.headers == entry.response.headers)
      #expect(masked.response.content.text == entry.response.content.text)
    }
  }

  @Test(arguments: MaskingTable.namedSecrets)
  func aSecretWithANameIsMaskedInEachPosition(_ name: String, _ value: String) throws {
    for entry in try entries(name, value) { expectMasked(entry, value) }
  }

  @Test(arguments: MaskingTable.shapedSecrets)
  func aSecretWithAFormIsMaskedInEachPosition(_ value: String) throws {
    for entry in try entries("note", value) { expectMasked(entry, value) }
    expectMasked(entry(url: "https://a.test/b/\(encoded(value))/c"), value)
    expectMasked(entry(url: "https://a.test/b?next=%2Fc%3Fd%3D\(encoded(value))%26e%3Df"), value)
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
    let text = String(repeating: piece, count: 20_000)
    let once = masked(entry(url: "https://a.test/?\(encoded(text))", body: text))
    #expect(once.response.content.text?.isEmpty == false)
  }
}
