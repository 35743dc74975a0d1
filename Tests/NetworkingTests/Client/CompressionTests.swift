import Foundation
import Mocking
import Networking
import NetworkingInterceptors
import Promises
import TestGate
import TestSupport
import Testing

/// Requests with compressed bodies.
@Suite(.gated)
struct CompressionTests {
  private func client(
    _ transport: any Transport, _ configure: (inout NetworkingConfiguration) -> Void = { _ in }
  ) -> Networking<Request> {
    var configuration = NetworkingConfiguration.plain
    configure(&configuration)
    let client = Networking<Request>(transport: transport, configuration: configuration)
    client.baseURL = .of("https://a.example/")
    client.callbackContext = .inline
    return client
  }

  private let rows: Parameters = ["rows": .array((0..<500).map { ["id": .int($0)] })]

  @Test func bodiesOfAllKindsArriveInTheCoding() async throws {
    let folder = TemporaryFolder()
    let text = String(repeating: "line\n", count: 50_000)
    try Data(text.utf8).write(to: folder.url("log"))
    let file = folder.url("log")
    let stream = BodyStream {
      AsyncStream { continuation in
        continuation.yield(Data(text.utf8))
        continuation.finish()
      }
    }
    var form = MultipartFormData()
    form.append(file: file, name: "log")
    let requests: [Request] = [
      .post("text", parameters: .string(text), contentType: .custom("text/plain")),
      .upload(data: Data(text.utf8), to: "text"), .upload(file: file, to: "text"),
      .upload(stream: stream, to: "text"), .upload(multipart: form, to: "form"),
    ]
    let transport = MockTransport { Route(.post, "/{path*}") { _ in .status(204) } }
    let client = client(transport)
    for request in requests {
      #expect(try await client.request(request, .compression(.gzip)).value.status == 204)
    }
    let received = transport.journal.entries.map(\.request)
    #expect(received.count == 5)
    for request in received {
      #expect(request.headers.values(for: "Content-Encoding") == ["gzip"])
      #expect(request.body.starts(with: [0x1F, 0x8B]) && request.body.count < 5_000)
      #expect(request.target == "/form" || request.text == text)
    }
    #expect(received.last?.parts.first?.text == text)
  }

  @Test func aBodyInMemoryHasALengthAndOneOfAFileHasNot() async throws {
    let folder = TemporaryFolder()
    try Data.pattern(1_000).write(to: folder.url("file"))
    let transport = FakeTransport { _ in .response(200) }
    let client = client(transport)
    _ = try await client.request(.post("a", parameters: rows, .compression(.gzip))).value
    _ = try await client.request(.upload(file: folder.url("file"), to: "a", .compression(.gzip)))
      .value
    let lengths = transport.requests.map(\.body.byteCount)
    #expect(try #require(lengths[0]) < 3_000)
    #expect(lengths[1] == nil)
    #expect(transport.requests[0].headers["Content-Type"] == "application/json")
  }

  @Test func requestsWithoutContentAreNotChanged() async throws {
    let transport = FakeTransport { _ in .response(200) }
    let client = client(transport)
    let requests: [Request] = [
      .get("a", parameters: ["b": 1]), .post("a"), .upload(data: Data(), to: "a"),
    ]
    for request in requests {
      _ = try await client.request(request, .compression(.gzip)).value
      _ = try await client.request(request).value
    }
    for pair in 0..<3 {
      #expect(transport.requests[2 * pair] == transport.requests[2 * pair + 1])
    }
    _ = try await client.request(
      .post("a", parameters: rows, .compression(.gzip), .compression(nil))
    )
    .value
    #expect(transport.requests.last?.headers.contains("Content-Encoding") == false)
  }

  @Test func codingsOfTheCallerAreListedFirst() async throws {
    let transport = FakeTransport { _ in .response(200) }
    _ = try await client(transport).request(
      .upload(data: Data([1]), to: "a", headers: ["Content-Encoding": "br"], .compression(.gzip))
    ).value
    #expect(transport.requests.last?.headers.values(for: "Content-Encoding") == ["br, gzip"])
  }

  @Test func interceptorsReceiveTheOriginalBodyAndHopInterceptorsTheCompressedOne() async throws {
    let transport = FakeTransport { _ in .response(200) }
    let client = client(transport)
    let bodies = Log<HTTPBody>()
    let adapter = RequestAdapter { request in
      bodies.append(request.body)
      return request
    }
    client.interceptors.append(adapter)
    client.interceptors.append(adapter, at: .hop)
    let data = Data.pattern(10_000)
    _ = try await client.request(.upload(data: data, to: "a", .compression(.gzip))).value
    #expect(bodies.entries.count == 2)
    #expect(bodies.entries.first == .data(data))
    #expect(bodies.entries.last == transport.requests.last?.body)
    #expect(bodies.entries.last != .data(data))
  }

