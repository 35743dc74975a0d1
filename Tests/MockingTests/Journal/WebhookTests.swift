import CatenaSystem
import Foundation
import Networking
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingStubs

@Suite(.gated)
struct WebhookTests {
  /// Returns a transport whose webhooks go to another transport in memory.
  private func backend(
    _ routes: [Route], receiver: MockTransport, on scheduler: TestScheduler
  ) -> MockTransport {
    let transport = MockTransport(routes: routes, scheduler: scheduler)
    transport.webhooks.transport = receiver
    return transport
  }

  private func receiver(_ mock: Mock, on scheduler: TestScheduler) -> MockTransport {
    MockTransport(routes: [Route(nil, "/{path*}", mock)], scheduler: scheduler)
  }

  private func post(_ path: String, _ body: String = "", headers: HTTPHeaders = [:]) -> HTTPRequest
  {
    HTTPRequest(
      method: .post, url: URL(string: "http://a\(path)") ?? URL(filePath: "/"), headers: headers,
      body: .data(Data(body.utf8)))
  }

  @Test func aWebhookIsSentAfterTheResponseAndItsDelay() async throws {
    let scheduler = TestScheduler()
    let receiver = receiver(.status(204), on: scheduler)
    let transport = backend(
      [
        Route(
          .post, "/payments",
          .status(202).delayed(by: .seconds(1)).callingBack { request in
            try Webhook(
              to: request.json["callbackUrl"].string ?? "", headers: ["X-A": "b"],
              json: ["status": "paid"], after: .seconds(2))
          })
      ], receiver: receiver, on: scheduler)
    let exchange = ExchangeRecorder(
      transport, post("/payments", #"{"callbackUrl": "http://127.0.0.1:9/hook?token=s3cret"}"#))
    await scheduler.advance(by: .milliseconds(2_999))
    #expect(exchange.current.head?.status == 202)
    #expect(receiver.requestCount == 0)
    #expect(transport.webhooks.deliveries.map(\.outcome) == [.pending])
    await scheduler.advance(by: .milliseconds(1))
    let delivery = try await transport.webhooks.takeDelivery().value
    #expect(delivery.outcome == .delivered && delivery.attempts.map(\.status) == [204])
    #expect(delivery.attempts.map(\.time) == [.seconds(3)])
    #expect(delivery.url == "http://127.0.0.1:9/hook?token=***")
    #expect(delivery.cause == "POST /payments")
    let request = try #require(receiver.receivedRequests.first)
    #expect(request.method == .post && request.target == "/hook?token=s3cret")
    #expect(request.text == #"{"status":"paid"}"#)
    #expect(request.headers["Content-Type"] == "application/json")
    #expect(request.headers["X-A"] == "b" && request.headers["X-Mock-Webhook-Depth"] == "1")
  }

  @Test func aFailedWebhookIsRetriedWithDoubledDelays() async throws {
    let scheduler = TestScheduler()
    let receiver = receiver(
      .sequence(.status(503), .failure(.connectionLost), .status(500), .status(200)), on: scheduler)
    let transport = backend(
      [Route(.post, "/a", .status(200).callingBack(Webhook(to: "http://localhost/", retries: 3)))],
      receiver: receiver, on: scheduler)
    _ = await transport.perform(post("/a"))
    await scheduler.run()
    let delivery = try #require(transport.webhooks.deliveries.first)
    #expect(delivery.outcome == .delivered)
    #expect(delivery.attempts.map(\.status) == [503, nil, 500, 200])
    #expect(delivery.attempts.map(\.failure) == [nil, .connectionLost, nil, nil])
    #expect(delivery.attempts.map(\.time) == [.zero, .seconds(1), .seconds(3), .seconds(7)])
    #expect(
      "\(delivery)" == "POST http://localhost/: delivered after 503, connectionLost, 500, 200")
  }

  @Test func aWebhookWithoutSuccessFails() async throws {
    let scheduler = TestScheduler()
    for (mock, retries, count) in [
      (Mock.status(503), 2, 3), (.status(404), 2, 1), (.status(302), 2, 1),
    ] {
      let receiver = receiver(mock.header("Location", "http://evil.example/"), on: scheduler)
      let transport = backend(
        [
          Route(
            .post, "/a", .status(200).callingBack(Webhook(to: "http://[::1]/", retries: retries)))
        ], receiver: receiver, on: scheduler)
      _ = await transport.perform(post("/a"))
      await scheduler.run()
      #expect(transport.webhooks.deliveries.map(\.outcome) == [.failed])
      #expect(receiver.requestCount == count)
    }
  }

  @Test(arguments: [
    "http://example.com/", "http://127.0.0.1@example.com/", "http://user:p@127.0.0.1/",
    "http://127.1/", "http://0x7f.0.0.1/", "http://2130706433/", "http://127.0.0.01/",
    "http://127.0.0.1.example.com/", "http://0.0.0.0/", "http://10.0.0.1/", "http://[::2]/",
    "http://127.0.0.1\\@example.com/", "http://localhost.example.com/", "file:///etc/passwd",
    "ftp://127.0.0.1/", "//127.0.0.1/", "/relative", "", "http://127.0.0.1 .example.com/",
    "http://[::ffff:10.0.0.1]/", "http:///127.0.0.1",
  ])
  func aWebhookToAnotherHostIsRefused(url: String) async throws {
    let scheduler = TestScheduler()
    let receiver = receiver(.status(200), on: scheduler)
    let transport = backend(
      [Route(.post, "/a", .status(200).callingBack { Webhook(to: $0.json["u"].string ?? "") })],
      receiver: receiver, on: scheduler)
    let body = try JSON.dictionary(["u": .string(url)]).data()
    _ = await transport.perform(post("/a", String(decoding: body, as: UTF8.self)))
    await scheduler.run()
    guard case .refused = transport.webhooks.deliveries.first?.outcome else {
      Issue.record("\(transport.webhooks.deliveries)")
      return
    }
    #expect(receiver.requestCount == 0)
  }

  @Test func allowedHostsAreExact() {
    func problem(_ url: String, _ targets: Webhook.Targets) -> String? {
      var webhook = Webhook(to: url)
      webhook.targets = targets
      return webhook.problem
    }
    let hosts = Webhook.Targets.hosts(["Hooks.example.com"])
    for url in ["https://hooks.EXAMPLE.com:8443/a", "http://127.0.0.1:1/", "http://LOCALHOST/"] {
      #expect(problem(url, hosts) == nil, "\(url)")
    }
    #expect(problem("http://a.hooks.example.com/", hosts) != nil)
    #expect(problem("http://10.0.0.1/", .any) == nil)
    #expect(problem("http://u@10.0.0.1/", .any) != nil)
    #expect(problem("http://127.255.0.9/", .loopback) == nil)
  }

  @Test func aSignatureIsTheHMACOfTheBody() throws {
    // Source: RFC 4231 sections 4.2, 4.3 and 4.7; the value of GitHub is from its documentation.
    let cases: [(key: Data, text: Data, code: String)] = [
      (
        Data(repeating: 0x0B, count: 20), Data("Hi There".utf8),
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
      ),
      (
        Data("Jefe".utf8), Data("what do ya want for nothing?".utf8),
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
      ),
      (
        Data(repeating: 0xAA, count: 131),
        Data("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
      ),
      (
        Data(), Data(),
        "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"
      ),
    ]
    for (key, text, code) in cases {
      let value = try #require(Webhook.Signature.authenticationCode(for: text, key: key))
      #expect(value.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == code)
    }
    let fields = Webhook.Signature(secret: "It's a Secret to Everybody")
      .fields(for: Data("Hello, World!".utf8), at: Date(timeIntervalSince1970: 0))
    #expect(
      fields?.map { "\($0.name): \($0.value)" } == [
        "X-Hub-Signature-256: "
          + "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
      ])
  }

  @Test func aSignatureHasItsFormatAndTimestamp() throws {
    let signature = Webhook.Signature(
      secret: "whsec_1", header: "Stripe-Signature", format: "t={timestamp},v1={hex},b={base64}",
      payload: "{timestamp}.{body}", timestampHeader: "X-Time")
    let fields = try #require(
      signature.fields(for: Data("{body}{}".utf8), at: Date(timeIntervalSince1970: 12.9)))
    let code = try #require(
      Webhook.Signature.authenticationCode(
        for: Data("12.{body}{}".utf8), key: Data("whsec_1".utf8)))
    let digits = code.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    #expect(fields.map(\.name) == ["Stripe-Signature", "X-Time"])
    #expect(fields.map(\.value) == ["t=12,v1=\(digits),b=\(code.base64EncodedString())", "12"])
    #expect(!"\(signature)\(String(reflecting: signature))".contains("whsec_1"))
  }

  @Test func webhooksThatCauseEachOtherEnd() async throws {
    let scheduler = TestScheduler()
    let loop = MockTransport(
      routes: [Route(.post, "/a", .status(200).callingBack(Webhook(to: "http://localhost/a")))],
      scheduler: scheduler)
    loop.webhooks.transport = loop
    _ = await loop.perform(post("/a"))
    await scheduler.run()
    #expect(loop.requestCount == 9)
    #expect(
      loop.webhooks.deliveries.last?.outcome
        == .refused(reason: "webhooks cause each other in a loop"))
  }

  @Test func stoppingAServerCancelsItsWebhooks() async throws {
    let scheduler = TestScheduler()
    let server = try MockServer(
      routes: [
        Route(
          .post, "/a",
          .status(200).callingBack(Webhook(to: "http://127.0.0.1:1/", after: .seconds(5))))
      ], scheduler: scheduler)
    let client = Networking<Request>()
    client.baseURL = server.url
    _ = try await client.request(.post("a")).value
    let delivery = server.webhooks.takeDelivery()
    server.stop()
    await #expect(throws: MockServerError.stopped) { try await delivery.value }
    #expect(server.webhooks.deliveries.map(\.outcome) == [.cancelled])
    #expect(scheduler.scheduledCount == 0)
  }

  @Test func aServerSendsTheWebhookOfAStubFile() async throws {
    let receiver = try MockServer { Route(.post, "/hook/{id}", .status(200)) }
    defer { receiver.stop() }
    let stubs = try StubFixture(
      #"""
      {"routes": [{"method": "POST", "path": "/orders", "status": 201,
        "let": {"id": "{{ counter(\"orders\") }}"}, "json": {"id": "{{ id }}"},
        "webhook": [
          {"url": "{{ body.callbackUrl }}/{{ id }}", "if": "body.notify",
           "headers": {"X-Event": "order.{{ response.status }}"}, "secret": "s3cret",
           "json": {"order": "{{ response.body.id }}", "again": "{{ id }}", "by": "{{ body.by }}"}},
          {"url": "{{ body.callbackUrl }}/never", "if": "{{ not body.notify }}", "text": "x"}
        ]}]}
      """#)
    let server = try MockServer(stubs: stubs.file)
    defer { server.stop() }
    let client = Networking<Request>()
    client.baseURL = server.url
    _ = try await client.request(
      .post(
        "orders",
        parameters: [
          "callbackUrl": .string("\(receiver.url)/hook"), "notify": true, "by": "Ada",
        ])
    ).value
    #expect(try await server.webhooks.takeDelivery().value.outcome == .delivered)
    let request = try await receiver.takeRequest().value
    #expect(request.path["id"] == "1")
    #expect(request.text == #"{"again":1,"by":"Ada","order":1}"#)
    #expect(request.headers["X-Event"] == "order.201")
    let code = try #require(
      Webhook.Signature.authenticationCode(for: request.body, key: Data("s3cret".utf8)))
    let digits = code.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    #expect(request.headers["X-Hub-Signature-256"] == "sha256=\(digits)")
    #expect(server.webhooks.deliveries.count == 1)
  }

  @Test func theRecordsOfDeliveriesAreBounded() async throws {
    var journal = WebhookJournal()
    let first = journal.add(Webhook(to: "http://localhost/"), cause: "GET /")
    for _ in 0..<10_000 {
      let number = journal.add(Webhook(to: "http://localhost/"), cause: "GET /")
      _ = journal.finish(number, .delivered)
    }
    #expect(journal.deliveries.count <= WebhookJournal.limit * 4)
    #expect(journal.deliveries.last?.number == 10_000)
    #expect(journal.deliveries.first?.number == first)
    _ = journal.finish(first, .failed)
    #expect(journal.deliveries.first?.outcome == .failed && journal.pendingCount == 0)
  }
}
