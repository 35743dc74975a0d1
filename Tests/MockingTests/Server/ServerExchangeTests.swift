import Foundation
import MockingRecordings
import Networking
import Promises
import TestGate
import Testing

@testable import Mocking

/// The action after a head, as text.
private func bodyAction(
  _ head: RequestHead, _ routes: [Route], preflightResponse: Mock? = nil,
  hasQueuedMocks: Bool = false, isAwaited: Bool = false
) throws -> String {
  var exchange = ServerExchange()
  let registry = StubRegistry(try RouteTable(routes))
  let action = exchange.receive(
    head, for: registry.find(head.method, head.target),
    of: ActiveRoutes(registry: registry, mockResolver: MockResolver()),
    preflightResponse: preflightResponse, journalLimit: 7, hasQueuedMocks: hasQueuedMocks,
    isAwaited: isAwaited)
  return text(action, exchange)
}

private func text(_ action: ServerExchange.BodyAction, _ exchange: ServerExchange) -> String {
  switch action {
  case .receive(let policy, let isNeeded): "\(policy)\(isNeeded ? ", needed" : "")"
  case .respond(let body):
    "respond to \(body.byteCount) bytes, keepsAlive: \(exchange.head?.keepsAlive == true)"
  }
}

/// A handler that never responds.
private final class Handler: ReservedPathHandler {
  var maximumBodyBytes: Int { 10 }
  static func check(_ routes: [Route]) throws(MockServerError) {}
  func handles(_ target: String) -> Bool { true }
  func respond(
    to request: ReceivedRequest,
    _ completion: @escaping @Sendable (_ response: ReservedPathResponse) -> Void
  ) {}
  func stop() {}
}

@Suite(.gated)
struct ServerExchangeTests {
  private static func head(
    _ framing: RequestHead.Framing = .sized(5), expectsContinue: Bool = false
  ) -> RequestHead {
    RequestHead(
      method: .post, target: "/a", minorVersion: 1, framing: framing,
      expectsContinue: expectsContinue)
  }

  private static let fixed = Route(.post, "/a", .text("a"))
  private static let reading = Route(.post, "/a") { request in .text(request.text) }

  @Test func theBodyIsKeptAsTheRouteNeedsIt() throws {
    #expect(try bodyAction(Self.head(), [Self.reading]) == "collect")
    #expect(try bodyAction(Self.head(), [Self.fixed]) == "limited(keep: 7)")
    #expect(try bodyAction(Self.head(), [Self.fixed], isAwaited: true) == "collect")
    #expect(try bodyAction(Self.head(), [Self.fixed], hasQueuedMocks: true) == "collect")
    #expect(try bodyAction(Self.head(.none), [Self.fixed]) == "collect")
    #expect(try bodyAction(Self.head(), [Self.reading.discardingBody()]) == "discard")
    #expect(
      try bodyAction(
        Self.head(), [.forwarding(to: URL(filePath: "/"), over: MockTransport(routes: []))])
        == "stream(after: 65536)")
  }

  @Test func aRequestWithoutARouteIsNotReadIfItsClientWaits() throws {
    #expect(try bodyAction(Self.head(), []) == "keep(upTo: 7)")
    #expect(
      try bodyAction(Self.head(expectsContinue: true), [])
        == "respond to 0 bytes, keepsAlive: false")
    #expect(
      try bodyAction(Self.head(expectsContinue: true), [], hasQueuedMocks: true) == "collect")
    #expect(
      try bodyAction(Self.head(), [Self.fixed], preflightResponse: .status(204)) == "discard")
  }

  @Test func aDeclaredBodyBeyondTheLimitOfAReservedPathIsNotRead() {
    var exchange = ServerExchange()
    var action = exchange.receive(Self.head(.sized(10)), for: Handler())
    #expect(text(action, exchange) == "keep(upTo: 10), needed")
    #expect(exchange.additionalBodyRoom == 10)
    action = exchange.receive(Self.head(.sized(11)), for: Handler())
    #expect(text(action, exchange) == "respond to 11 bytes, keepsAlive: false")
  }

  @Test func aResultIsAcceptedOnlyByTheRequestAndThePhaseThatWaitForIt() {
    var exchange = ServerExchange()
    exchange.receive(RequestBody(), of: 3)
    #expect(!exchange.isWaiting(3, in: .handling))
    exchange.handle()
    #expect(exchange.isWaiting(3, in: .handling))
    #expect(!exchange.isWaiting(2, in: .handling))
    #expect(!exchange.isWaiting(3, in: .opening))
    exchange.open()
    #expect(exchange.isWaiting(3, in: .opening))
    #expect(!ServerExchange().isWaiting(3, in: .handling))
  }

  @Test func aConnectionWhoseRequestIsIncompleteIsNotReused() {
    var exchange = ServerExchange()
    #expect(exchange.end(.keepAlive) == .receiveNextRequest)
    #expect(exchange.end(.finish) == .drain)
    #expect(exchange.end(.close) == .close)
    #expect(exchange.end(.reset) == .reset)
    #expect(exchange.end(.stall) == .stall)
    exchange.upload = BodyPipe()
    #expect(exchange.end(.keepAlive) == .drain)
  }

  @Test func theEndOfTheInputEndsAnExchangeThatSendsNothing() {
    var exchange = ServerExchange()
    func ends(isParsed: Bool = false, isDelayed: Bool = false) -> Bool {
      exchange.endsWithInput(isParsed: isParsed, isDelayed: isDelayed)
    }
    #expect(!ends())
    #expect(ends(isParsed: true))
    exchange.open()
    #expect(!ends(isParsed: true))
    exchange.handle()
    #expect(ends())
    exchange.play(ResponseScript(.text("a"), for: .init()))
    #expect(!ends(isParsed: true))
    #expect(ends(isDelayed: true))
    exchange.stall()
    #expect(ends())
    #expect(exchange.bodyByteCount == 0)
  }
}
