import Foundation
import Networking
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingStubs
@testable import MockingTemplates

@Suite(.gated)
struct StubTemplateTests {
  @Test func aResponseIsRenderedFromTheRequest() async throws {
    let stubs = try StubFixture(
      #"""
      {"routes": [
        {"method": "GET", "path": "/users/{id}", "status": "{{ query.status | default(203) }}",
         "headers": {"X-User": "{{ path.id }}", "X-Fixed": "1", "X-Two": ["a", "{{ method }}"]},
         "json": {"id": "{{ path.id | int }}", "name": "user {{ path.id }}"}},
        {"method": "POST", "path": "/echo", "text": "{{ body.a }}-{{ body.b | default(\"none\") }}"},
        {"path": "/raw", "template": false, "json": {"a": "{{ x }}"}, "headers": {"X-A": "{{ y }}"}},
        {"path": "/page", "file": "page.html", "template": true},
        {"path": "/plain", "file": "page.html"},
        {"method": "POST", "path": "/orders", "status": 201,
         "let": {"id": "{{ counter(\"orders\", from: 100) }}", "token": "{{ randomHex(4) }}"},
         "headers": {"Location": "/orders/{{ id }}"}, "json": {"id": "{{ id }}", "again": "{{ id }}"}}
      ]}
      """#)
    try Data("<h1>{{ query.q }}</h1>".utf8).write(to: stubs.folder.url("page.html"))
    let transport = try stubs.transport()
    let user = await transport.get(.of("http://a/users/7"))
    #expect(user.head?.status == 203)
    #expect(user.head?.headers["X-User"] == "7" && user.head?.headers["X-Fixed"] == "1")
    #expect(user.head?.headers.values(for: "X-Two") == ["a", "GET"])
    #expect(user.head?.headers["Content-Type"] == "application/json")
    #expect(String(decoding: user.body, as: UTF8.self) == #"{"id":7,"name":"user 7"}"#)
    #expect(await transport.response("/users/x?status=404") == #"404 {"id":null,"name":"user x"}"#)
    #expect(
      await transport.response("/users/x?status=99")
        == "500 the handler failed: the status of the template is not a number from 200 to 599: 99\n"
    )
    #expect(await transport.response(.post, "/echo", body: #"{"a": [1]}"#) == "200 [1]-none")
    let raw = await transport.get(.of("http://a/raw"))
    #expect(String(decoding: raw.body, as: UTF8.self) == #"{"a":"{{ x }}"}"#)
    #expect(raw.head?.headers["X-A"] == "{{ y }}")
    #expect(await transport.response("/page?q=hi") == "200 <h1>hi</h1>")
    #expect(await transport.response("/plain") == "200 <h1>{{ query.q }}</h1>")
    for id in [100, 101] {
      let order = await transport.perform(.init(method: .post, url: .of("http://a/orders")))
      #expect(order.head?.status == 201)
      #expect(order.head?.headers["Location"] == "/orders/\(id)")
      #expect(String(decoding: order.body, as: UTF8.self) == #"{"id":\#(id),"again":\#(id)}"#)
    }
  }

  @Test func aProblemHasTheTitleOfItsStatus() async throws {
    let transport = try StubFixture(
      #"""
      {"routes": [
        {"path": "/login", "status": 401, "problem": "the password is wrong", "headers": {"X-A": "1"}},
        {"path": "/any/{id}", "status": "{{ path.id }}", "problem": "a \\{{ b"},
        {"path": "/rendered", "status": 404, "problem": "no '{{ query.name }}'"},
        {"path": "/plain", "status": 404, "problem": "no {{ query.name }}", "template": false},
        {"path": "/list", "sequence": [{"status": 503, "problem": "busy"}, {"text": "done"}]}
      ]}
      """#
    ).transport()
    let login = await transport.get(.of("http://a/login"))
    #expect(login.head?.status == 401 && login.head?.headers["X-A"] == "1")
    #expect(login.head?.headers["Content-Type"] == "application/problem+json")
    #expect(
      String(decoding: login.body, as: UTF8.self)
        == #"{"type":"about:blank","title":"Unauthorized","status":401,"detail":"the password is wrong"}"#
    )
    func problem(_ target: String) async throws -> JSON {
      let record = await transport.get(try #require(URL(string: "http://a\(target)")))
      let problem = try JSON(parsing: record.body)
      #expect(record.head?.headers["Content-Type"] == "application/problem+json")
      #expect(problem["status"].int == record.head?.status)
      return [problem["title"], problem["detail"]]
    }
    #expect(try await problem("/any/409") == ["Conflict", "a {{ b"])
    #expect(try await problem("/any/499") == ["Error", "a {{ b"])
    #expect(try await problem("/rendered?name=%22") == ["Not Found", "no '\"'"])
    #expect(try await problem("/plain") == ["Not Found", "no {{ query.name }}"])
    #expect(try await problem("/list") == ["Service Unavailable", "busy"])
    #expect(await transport.response("/list") == "200 done")
    let swift = MockTransport { Route(.get, "/", .problem(401, "the password is wrong")) }
    #expect(await swift.get(.of("http://a/")).body == login.body)
  }

  @Test func aValueOfARequestCannotAddAHeaderField() async throws {
    let stubs = try StubFixture(
      #"{"routes": [{"path": "/a", "headers": {"X-Echo": "{{ query.v }}"}, "text": "{{ query.v }}"}]}"#
    )
    let server = try MockServer(stubs: stubs.file)
    defer { server.stop() }
    let client = Networking<Request>()
    let response = try await client.request(
      .get("\(raw: server.url.absoluteString)/a?v=1%0D%0ASet-Cookie:%20a=b%00")
    ).value
    #expect(response.headers["X-Echo"] == "1Set-Cookie: a=b")
    #expect(response.headers["Set-Cookie"] == nil)
    #expect(response.data == Data("1\r\nSet-Cookie: a=b\u{0}".utf8))
  }

  @Test func eachBackendHasItsOwnCounters() async throws {
    let stubs = try StubFixture(#"{"routes": [{"path": "/a", "text": "{{ counter }}"}]}"#)
    let transports = [try stubs.transport(), try stubs.transport()]
    for transport in transports {
      #expect(await transport.response("/a") == "200 1")
      #expect(await transport.response("/a") == "200 2")
    }
  }

  @Test func delaysAndSequencesApplyToTemplates() async throws {
    let stubs = try StubFixture(
      #"""
      {"routes": [{"path": "/a/{id}", "delay": "2 s", "sequence": [
        {"text": "first {{ path.id }}"}, {"status": 404}, {"text": "{{ now }}", "delay": "3 s"}
      ]}]}
      """#)
    let scheduler = TestScheduler()
    let transport = try stubs.transport(scheduler)
    var bodies: [String] = []
    for _ in 0..<3 {
      let exchange = ExchangeRecorder(transport, HTTPRequest(url: .of("http://a/a/7")))
      await scheduler.run()
      bodies.append(String(decoding: exchange.current.body, as: UTF8.self))
    }
    #expect(bodies == ["first 7", "", "2025-01-01T00:00:04Z"])
    #expect(scheduler.elapsed == .seconds(7))
  }

  @Test func theSwiftFormsRenderTheSameValues() async throws {
    let scheduler = TestScheduler()
    let transport = MockTransport(
      routes: [
        Route(.get, "/json/{id}", .template(json: ["id": "{{ path.id | int }}"], status: 201)),
        Route(.get, "/text", .template(text: "{{ query.a | upper }}")),
        Route(
          .get, "/closure/{id}",
          .template { request, values in
            .text(
              "\(request.path["id"]) \(values.counter("a")) \(values.int(in: 3...3)) "
                + "\(values.now.timeIntervalSince1970) \(values.text(length: 2).count) "
                + "\(values.pick(["x"]) ?? "") \(values.double(in: 2...2))")
          }),
        Route(.get, "/wrong", .template(text: "{{ qurey }}")),
      ], scheduler: scheduler)
    #expect(await transport.response("/json/3") == #"201 {"id":3}"#)
    #expect(await transport.response("/text?a=b") == "200 B")
    #expect(await transport.response("/closure/9") == "200 9 1 3 1735689600.0 2 x 2.0")
    let failure = await transport.perform(HTTPRequest(url: .of("http://a/wrong"))).failure
    #expect(failure?.detail == "the template is malformed: unknown name \"qurey\" at byte 4")
  }

  private static let mistakes: [(text: String, message: String)] = [
    (
      "{\"routes\": [\n  {\"path\": \"/a\", \"json\": {\"ä\": [\"\\u00fc\\n {{ qurey.a }}\"]}}\n]}",
      "2:46: routes[0].json[\"ä\"][0]: unknown name \"qurey\"; did you mean \"query\"?"
    ),
    (
      "{\"routes\": [{\"path\": \"/a/{id}\", \"text\": \"{{ path.idd }}\"}]}",
      "1:50: routes[0].text: unknown path variable \"idd\"; did you mean \"id\"?"
    ),
    (
      "{\"routes\": [{\"path\": \"/a/**\", \"text\": \"{{ path.rest }}\"}]}",
      "1:48: routes[0].text: unknown path variable \"rest\"; write {rest*} in place of ** in the path"
    ),
    (
      "{\"routes\": [{\"path\": \"/a\", \"text\": \"{{ path.id }}\"}]}",
      "1:45: routes[0].text: unknown path variable \"id\"; there are none"
    ),
    (
      "{\"routes\": [{\"path\": \"/a\", \"headers\": {\"X\": \"{{ body | uper }}\"}}]}",
      "1:56: routes[0].headers.X: unknown filter \"uper\"; did you mean \"upper\"?"
    ),
    (
      "{\"routes\": [{\"path\": \"/a\", \"json\": {\"$each\": \"x in bdy\", \"$item\": 1}}]}",
      "1:52: routes[0].json.$each: unknown name \"bdy\"; did you mean \"body\"?"
    ),
    (
      "{\"routes\": [{\"path\": \"/a\", \"let\": {\"body\": \"1\"}}]}",
      "1:36: routes[0].let.body: the name \"body\" is already in use; choose another one"
    ),
    (
      "{\"routes\": [{\"path\": \"/a\", \"let\": {\"a\": \"{{ b }}\", \"b\": [\"{{ a }}\"]}}]}",
      "1:41: routes[0].let.a: the values of \"let\" use each other in a circle: \"a\", \"b\""
    ),
    (
      "{\"routes\": [{\"path\": \"/a\", \"let\": {\"a\": \"{{ bdy }}\"}}]}",
      "1:45: routes[0].let.a: unknown name \"bdy\"; did you mean \"body\"?"
    ),
    (
      "{\"routes\": [{\"path\": \"/a\", \"problem\": \"x\"}]}",
      "1:28: routes[0].problem: \"problem\" requires \"status\", such as 404"
    ),
    (
      "{\"routes\": [{\"path\": \"/a\", \"problem\": \"x\", \"status\": 200}]}",
      "1:54: routes[0].status: expected a status from 400 to 599, found 200"
    ),
    (
      "{\"routes\": [{\"path\": \"/a\", \"template\": 1}]}",
      "1:40: routes[0].template: expected true or false, found 1"
    ),
    (
      "{\"routes\": [{\"path\": \"/a\", \"status\": \"2{{ 1 }}\"}]}",
      "1:38: routes[0].status: expected a status, such as 201 or "
        + "\"{{ query.status | default(200) }}\", found \"2{{ 1 }}\"; for a condition, use two routes, "
        + "of which the first has \"when\""
    ),
    (
      "{\"routes\": [{\"path\": \"/a\", \"headers\": {\"X\": \"{{ uuid }}\"}, \"sequence\": [{}]}]}",
      "1:28: routes[0].headers: templates in \"headers\" belong in the responses of the sequence"
    ),
    (
      "{\"routes\": [{\"path\": \"/a\", \"webhook\": {\"url\": \"http://127.0.0.1/\", \"jsn\": 1}}]}",
      "1:68: routes[0].webhook.jsn: unknown key \"jsn\"; did you mean \"json\"?"
    ),
    (
      "{\"routes\": [{\"path\": \"/a\", \"webhook\": {\"url\": \"http://b.example/\"}}]}",
      "1:47: routes[0].webhook.url: the host b.example is not allowed; by default, webhooks are "
        + "sent to this machine only; \"allow\" lists further hosts, or is \"any\""
    ),
  ]

  @Test(arguments: mistakes)
  func anErrorIsReportedWithItsPosition(text: String, message: String) throws {
    let stubs = try StubFixture(text)
    let error = #expect(throws: StubFileError.self) { try StubFile(contentsOf: stubs.file) }
    #expect(try #require(error).description == "\(stubs.file.path):\(message)")
  }

  @Test func anErrorInAFileHasItsPositionInTheFile() throws {
    let stubs = try StubFixture(
      "{\"routes\": [{\"path\": \"/\", \"file\": \"a.txt\", \"template\": true}]}")
    try Data("one\n  {{ bdoy }}".utf8).write(to: stubs.folder.url("a.txt"))
    let error = #expect(throws: StubFileError.self) { try StubFile(contentsOf: stubs.file) }
    #expect(
      try #require(error).description
        == "\(stubs.file.path):1:35: routes[0].file: a.txt:2:6: unknown name \"bdoy\"; "
        + "did you mean \"body\"?")
  }
}
