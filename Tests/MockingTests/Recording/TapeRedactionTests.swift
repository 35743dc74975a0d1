import Foundation
import Mocking
import TestGate
import TestSupport
import Testing

@testable import MockingRecordings
@testable import Networking

@Suite(.gated)
struct TapeRedactionTests {
  private let folder = TemporaryFolder()

  /// Secrets with known names; most of them are not random enough to be detected otherwise.
  private enum Secret {
    static let bearer = "bearer-0001-fish"
    static let basicPassword = "basic-0002-trout"
    static let proxy = "proxy-0003-salmon"
    static let cookie = "cookie-0004-perch"
    static let setCookie = "setcookie-0005-pike"
    static let apiKeyHeader = "apikey-0006-carp"
    static let queryToken = "query/0007+bream="
    static let queryKey = "k3y0008e3l"
    static let userInfo = "user-0009-cod"
    static let formPassword = "form 0010 & ruffe"
    static let formSecret = "form-0011-tench"
    static let jsonPassword = #"json"0012\"roach"#
    static let jsonNested = "json-0013-dace"
    static let jsonInArray = "json-0014-chub"
    static let jsonURL = "json-0015-barbel"
    static let text = "text-0016-bleak"
    static let xml = "xml-0017-loach"
    static let location = "l0c4t10n0018gudgeon"
    static let fragment = "fragment-0019-minnow"
    static let multipart = "multipart-0020-zander"
    static let path = "pathed-0021-sturgeon"
    static let binary = "binary-0022-sterlet"

    static let all = [
      bearer, basicPassword, proxy, cookie, setCookie, apiKeyHeader, queryToken, queryKey, userInfo,
      formPassword, formSecret, jsonPassword, jsonNested, jsonInArray, jsonURL, text, xml, location,
      fragment, multipart, path, binary,
    ]
  }

  private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

  private func requests() throws -> [HTTPRequest] {
    let query = try #require(
      Secret.queryToken.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
    let form = try #require(
      Secret.formPassword.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
    let basic = Data("ann:\(Secret.basicPassword)".utf8).base64EncodedString()
    let json = try JSONEncoder().encode(["password": Secret.jsonPassword])
    func post(_ path: String, _ type: String, _ body: Data) throws -> HTTPRequest {
      HTTPRequest(
        method: .post, url: try url("https://a.test/\(path)"), headers: ["Content-Type": type],
        body: .data(body))
    }
    let multipart =
      "--b\r\nContent-Disposition: form-data; name=\"api_token\"\r\n\r\n\(Secret.multipart)\r\n"
      + "--b\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nFish\r\n--b--\r\n"
    return [
      HTTPRequest(
        url: try url(
          "https://ann:\(Secret.userInfo)@a.test/1?access_token=\(query)&key=\(Secret.queryKey)"),
        headers: [
          "Authorization": "Bearer \(Secret.bearer)",
          "Proxy-Authorization": "Basic \(Secret.proxy)",
          "Cookie": "theme=dark; sid=\(Secret.cookie)", "X-Api-Key": Secret.apiKeyHeader,
        ]),
      HTTPRequest(url: try url("https://a.test/2"), headers: ["Authorization": "Basic \(basic)"]),
      try post(
        "3", "application/x-www-form-urlencoded",
        Data("user=ann&password=\(form)&client_secret=\(Secret.formSecret)".utf8)),
      try post("4", "application/json", json),
      try post("5", "multipart/form-data; boundary=b", Data(multipart.utf8)),
      // The same secrets at locations without a secret name.
      HTTPRequest(url: try url("https://a.test/sessions/\(Secret.path)/close")),
      try post("6", "text/plain", Data("I am \(Secret.bearer), or \(query)".utf8)),
    ]
  }

