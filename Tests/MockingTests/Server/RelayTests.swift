import CatenaSystem
import Foundation
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingRecordings

/// A transport whose exchanges a test controls.
private final class ManualTransport: Transport {
  let exchanges = Log<ManualExchange>()

  func start(
    _ request: HTTPRequest, _ receive: @escaping @Sendable (TransportEvent) -> Void
  ) -> any TransportHandle {
    let exchange = ManualExchange(request, receive)
    exchanges.append(exchange)
    return exchange
  }
}

private final class ManualExchange: TransportHandle {
  let request: HTTPRequest
  let send: @Sendable (TransportEvent) -> Void
  /// The calls of the methods of the handle, in order.
  let calls = Log<String>()

  init(_ request: HTTPRequest, _ receive: @escaping @Sendable (TransportEvent) -> Void) {
    self.request = request
    send = receive
  }

  func cancel() { calls.append("cancel") }
  func suspend() { calls.append("suspend") }
  func resume() { calls.append("resume") }
}

/// Tests of bodies that are forwarded while they are received.
@Suite(.gated)
struct RelayTests {
  private static let origin = URL.of("https://api.example.com")
  private let transport = ManualTransport()

  private func start() throws -> MockServer {
    let transport = transport
    return try MockServer { Route.forwarding(to: Self.origin, over: transport) }
  }

  private func head(_ status: Int = 200, _ headers: HTTPHeaders = [:]) -> TransportEvent {
    .head(HTTPResponseHead(status: status, headers: headers))
  }

  // MARK: Complete bodies

  @Test func aClientThatClosesAfterTheLastByteHasTheCompleteResponse() async throws {
    let served = Log<ServedExchange>()
    let server = try MockServer(
      routes: [.forwarding(to: Self.origin, over: transport)], onExchange: { served.append($0) })
    var client: RawClient? = try RawClient(port: server.port)
    try await client?.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
    let exchange = try #require(await transport.exchanges.entries(1).first)
    exchange.send(head(200, ["Content-Length": "5"]))
    exchange.send(.body(Data("hello".utf8)))
    _ = try await client?.receive(until: "hello")
    // The origin has not ended the exchange.
    #expect(await served.entries(1).map(\.ending) == [.complete])
    client = nil
    _ = try await server.stop(draining: .seconds(60)).value
    #expect(exchange.calls.entries == [])
  }

