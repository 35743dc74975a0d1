import CatenaSystem
import Foundation
import Mocking
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking
@testable import NetworkingStreams

/// The demand, the errors and the cancellation of pages.
@Suite(.gated)
struct PagesTests {
  /// A server of pages, whose bodies are their numbers.
  private final class Server: Sendable {
    let transport: FakeTransport
    /// The numbers of the requested pages.
    let requested = Log<Int>()

    init(
      pages: Int, _ respond: @escaping @Sendable (_ page: Int) -> [TransportEvent]? = { _ in nil }
    ) {
      transport = FakeTransport { [requested] request in
        let query = request.url.query ?? "page=1"
        let page = Int(query.dropFirst("page=".count)) ?? 0
        requested.append(page)
        if let events = respond(page) { return events }
        let link = page < pages ? ["Link": "<?page=\(page + 1)>; rel=next"] : HTTPHeaders()
        return .response(200, link, "\(page)")
      }
    }

    func client(
      _ change: (inout NetworkingConfiguration) -> Void = { _ in }
    ) -> Networking<Request> {
      var configuration = NetworkingConfiguration.plain
      change(&configuration)
      let client = Networking<Request>(transport: transport, configuration: configuration)
      client.baseURL = URL.of("https://api.example.com")
      client.callbackContext = .background
      return client
    }

    var count: Int { transport.requests.count }
  }

  @Test func aThousandPagesAreRequestedOneByOne() async throws {
    let server = Server(pages: 1_000)
    var number = 0
    let pages = server.client().pages(of: .get("items"), next: .link)
    #expect(server.count == 0)
    for try await page in pages.decode(Int.self) {
      number += 1
      #expect(page == number && server.count == number)
    }
    #expect(number == 1_000 && server.count == 1_000)
  }

  @Test func theOptionsApplyToEachPage() async throws {
    let failures = Counter()
    let server = Server(pages: 3) { page in
      page == 2 && failures.add() == 1 ? .response(503) : nil
    }
    let pages = server.client().pages(
      of: .get("items"), next: .link, .headers(["X": "1"]), .retry(.immediate(limit: 1)))
    #expect(try await pages.all().value.count == 3)
    #expect(server.requested.entries == [1, 2, 2, 3])
    #expect(server.transport.requests.allSatisfy { $0.headers["X"] == "1" })
  }

  @Test func aRequestOfTheRuleHasTheOptionsOfTheCall() async throws {
    let server = Server(pages: 1)
    let tenants = Log<String?>()
    let client = server.client()
    client.authenticate(bearerToken: "s3cret")
    let timeouts = Log<Duration?>()
    client.beforeEach = { request in
      tenants.append(request.attributes[TenantKey.self])
      timeouts.append(request.timeout)
      #expect(request.cachePolicy == .reload && request.priority == .high)
      #expect(request.isShared == false && !request.isIntercepted)
      return request
    }
    let rule = PageRule.custom { page in
      guard page.number < 3 else { return nil }
      let next = Request.get("items", parameters: ["page": .int(page.number + 1)])
      return .request(
        page.number == 1 ? next : next.with(.timeout(.seconds(9)), .headers(["X": "2"])))
    }
    let pages = client.pages(
      of: .get("items"), next: rule, .withoutCredentials, .timeout(.seconds(5)), .cache(.reload),
      .headers(["X": "1"]), .attribute(TenantKey.self, "t1"), .priority(.high), .shared(false),
      .notIntercepted)
    #expect(try await pages.all().value.count == 3)
    #expect(server.requested.entries == [1, 2, 3])
    let requests = server.transport.requests
    #expect(requests.allSatisfy { $0.headers["Authorization"] == nil })
    #expect(requests.map { $0.headers["X"] } == ["1", "1", "2"])
    #expect(tenants.entries == ["t1", "t1", "t1"])
    #expect(timeouts.entries == [.seconds(5), .seconds(5), .seconds(9)])
  }

  private struct GetItems: TypedEndpoint {
    typealias ResponseType = Int
    var request: Request { .get("items") }
  }

