import Foundation
import Mocking
import TestGate
import TestSupport
import Testing

/// Virtual time waits for asynchronous code that can proceed, and not for suspended code.
@Suite(.gated)
struct AsynchronousTimeTests {
  private let time = TestScheduler()

  private func client(@RouteBuilder routes: () -> [Route]) -> Networking<Request> {
    client(MockProvider<Request>(routes: routes(), scheduler: time))
  }

  private func client(_ provider: MockProvider<Request>) -> Networking<Request> {
    Networking(mockProvider: provider)
  }

  /// Runs for a while without waiting.
  private static func work() async {
    for _ in 0..<200 { await Task.yield() }
  }

  @Test(arguments: 0..<20)
  func virtualTimeWaitsForAnAsynchronousHandler(_ round: Int) async {
    let client = client {
      Route(.get, "/") { _ in
        await Self.work()
        return .text("x").delayed(by: .seconds(30))
      }
    }
    let response = client.request(.get("http://a/")).toString()
    await time.advance(by: .seconds(29))
    #expect(response.isPending)
    await time.advance(by: .seconds(1))
    #expect(response.fulfilledValue == "x")
  }

  @Test(arguments: 0..<20)
  func virtualTimeWaitsForPromisesAndActorsOfAHandler(_ round: Int) async {
    actor Shelf {
      func boards() async -> String {
        await AsynchronousTimeTests.work()
        return "y"
      }
    }
    let shelf = Shelf()
    let client = client {
      Route(.get, "/") { _ in
        async let boards = shelf.boards()
        let text = try await Promise { await Self.work() }.map { "x" }.value
        return .text(text + (await boards)).delayed(by: .seconds(30))
      }
    }
    let response = client.request(.get("http://a/")).toString()
    await time.advance(by: .seconds(30))
    #expect(response.fulfilledValue == "xy")
  }

  @Test(arguments: [true, false], 0..<10)
  func virtualTimeWaitsForAStreamThatIsReadFirst(byRoutes: Bool, _ round: Int) async {
    let response = Mock.text("x").delayed(by: .seconds(30))
    let provider =
      byRoutes
      ? MockProvider<Request>(routes: [Route(.post, "/", response)], scheduler: time)
      : MockProvider<Request>(scheduler: time) { _ in response }
    let body = BodyStream {
      AsyncStream {
        await Self.work()
        return nil as Data?
      }
    }
    let text = client(provider).request(.upload(stream: body, to: "http://a/")).toString()
    await time.advance(by: .seconds(30))
    #expect(text.fulfilledValue == "x")
  }

  @Test func aHandlerThatWaitsForVirtualTimeContinues() async {
    let client = client {
      Route(.get, "/") { [time] _ in
        try await after(.seconds(10), scheduler: time).value
        return .text("\(time.now)").delayed(by: .seconds(20))
      }
    }
    let response = client.request(.get("http://a/")).toString()
    await time.advance(by: .seconds(30))
    #expect(response.fulfilledValue == "10.0 seconds")
  }

  @Test func aHandlerThatWaitsForTheTestDoesNotBlockVirtualTime() async {
    let (gate, open) = Promise<Void>.pending()
    let client = client {
      Route(.get, "/") { _ in
        try await gate.value
        return .text("x")
      }
    }
    let response = client.request(.get("http://a/"))
    await time.advance(by: .seconds(60))
    #expect((response.rejectionError as? NetworkError)?.code == .timedOut(.idle))
    open.fulfill(())
  }

  @Test(arguments: 0..<20)
  func virtualTimeWaitsForAServersHandlerAfterTheRequestArrives(_ round: Int) async throws {
    let server = try MockServer(scheduler: time) {
      Route(.get, "/") { _ in
        await Self.work()
        return .text("x").delayed(by: .seconds(30))
      }
    }
    defer { server.stop() }
    let client = try RawClient(port: server.port)
    try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    _ = try await server.takeRequest().value
    await time.advance(by: .seconds(30))
    #expect(try await client.receive(until: "\r\n\r\nx").hasPrefix("HTTP/1.1 200"))
  }

  @Test(arguments: 0..<20)
  func virtualTimeWaitsForAnAsynchronousStepOfAChain(_ round: Int) async {
    let client = client { Route(.get, "/", Mock.text("x").delayed(by: .seconds(1))) }
    let time = time
    let chain = client.request(.get("http://a/")).toString()
      .then { text in
        await Self.work()
        return text + "y"
      }
      .then { text in after(.seconds(1), scheduler: time).map { text + "z" } }
    await time.advance(by: .seconds(2))
    #expect(chain.fulfilledValue == "xyz")
  }
}