  @Test(arguments: ["HEAD", "GET"])
  func aResponseWithoutABodyIsNotCancelled(_ method: String) async throws {
    let server = try start()
    let client = try RawClient(port: server.port)
    try await client.send("\(method) /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    let exchange = try #require(await transport.exchanges.entries(1).first)
    exchange.send(
      head(method == "HEAD" ? 200 : 204, method == "HEAD" ? ["Content-Length": "5"] : [:]))
    _ = try await client.receive(until: "\r\n\r\n")
    _ = try await server.stop(draining: .seconds(60)).value
    #expect(exchange.calls.entries == [])
  }

  @Test func aClientThatClosesBeforeTheLastByteCancelsTheExchange() async throws {
    let server = try start()
    var client: RawClient? = try RawClient(port: server.port)
    try await client?.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
    let exchange = try #require(await transport.exchanges.entries(1).first)
    exchange.send(head(200, ["Content-Length": "5"]))
    exchange.send(.body(Data("hell".utf8)))
    _ = try await client?.receive(until: "hell")
    client = nil
    #expect(await exchange.calls.entries(1) == ["cancel"])
    _ = server
  }

  // MARK: Responses

  @Test func aResponseIsSentOnBeforeItIsComplete() async throws {
    let server = try start()
    let client = try RawClient(port: server.port)
    try await client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
    let exchange = try #require(await transport.exchanges.entries(1).first)
    exchange.send(head())
    exchange.send(.body(Data("hello".utf8)))
    let start = try await client.receive(until: "5\r\nhello\r\n")
    #expect(start.contains("\r\nTransfer-Encoding: chunked\r\n"))
    exchange.send(.body(Data("you".utf8)))
    exchange.send(.end(TransportMetrics()))
    #expect(try await client.receive(until: "0\r\n\r\n") == "3\r\nyou\r\n0\r\n\r\n")
    // The connection is used again.
    try await client.send("GET /b HTTP/1.1\r\nHost: a\r\n\r\n")
    let next = try #require(await transport.exchanges.entries(2).last)
    next.send(head(204))
    next.send(.end(TransportMetrics()))
    #expect(try await client.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 204 No Content\r\n"))
  }

  @Test func aKnownLengthIsKept() async throws {
    let server = try start()
    let client = try RawClient(port: server.port)
    try await client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
    let exchange = try #require(await transport.exchanges.entries(1).first)
    exchange.send(head(200, ["Content-Length": "5"]))
    exchange.send(.body(Data("hello".utf8)))
    exchange.send(.end(TransportMetrics()))
    let text = try await client.receive(until: "hello")
    #expect(text.contains("\r\nContent-Length: 5\r\n"))
    #expect(!text.contains("chunked"))
  }

  @Test func aClientOfHTTP10ReceivesABodyUntilTheEndOfTheConnection() async throws {
    let server = try start()
    let client = try RawClient(port: server.port)
    try await client.send("GET /a HTTP/1.0\r\n\r\n")
    let exchange = try #require(await transport.exchanges.entries(1).first)
    exchange.send(head())
    exchange.send(.body(Data("hello".utf8)))
    exchange.send(.end(TransportMetrics()))
    let text = try await client.receiveAll()
    #expect(text.hasSuffix("\r\n\r\nhello"))
    #expect(!text.contains("chunked"))
  }

  @Test func theOriginWaitsForASlowClient() async throws {
    // The server would disconnect a client that reads nothing for a minute.
    var limits = MockServerLimits()
    limits.sendTime = nil
    let server = try MockServer(
      routes: [.forwarding(to: Self.origin, over: transport)], limits: limits)
    let client = try RawClient(port: server.port)
    try await client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
    let exchange = try #require(await transport.exchanges.entries(1).first)
    let (piece, count) = (Data.pattern(64 << 10), 512)
    exchange.send(head(200, ["Content-Length": "\(piece.count * count)"]))
    // More than the buffers of the system can hold.
    for _ in 0..<count { exchange.send(.body(piece)) }
    #expect(await exchange.calls.entries(1).first == "suspend")
    _ = try await client.receive(until: "\r\n\r\n")
    for _ in 0..<count { #expect(try await client.receive(exactly: piece.count) == piece) }
    #expect(await exchange.calls.entries(2)[1] == "resume")
    exchange.send(.end(TransportMetrics()))
    #expect(!exchange.calls.entries.contains("cancel"))
  }

  @Test func aClientThatDisconnectsCancelsTheExchange() async throws {
    let server = try start()
    var client: RawClient? = try RawClient(port: server.port)
    try await client?.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
    let exchange = try #require(await transport.exchanges.entries(1).first)
    exchange.send(head())
    exchange.send(.body(Data("hello".utf8)))
    _ = try await client?.receive(until: "hello\r\n")
    client = nil
    #expect(await exchange.calls.entries(1) == ["cancel"])
  }

  @Test(arguments: [
    ("GET /a HTTP/1.1\r\nHost: a\r\n\r\n", "2\r\nhe\r\n"), ("GET /a HTTP/1.0\r\n\r\n", "he"),
  ])
  func anInterruptedBodyIsInterrupted(request: String, received: String) async throws {
    let server = try start()
    let client = try RawClient(port: server.port)
    try await client.send(request)
    let exchange = try #require(await transport.exchanges.entries(1).first)
    exchange.send(head())
    exchange.send(.body(Data("he".utf8)))
    let text = try await client.receive(until: received)
    #expect(text.hasSuffix("\r\n\r\n\(received)"))
    exchange.send(.failure(TransportFailure(code: .connectionLost)))
    if request.contains("1.1") {
      #expect(try await client.receiveAll() == "")
    } else {
      // Without a framing, only a reset shows that the body is incomplete.
      await #expect(throws: POSIXError.self) { try await client.receiveAll() }
    }
  }

  @Test func theExchangeHandlerReceivesTheBeginningOfTheBody() async throws {
    let served = Log<ServedExchange>()
    let transport = transport
    let server = try MockServer(onExchange: { served.append($0) }) {
      Route.forwarding(to: Self.origin, over: transport)
    }
    let client = try RawClient(port: server.port)
    try await client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
    let exchange = try #require(await transport.exchanges.entries(1).first)
    exchange.send(head(200, ["X-A": "1"]))
    exchange.send(.body(Data("hello".utf8)))
    exchange.send(.end(TransportMetrics()))
    let result = try #require(await served.entries(1).first)
    #expect(result.responseBody == Data("hello".utf8))
    #expect(result.responseHeaders["X-A"] == "1")
    #expect(result.route?.origin == Self.origin)
    #expect(result.ending == .complete)
  }

  // MARK: Requests

  @Test func aLargeRequestIsSentOnBeforeItIsComplete() async throws {
    let server = try start()
    let client = try RawClient(port: server.port)
    let body = Data.pattern(300_000)
    try await client.send("PUT /a HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.count)\r\n\r\n")
    try await client.send(body.prefix(200_000))
    let exchange = try #require(await transport.exchanges.entries(1).first)
    #expect(exchange.request.body.byteCount == 300_000)
    let reader = try BodyReader(exchange.request.body)
    var received = Data()
    while received.count < 200_000, let piece = try await reader.next() { received += piece }
    #expect(received == body.prefix(200_000))
    try await client.send(body.dropFirst(200_000))
    while let piece = try await reader.next() { received += piece }
    #expect(received == body)
    exchange.send(head(201))
    exchange.send(.end(TransportMetrics()))
    #expect(try await client.receive(until: "0\r\n\r\n").hasPrefix("HTTP/1.1 201 Created\r\n"))
    // The journal has the size, and not the body.
    let request = try #require(server.receivedRequests.first)
    #expect(request.bodyByteCount == 300_000)
    #expect(request.body.isEmpty)
    // The connection is used again.
    try await client.send("PUT /b HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi")
    let next = try #require(await transport.exchanges.entries(2).last)
    #expect(next.request.body == .data(Data("hi".utf8)))
  }

  @Test func aRouteWithConditionsForTheSamePathReceivesTheWholeBody() async throws {
    let transport = transport
    let server = try MockServer {
      Route(.put, "/a", .status(202)).where("large") { $0.body.count == 100_000 }
      Route.forwarding(to: Self.origin, over: transport)
    }
    let response = await PlatformTransport.make().perform(
      HTTPRequest(
        method: .put, url: server.url.appending(path: "a"), body: .data(.pattern(100_000))))
    #expect(response.head?.status == 202)
    #expect(transport.exchanges.entries.isEmpty)
  }

  @Test func aMalformedBodyEndsTheExchange() async throws {
    let server = try start()
    let client = try RawClient(port: server.port)
    try await client.send(
      "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n20000\r\n")
    try await client.send(Data.pattern(0x20000))
    let exchange = try #require(await transport.exchanges.entries(1).first)
    #expect(exchange.request.body.byteCount == nil)
    try await client.send("\r\nno-size\r\n")
    #expect(try await client.receiveAll().hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
    #expect(await exchange.calls.entries(1).last == "cancel")
  }

  @Test func anEarlyResponseEndsTheConnection() async throws {
    let server = try start()
    let client = try RawClient(port: server.port)
    try await client.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n")
    try await client.send(Data.pattern(200_000))
    let exchange = try #require(await transport.exchanges.entries(1).first)
    exchange.send(head(413, ["Content-Length": "2"]))
    exchange.send(.body(Data("no".utf8)))
    exchange.send(.end(TransportMetrics()))
    let text = try await client.receiveAll()
    #expect(text.hasPrefix("HTTP/1.1 413 Content Too Large\r\n"))
    #expect(text.hasSuffix("\r\n\r\nno"))
  }

  @Test func largeBodiesArriveUnchangedInBothDirections() async throws {
    let origin = try MockServer { Route(.post, "/echo") { .data($0.body) } }
    let server = try MockServer { Route.forwarding(to: origin.url, over: PlatformTransport.make()) }
    let body = Data.pattern(5_000_000)
    let stream = BodyStream {
      AsyncStream(Data.self) {
        $0.yield(body); $0.finish()
      }
    }
    for requestBody in [HTTPBody.data(body), .stream(stream)] {
      let response = await PlatformTransport.make().perform(
        HTTPRequest(method: .post, url: server.url.appending(path: "echo"), body: requestBody))
      #expect(response.head?.status == 200)
      #expect(response.body == body)
    }
    let requests = origin.receivedRequests
    #expect(requests.first?.headers["Content-Length"] == "5000000")
    // URLSessionTransport sends a copy of the stream, whose length is known.
    #if os(Linux)
      #expect(requests.last?.headers["Content-Length"] == nil)
      #expect(requests.last?.headers["Transfer-Encoding"] == "chunked")
    #endif
  }
}

/// Tests of the buffer between a producer and a consumer.
@Suite(.gated)
struct BodyPipeTests {
  private let exchange = ManualExchange(HTTPRequest(url: .of("http://a"))) { _ in }

  @Test func suspendsTheProducerWhileItIsFull() {
    let pipe = BodyPipe()
    pipe.attach(exchange)
    for _ in 0..<3 { pipe.append(Data(count: 100 << 10)) }
    #expect(exchange.calls.entries == ["suspend"])
    _ = pipe.next {}
    #expect(exchange.calls.entries == ["suspend"])
    _ = pipe.next {}
    #expect(exchange.calls.entries == ["suspend", "resume"])
  }

  @Test func aProducerThatIsAttachedLateIsSuspendedToo() {
    let pipe = BodyPipe()
    pipe.append(Data(count: 300 << 10))
    pipe.attach(exchange)
    #expect(exchange.calls.entries == ["suspend"])
  }

  @Test func aReaderWaitsUntilBytesArrive() {
    let (pipe, calls) = (BodyPipe(beginningLimit: 3), Counter())
    guard case .pending = pipe.next({ calls.add() }) else { return #expect(Bool(false)) }
    pipe.append(Data("hello".utf8))
    #expect(calls.value == 1)
    guard case .data(Data("hello".utf8)) = pipe.next({}) else { return #expect(Bool(false)) }
    guard case .pending = pipe.next({ calls.add() }) else { return #expect(Bool(false)) }
    pipe.finish(isComplete: true)
    #expect(calls.value == 2)
    guard case .end = pipe.next({}) else { return #expect(Bool(false)) }
    #expect(pipe.beginning == Data("hel".utf8))
  }

  @Test func aSequenceOfPiecesEndsOrThrows() async throws {
    for isComplete in [true, false] {
      let pipe = BodyPipe()
      pipe.append(Data("a".utf8))
      pipe.append(Data("b".utf8))
      pipe.finish(isComplete: isComplete)
      let iterator = BodyPipe.Pieces(pipe: pipe).makeAsyncIterator()
      #expect(try await iterator.next() == Data("a".utf8))
      #expect(try await iterator.next() == Data("b".utf8))
      if isComplete {
        #expect(try await iterator.next() == nil)
      } else {
        await #expect(throws: BodyPipe.Interrupted.self) { try await iterator.next() }
      }
    }
  }

  @Test func cancellingCancelsTheProducerOnceAndDropsTheBytes() {
    let pipe = BodyPipe()
    pipe.append(Data("a".utf8))
    pipe.attach(exchange)
    pipe.cancel()
    pipe.cancel()
    #expect(exchange.calls.entries == ["cancel"])
    guard case .failed = pipe.next({}) else { return #expect(Bool(false)) }
  }

  @Test func releasingTheBodyCancelsTheProducer() {
    let pipe = BodyPipe()
    pipe.attach(exchange)
    var body: RelayedBody? = RelayedBody(pipe)
    withExtendedLifetime(body) { #expect(exchange.calls.entries.isEmpty) }
    body = nil
    #expect(exchange.calls.entries == ["cancel"])
  }

  @Test func aCompleteBodyIsNotCancelled() {
    let pipe = BodyPipe()
    pipe.attach(exchange)
    pipe.finish(isComplete: true)
    pipe.cancel()
    #expect(exchange.calls.entries.isEmpty)
  }
}