  @Test func retriesAndRedirectsSendTheSameCompressedBody() async throws {
    let count = Counter()
    let transport = FakeTransport { _ in
      count.add()
      switch count.value {
      case 1: return .response(503)
      case 2: return .response(307, ["Location": "/b"])
      case 3: return .response(303, ["Location": "/c"])
      default: return .response(200)
      }
    }
    let client = client(transport) { $0.retry = .immediate(limit: 1) }
    let response = try await client.request(
      .put("a", parameters: rows, .compression(.gzip, fallsBack: true))
    ).value
    #expect(response.status == 200)
    let requests = transport.requests
    #expect(requests.map(\.url.path) == ["/a", "/a", "/b", "/c"])
    #expect(Set(requests.prefix(3).map(\.body)).count == 1)
    #expect(requests.prefix(3).allSatisfy { $0.headers["Content-Encoding"] == "gzip" })
    // The redirect by 303 has removed the body.
    #expect(requests[3].body == .none && !requests[3].headers.contains("Content-Encoding"))
  }

  @Test(arguments: [false, true])
  func aServerWithoutTheCodingReceivesThePlainBodyOnceIfAskedFor(_ fallsBack: Bool) async throws {
    // The server rejects the plain body, too.
    let transport = FakeTransport { _ in .response(415) }
    let client = client(transport)
    let request = Request.post("a", parameters: rows)
    let response = try await client.request(request, .compression(.gzip, fallsBack: fallsBack))
      .value
    #expect(response.status == 415)
    #expect(transport.requests.count == (fallsBack ? 2 : 1))
    #expect(transport.requests[0].headers["Content-Encoding"] == "gzip")
    guard fallsBack else { return }
    #expect(!transport.requests[1].headers.contains("Content-Encoding"))
    _ = try await client.request(request).value
    #expect(transport.requests[1].body == transport.requests[2].body)
  }

  @Test func theFallbackIsAnAttemptWithTheSameIdempotencyKey() async throws {
    let transport = FakeTransport { request in
      .response(request.headers.contains("Content-Encoding") ? 415 : 201)
    }
    let client = client(transport) {
      $0.retry = .immediate(limit: 1).withIdempotencyKey()
    }
    let response = try await client.request(
      .post("a", parameters: rows, .compression(.gzip, fallsBack: true))
    ).value
    #expect(response.status == 201)
    #expect(response.attempts.map(\.number) == [1, 2])
    let keys = transport.requests.compactMap { $0.headers["Idempotency-Key"] }
    #expect(keys.count == 2 && Set(keys).count == 1)
  }

  @Test func aStreamThatCanBeSentOnceKeepsTheFirstResponse() async throws {
    let transport = FakeTransport { _ in .response(415) }
    let once = AsyncStream<Data> { continuation in
      continuation.yield(Data("a".utf8))
      continuation.finish()
    }
    let response = try await client(transport).request(
      .upload(stream: BodyStream(once: once), to: "a", .compression(.gzip, fallsBack: true))
    ).value
    #expect(response.status == 415)
    #expect(transport.requests.count == 1)
  }

  @Test func theCompressionTakesNoVirtualTime() async throws {
    let scheduler = TestScheduler()
    let transport = MockTransport(scheduler: scheduler) {
      Route(.post, "/a") { request in .json(request.json) }
    }
    let client = client(transport) { $0.scheduler = scheduler }
    let response = client.request(.post("a", parameters: rows, .compression(.gzip)))
    await scheduler.run()
    #expect(try await response.toJson().value["rows"].array?.count == 500)
    #expect(scheduler.now == .zero)
  }

  @Test func aSocketReceivesChunksOfAFileAndTheLengthOfMemory() async throws {
    let folder = TemporaryFolder()
    let data = Data.pattern(2_000_000)
    try data.write(to: folder.url("file"))
    let server = try MockServer { Route(.post, "/a") { _ in .status(204) } }
    let client = client(PlatformTransport.make())
    client.baseURL = server.url
    _ = try await client.request(.upload(file: folder.url("file"), to: "a", .compression(.gzip)))
      .validate().value
    _ = try await client.request(.upload(data: data, to: "a", .compression(.gzip))).validate().value
    let requests = server.receivedRequests
    #expect(requests.count == 2)
    #expect(requests.allSatisfy { $0.decodedBody == data && $0.body.count < data.count })
    // URLSessionTransport sends a copy of the stream, whose length is known.
    #if os(Linux)
      #expect(requests[0].headers["Transfer-Encoding"] == "chunked")
    #endif
    #expect(requests[1].headers["Content-Length"] == "\(requests[1].body.count)")
  }
}