  @Test func theEndpointCanBeTyped() async throws {
    let server = Server(pages: 3)
    let client = server.client()
    let pages = client.pages(of: GetItems(), next: .link).decode(Int.self)
    #expect(try await pages.all().value == [1, 2, 3])
    var lines: [String] = []
    for try await line in client.lines(of: GetItems()) { lines.append(line) }
    #expect(lines == ["1"])
    let folder = TemporaryFolder()
    let file = folder.url("items")
    #expect(try await client.download(GetItems(), to: file).value.file == file)
    #expect(try String(contentsOf: file, encoding: .utf8) == "1")
  }

  @Test func pagesAreRequestedAheadUpToANumber() async throws {
    let server = Server(pages: 1_000)
    var number = 0
    for try await page in server.client().pages(of: .get("items"), next: .link, ahead: 3)
      .decode(Int.self)
    {
      number += 1
      // One for the loop, and three ahead.
      #expect(page == number && server.count <= number + 3)
      if number < 990, number > 1 { #expect(server.count >= number + 1) }
    }
    #expect(number == 1_000 && server.count == 1_000)
  }

  @Test func aSlowConsumerHasTheNumberOfPagesAhead() async throws {
    let server = Server(pages: 10)
    let pages = server.client().pages(of: .get("items"), next: .link, ahead: 2).makeAsyncIterator()
    _ = try await pages.next()
    #expect(server.count == 3)
    _ = try await pages.next()
    #expect(server.count == 4)
  }

  @Test func manyPagesThatArriveAtOnceNeedNoDeepStack() async throws {
    let server = Server(pages: 5_000)
    let pages = server.client().pages(of: .get("items"), next: .link, ahead: .max)
    #expect(try await pages.decode(Int.self).all().value == Array(1...5_000))
  }

  @Test func leavingTheLoopRequestsNoOtherPage() async throws {
    let server = Server(pages: 1_000)
    for try await page in server.client().pages(of: .get("items"), next: .link).decode(Int.self)
    where page == 500 {
      break
    }
    #expect(server.count == 500)
  }

  @Test func cancellingTheTaskCancelsTheRequestInProgress() async throws {
    let server = Server(pages: 1_000) { $0 == 500 ? [] : nil }
    let read = Log<Int>()
    let task = Task {
      for try await page in server.client().pages(of: .get("items"), next: .link).decode(Int.self) {
        read.append(page)
      }
    }
    _ = await read.entries(499)
    _ = await server.requested.entries(500)
    task.cancel()
    #expect(await task.result.failure(as: CancellationError.self) != nil)
    #expect(server.count == 500 && server.transport.cancelled == 1)
  }

  @Test func releasingTheIteratorCancelsThePageAhead() async throws {
    let server = Server(pages: 1_000) { $0 == 2 ? [] : nil }
    for try await _ in server.client().pages(of: .get("items"), next: .link, ahead: 1) { break }
    #expect(server.count == 2 && server.transport.cancelled == 1)
  }

  @Test func aPromiseOfAllPagesHasThemInOrder() async throws {
    let server = Server(pages: 50)
    let client = server.client()
    let pages = client.pages(of: .get("items"), next: .link).decode(Int.self)
    #expect(try await pages.all().value == Array(1...50))
    let responses = client.pages(of: .get("items"), next: .link, limit: 7, ahead: 2).all()
    #expect(try await responses.value.map(\.data) == (1...7).map { Data("\($0)".utf8) })
  }

  @Test func pagesCanBeJSONOrText() async throws {
    let client = Server(pages: 3).client()
    let pages = client.pages(of: .get("items"), next: .link)
    #expect(try await pages.toJson().all().value == [1, 2, 3])
    #expect(try await pages.toString().all().value == ["1", "2", "3"])
    let invalid = Server(pages: 1) { _ in .response(200, [:], "{") }
    let all = invalid.client().pages(of: .get("items"), next: .link).toJson().all()
    #expect(await all.result.failure(as: NetworkError.self)?.code == .jsonFailed)
  }

  @Test func cancellingThePromiseOfAllCancelsTheRequest() async throws {
    let server = Server(pages: 1_000) { $0 == 20 ? [] : nil }
    let all = server.client().pages(of: .get("items"), next: .link).all()
    _ = await server.requested.entries(20)
    all.cancel()
    #expect(await all.result.failure(as: CancellationError.self) != nil)
    #expect(server.count == 20)
  }

  @Test(arguments: [0, 5])
  func aPageThatFailsIsRequestedAgainOnDemand(ahead: Int) async throws {
    let failures = Log<Int>()
    let server = Server(pages: 4) {
      guard $0 == 3, failures.entries.count < 2 else { return nil }
      failures.append($0)
      return .response(500, [:], "why")
    }
    let pages = server.client().pages(of: .get("items"), next: .link, ahead: ahead)
      .makeAsyncIterator()
    #expect(try await pages.next()?.data == Data("1".utf8))
    #expect(try await pages.next()?.data == Data("2".utf8))
    for attempt in 1...2 {
      let error = await #expect(throws: NetworkError.self) { try await pages.next() }
      #expect(error?.code == .unacceptableStatus(500) && error?.body == Data("why".utf8))
      #expect(server.count == 2 + attempt)
    }
    #expect(try await pages.next()?.data == Data("3".utf8))
    #expect(try await pages.next()?.data == Data("4".utf8))
    #expect(try await pages.next() == nil)
    #expect(server.requested.entries == [1, 2, 3, 3, 3, 4])
  }

  @Test(arguments: [0, 5])
  func theIteratorKnowsWhetherThereIsAnotherPage(ahead: Int) async throws {
    let server = Server(pages: 3) { $0 == 2 ? .response(500, [:], "why") : nil }
    let failing = server.client().pages(of: .get("items"), next: .link, ahead: ahead)
      .makeAsyncIterator()
    #expect(failing.hasNext)
    #expect(try await failing.next() != nil)
    #expect(failing.hasNext)
    await #expect(throws: NetworkError.self) { try await failing.next() }
    #expect(failing.hasNext)

    let pages = Server(pages: 3).client().pages(of: .get("items"), next: .link, ahead: ahead)
      .makeAsyncIterator()
    for number in 1...3 {
      #expect(try await pages.next()?.data == Data("\(number)".utf8))
      #expect(pages.hasNext == (number < 3))
    }
    #expect(try await pages.next() == nil)
    #expect(!pages.hasNext)
  }

  @Test func aPageWhoseTaskIsCancelledIsRequestedAgainOnDemand() async throws {
    let isHeld = Mutex(true)
    let server = Server(pages: 2) { $0 == 2 && isHeld.withLock { $0 } ? [] : nil }
    let pages = server.client().pages(of: .get("items"), next: .link).decode(Int.self)
      .makeAsyncIterator()
    #expect(try await pages.next() == 1)
    let task = Task { try await pages.next() }
    _ = await server.requested.entries(2)
    task.cancel()
    #expect(await task.result.failure(as: CancellationError.self) != nil)
    #expect(server.transport.cancelled == 1)
    isHeld.withLock { $0 = false }
    #expect(try await pages.next() == 2)
    #expect(try await pages.next() == nil)
    #expect(server.requested.entries == [1, 2, 2])
  }

  @Test func onlyOneTaskReadsThePages() async throws {
    let server = Server(pages: 2) { _ in [] }
    let pages = server.client().pages(of: .get("items"), next: .link).makeAsyncIterator()
    let task = Task { try await pages.next() }
    _ = await server.requested.entries(1)
    let error = await #expect(throws: NetworkError.self) { try await pages.next() }
    #expect(error?.code == .alreadyRead && error?.reason?.contains("by another task") == true)
    task.cancel()
    _ = await task.result
  }

  @Test func aPageThatCannotBeDecodedEndsTheSequence() async throws {
    let server = Server(pages: 10) {
      $0 == 2 ? .response(200, ["Link": "<?page=3>; rel=next"], "x") : nil
    }
    let pages = server.client().pages(of: .get("items"), next: .link).decode(Int.self)
      .makeAsyncIterator()
    #expect(try await pages.next() == 1)
    let error = await #expect(throws: NetworkError.self) { try await pages.next() }
    #expect(error?.code == .decodingFailed)
    #expect(!pages.hasNext)
    #expect(try await pages.next() == nil && server.count == 2)
  }

  @Test func theRetryPolicyAppliesToEachPage() async throws {
    let failures = Log<Int>()
    let server = Server(pages: 5) { page in
      guard page % 2 == 0, !failures.entries.contains(page) else { return nil }
      failures.append(page)
      return .response(503)
    }
    let client = server.client { $0.retry = .immediate(limit: 1) }
    let pages = client.pages(of: .get("items"), next: .link).decode(Int.self)
    #expect(try await pages.all().value == Array(1...5))
    #expect(server.count == 7)
  }

  @Test func aPageOnAnotherOriginHasNoSecrets() async throws {
    let transport = FakeTransport { request in
      request.url.host == "api.example.com"
        ? .response(200, ["Link": "<https://other.example/items>; rel=next"], "1")
        : .response(200, request.url.query == nil ? ["Link": "<?page=3>; rel=next"] : [:], "2")
    }
    let client = Networking<Request>(transport: transport, configuration: .plain)
    client.baseURL = URL.of("https://api.example.com")
    client.authenticate(bearerToken: "s3cret")
    let request = Request.get("items", headers: ["X-Api-Key": "s3cret", "X-Shop": "7"])
    #expect(try await client.pages(of: request, next: .link).all().value.count == 3)
    #expect(transport.requests.map { $0.headers["X-Api-Key"] } == ["s3cret", nil, nil])
    #expect(transport.requests.map { $0.headers["Authorization"] != nil } == [true, false, false])
    #expect(transport.requests.map { $0.headers["X-Shop"] } == ["7", "7", "7"])
    #expect(transport.requests.map(\.options.withholdsClientCertificate) == [false, true, true])
  }

  @Test func eachIteratorBeginsAtTheFirstPage() async throws {
    let server = Server(pages: 3)
    let pages = server.client().pages(of: .get("items"), next: .link).decode(Int.self)
    #expect(try await pages.all().value == [1, 2, 3])
    #expect(try await pages.all().value == [1, 2, 3])
  }

  @Test func anEndpointThatFailsIsAnErrorOfTheFirstPage() async throws {
    struct Broken: RequestConvertible {
      struct BrokenError: Error {}
      var request: Request { get throws { throw BrokenError() } }
    }
    let client = Networking<Broken>(transport: FakeTransport { _ in [] }, configuration: .plain)
    await #expect(throws: Broken.BrokenError.self) {
      for try await _ in client.pages(of: Broken(), next: .link) {}
    }
  }

  @Test func pagesOfAMockArriveInVirtualTime() async throws {
    let time = TestScheduler()
    var configuration = NetworkingConfiguration.plain
    configuration.scheduler = time
    let transport = MockTransport(scheduler: time) {
      Route(.get, "/items") { request in
        let page = Int(request.query["page"] ?? "1") ?? 1
        return Mock.json(.array((1...(page < 4 ? 2 : 1)).map { .int($0) })).delayed(by: .seconds(1))
      }
    }
    let client = Networking<Request>(transport: transport, configuration: configuration)
    client.baseURL = URL.of("https://api.example.com")
    let all = client.pages(of: .get("items"), next: .number(size: 2)).decode([Int].self).all()
    await time.run()
    #expect(try await all.value.flatMap { $0 }.count == 7 && time.now == .seconds(4))
  }

  @Test @MainActor func pagesAreReadOnTheActorOfTheCaller() async throws {
    var numbers: [Int] = []
    let pages = Server(pages: 3).client().pages(of: .get("items"), next: .link).decode(Int.self)
    for try await page in pages { numbers.append(page) }
    #expect(numbers == [1, 2, 3])
  }
}