  private func events(for request: HTTPRequest) -> [TransportEvent] {
    let json = """
      {"user":{"credentials":{"id":7,"value":"\(Secret.jsonNested)"},"refreshTokens":["\(Secret.jsonInArray)"]},\
      "next":"https://a.test/?token=\(Secret.jsonURL)","echo":"\(Secret.bearer)","sessionId":"\(Secret.path)"}
      """
    let text =
      "password: \(Secret.text)\n<apiKey>\(Secret.xml)</apiKey>\n\(Data(Secret.text.utf8).base64EncodedString())"
    return switch request.url.path {
    case "/1":
      .response(
        302,
        [
          "Set-Cookie":
            "sid=\(Secret.setCookie); Path=/; HttpOnly; Expires=Wed, 21 Oct 2026 07:28:00 GMT",
          "Location": "https://a.test/?code=\(Secret.location)#access_token=\(Secret.fragment)",
        ])
    case "/2": .response(200, ["Content-Type": "application/json"], json)
    case "/3": .response(200, ["Content-Type": "text/plain"], text)
    case "/4":
      [
        .head(HTTPResponseHead(status: 200, headers: ["X-Auth-Token": Secret.binary])),
        .body(Data("again \(Secret.binary)".utf8)), .end(TransportMetrics()),
      ]
    default: .response(200, [:], "ok")
    }
  }

  @Test func theFileContainsNoSecretInAnyForm() async throws {
    let network = FakeTransport { self.events(for: $0) }
    let tape = try Tape(folder.tape, over: network)
    for request in try requests() { #expect(await tape.perform(request).failure == nil) }
    #expect(tape.entries.count == 7)
    let draft = try Data(contentsOf: folder.url("tape.har.partial"))
    try tape.save()
    let file = try Data(contentsOf: folder.tape)
    for secret in Secret.all {
      let base64 = Data(secret.utf8).base64EncodedString()
      let encoded = secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
      let gentle = secret.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? ""
      let json = String(decoding: try JSONEncoder().encode(secret), as: UTF8.self).dropFirst()
        .dropLast()
      for form in [
        secret, base64, String(base64.prefix { $0 != "=" }), encoded, gentle, String(json),
      ] {
        #expect(file.range(of: Data(form.utf8)) == nil, "\(form)")
        #expect(draft.range(of: Data(form.utf8)) == nil, "\(form) in the draft")
      }
      // After a user name, the base64 of the secret is different, because its alignment is
      // different.
      let shifted = Data("ann:\(secret)".utf8).base64EncodedString()
      #expect(file.range(of: Data(shifted.utf8)) == nil)
    }
    let entries = try HAR(contentsOf: folder.tape).log.entries
    #expect(
      RecordingPlaceholder.generalized(entries[0].request.url)
        == "https://a.test/1?access_token=***&key=***")
    #expect(entries[0].request.cookies.map(\.name) == ["theme", "sid"])
    let cookie = try #require(entries[0].response.cookies.first)
    #expect(
      cookie.name == "sid" && RecordingPlaceholder.isPlaceholder(cookie.value)
        && cookie.path == "/" && cookie.httpOnly == true)
    #expect(cookie.expires == "2026-10-21T07:28:00.000Z")
    #expect(
      RecordingPlaceholder.generalized(entries[0].response.redirectURL)
        == "https://a.test/?code=***#access_token=***")
    #expect(
      RecordingPlaceholder.generalized(entries[5].request.url)
        == "https://a.test/sessions/***/close")
    let body = try JSON(parsing: Data((entries[1].response.content.text ?? "").utf8))
    guard case .int(let number) = body["user"]["credentials"]["id"] else {
      return #expect(Bool(false), "the number is a number")
    }
    #expect(RecordingPlaceholder.isPlaceholder(number))
    #expect(
      RecordingPlaceholder.isPlaceholder(body["user"]["refreshTokens"][0].string ?? ""))
    #expect(
      RecordingPlaceholder.generalized(body["next"].string ?? "") == "https://a.test/?token=***")
    // The session identifier of the answer is that of the later path.
    #expect(
      entries[5].request.url == "https://a.test/sessions/\(body["sessionId"].string ?? "")/close")
  }

  @Test func redactedRequestsMatchAtReplay() async throws {
    let options = Tape.Options(matching: [.method, .url, .header("Authorization"), .body])
    let tape = try Tape(folder.tape, over: FakeTransport { self.events(for: $0) }, options: options)
    let requests = try requests()
    for request in requests { _ = await tape.perform(request) }
    try tape.save()
    let replay = try Tape(replaying: folder.tape, options: options)
    for request in requests {
      // A replayed response gives the client a masked session identifier.
      var request = request
      if request.url.path.hasPrefix("/sessions") {
        request.url = try url("https://a.test/sessions/%2A%2A%2A/close")
      }
      let played = await replay.perform(request)
      #expect(played.failure == nil, "\(played.reason)")
    }
    #expect(replay.unplayed.isEmpty)
  }
}
