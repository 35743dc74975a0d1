import Foundation
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking

@Suite(.gated)
struct SharingMachineTests {
  private let key = SharingMachineTests.key("https://a.example/x")

  private static func key(_ url: StaticString) -> SharingKey? {
    SharingKey(Exchange(HTTPRequest(url: .of(url)), over: FakeTransport { _ in [] }))
  }

  private func caller() -> Resolver<Response> {
    let (promise, resolver) = NetworkPromise.pending(on: .inline)
    promise.cancel()
    return resolver
  }

  private func shared() -> CallState { CallState(sharedBy: .init()) }

  private func kind(
    _ result: (caller: Resolver<Response>?, isAbandoned: Bool, work: NetworkPromise?)
  ) -> String {
    guard result.isAbandoned else { return result.caller == nil ? "already ended" : "stays" }
    return result.work == nil ? "abandoned before it began" : "abandoned"
  }

  @Test func theFirstCallerStartsAndOthersJoin() throws {
    var machine = SharingStage.Machine()
    let key = try #require(key)
    let entries = (1...3).map { _ in machine.enter(key, caller(), sharing: shared()) }
    #expect(entries.map(\.isFirst) == [true, false, false])
    #expect(entries.map(\.ticket.caller) == [0, 1, 2] && machine.count == 1)
    let other = try #require(Self.key("https://a.example/y"))
    let isFirst = machine.enter(other, caller(), sharing: shared()).isFirst
    #expect(isFirst && machine.count == 2)
  }

  @Test func theResultIsDeliveredToAllRemainingCallersInOrder() throws {
    var machine = SharingStage.Machine()
    let key = try #require(key)
    let callers = (1...4).map { _ in caller() }
    let entries = callers.map { machine.enter(key, $0, sharing: shared()) }
    let result = machine.left(entries[1].ticket)
    let callersAtEnd = machine.ended(entries[0].ticket)
    let repeated = machine.ended(entries[0].ticket)
    let late = machine.left(entries[2].ticket)
    #expect(
      callersAtEnd.map { ObjectIdentifier($0) }
        == [callers[0], callers[2], callers[3]].map { ObjectIdentifier($0) })
    #expect(repeated.isEmpty && machine.count == 0)
    #expect([result, late].map(kind) == ["stays", "already ended"])
  }

  @Test func cancellingTheLastCallerCancelsTheExchange() throws {
    var machine = SharingStage.Machine()
    let key = try #require(key)
    let first = machine.enter(key, caller(), sharing: shared())
    let second = machine.enter(key, caller(), sharing: shared())
    let work = NetworkPromise.pending(on: .inline)
    work.promise.cancel()
    let isWanted = machine.began(first.ticket, work.promise)
    let results = [machine.left(first.ticket), machine.left(second.ticket)]
    #expect(isWanted && results.map(kind) == ["stays", "abandoned"] && machine.count == 0)
  }

  @Test func anExchangeThatStartsAfterAllCallersCancelledIsCancelled() throws {
    var machine = SharingStage.Machine()
    let key = try #require(key)
    let first = machine.enter(key, caller(), sharing: shared())
    let result = machine.left(first.ticket)
    let next = machine.enter(key, caller(), sharing: shared())
    let work = NetworkPromise.pending(on: .inline)
    work.promise.cancel()
    let isWanted = machine.began(first.ticket, work.promise)
    #expect(kind(result) == "abandoned before it began" && next.isFirst && !isWanted)
    // Its end does not affect the next exchange either.
    let (callersAtEnd, late) = (machine.ended(first.ticket), machine.left(first.ticket))
    #expect(callersAtEnd.isEmpty && kind(late) == "already ended" && machine.count == 1)
  }
}

@Suite(.gated)
struct SharingKeyTests {
  private static let url = URL.of("https://a.example/x?token=hush")
  private static let transport = FakeTransport { _ in [] }

  private static func key(
    _ method: HTTPMethod = .get, _ url: URL = url, _ headers: HTTPHeaders = ["Accept": "a/b"],
    body: HTTPBody = .none, credentials: String? = nil, isIntercepted: Bool = true,
    retry: RetryPolicy? = nil, to destination: BodyDestination = .memory,
    source: SelectedTransport.Source = .client
  ) -> SharingKey? {
    SharingKey(
      Exchange(
        HTTPRequest(method: method, url: url, headers: headers, body: body),
        credentials: credentials.flatMap { value in
          Origin(url).map { .init(scheme: .fixed(value), origin: $0) }
        },
        isIntercepted: isIntercepted, retry: retry,
        destination: destination,
        source: source, over: transport))
  }

  @Test func tracingFieldsDoNotChangeTheKey() {
    #expect(Self.key() == Self.key(.get, Self.url, ["accept": "a/b"]))
    let traced: HTTPHeaders = [
      "traceparent": "00-1-2-01", "Accept": "a/b", "Tracestate": "a=b", "x-request-id": "7",
      "X-Correlation-ID": "8",
    ]
    #expect(Self.key() == Self.key(.get, Self.url, traced))
    #expect(Self.key()?.hashValue == Self.key(.get, Self.url, traced)?.hashValue)
  }

  @Test func everyRelevantFieldChangesTheKey() {
    struct NoMocks: ScopedTransports {
      func transport(
        for endpoint: any RequestConvertible, in scope: TransportScope, real: any Transport
      ) -> (any Transport)? { nil }
    }
    let scope = { TransportScope(NoMocks(), scheduler: .live) }
    let keys = [
      Self.key(), Self.key(.head), Self.key(.get, .of("https://a.example/y")),
      Self.key(.get, Self.url, ["Accept": "c/d"]),
      Self.key(.get, Self.url, ["Accept": "a/b", "Range": "bytes=0-1"]),
      Self.key(.get, Self.url, ["Accept": "a/b", "Authorization": "Bearer 1"]),
      Self.key(.get, Self.url, ["Accept": "a/b", "Authorization": "Bearer 2"]),
      Self.key(.get, Self.url, ["Accept": "a/b", "Cookie": "a=1"]),
      Self.key(credentials: "Bearer 1"), Self.key(credentials: "Bearer 2"),
      Self.key(isIntercepted: false), Self.key(retry: .never), Self.key(source: .provider),
      Self.key(source: .scope(scope())), Self.key(source: .scope(scope())),
    ]
    #expect(Set(keys).count == keys.count)
  }

  @Test func unsafeRequestsAndThoseWithBodiesHaveNoKey() {
    let file = FileTarget(url: URL(fileURLWithPath: "/x"), replaces: true)
    let keys = [
      Self.key(.post), Self.key(.put), Self.key(.delete), Self.key(.options),
      Self.key(body: .data(Data())), Self.key(to: .stream), Self.key(to: .file(file)),
    ]
    #expect(keys.allSatisfy { $0 == nil })
  }

  @Test func theKeyRevealsNoSecrets() throws {
    let key = try #require(
      Self.key(.get, Self.url, ["Cookie": "hush", "X": "hush"], credentials: "Bearer hush"))
    var dumped = ""
    dump(key, to: &dumped)
    for text in ["\(key)", String(reflecting: key), dumped, "\([key: 1])"] {
      #expect(text.contains("GET https://a.example/x") && !text.contains("hush"))
    }
  }
}
