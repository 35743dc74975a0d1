import Foundation
import Mocking
import Networking
import Promises
import TestGate
import TestSupport
import Testing

@Suite(.gated)
struct MockProviderTests {
  private enum API: RequestConvertible {
    case boards
    case board(Int)
    case upload(Data)
    case real

    static let baseURL: URL? = URL(string: "https://api.example.com/")

    var request: Request {
      switch self {
      case .boards: .get("boards")
      case .board(let id): .get("boards/\(id)")
      case .upload(let data): .upload(data: data, to: "files")
      case .real: .get("real")
      }
    }
  }

  private let network = FakeTransport { _ in .response(299) }

  private func client(
    _ mode: RequestMode = .async, _ provider: MockProvider<API>
  ) -> Networking<API> {
    var configuration = NetworkingConfiguration()
    configuration.cookies = .none
    let client = Networking(
      mode: mode, mockProvider: provider, transport: network, configuration: configuration)
    client.callbackContext = .inline
    return client
  }

  @Test func aRequestThatCannotBeSentIsRejected() async throws {
    let client = client(.async, MockProvider { _ in .status(200) })
    client.preProcessRequest = { request in
      var request = request
      request.method = HTTPMethod(rawValue: "NO TOKEN")
      return request
    }
    let error = await client.request(.boards).result.failure(as: NetworkError.self)
    #expect(error?.code == .unsupported)
  }

  @Test func endpointsSelectMocksAndNilUsesTheNetwork() async throws {
    let networking = client(
      .async,
      MockProvider { endpoint in
        switch endpoint {
        case .boards: .json([["id": 1]])
        case .board(let id) where id > 100: .status(404)
        case .board(let id): .json(["id": .int(id)])
        case .upload, .real: nil
        }
      })
    #expect(try await networking.request(.boards).toJson().value[0]["id"] == 1)
    #expect(try await networking.request(.board(7)).toJson().value == ["id": 7])
    #expect(try await networking.request(.board(101)).value.status == 404)
    #expect(try await networking.request(.real).value.status == 299)
    #expect(network.requests.map(\.url.path) == ["/real"])
  }

  private struct GetBoard: TypedEndpoint {
    typealias ResponseType = Int
    let id: Int
    static let baseURL = API.baseURL
    var request: Request { .get("boards/\(id)") }
  }

  @Test func anUnmatchedRequestIsOneReadableLine() async throws {
    let networking = client(
      .async,
      MockProvider(routes: [Route(.get, "/board", .json([])), Route(.get, "/a", .json([]))]))
    let error = await networking.request(.boards).result.failure(as: NetworkError.self)
    #expect(
      error?.description
        == "GET https://api.example.com/boards: there is no mocked response: no route for GET /boards; "
        + "nearest routes: GET /board; path: expected /board, actual /boards; GET /a; "
        + "path: expected /a, actual /boards")
  }

  @Test func anEndpointWithOptionsIsMocked() async throws {
    let provider = MockProvider<GetBoard> { endpoint in .json(.int(endpoint.id)) }
    let networking = Networking<GetBoard>(mockProvider: provider, transport: network)
    networking.callbackContext = .inline
    #expect(try await networking.fetch(GetBoard(id: 7), .notIntercepted).value == 7)
    // In generic code, the type of the endpoint is not that of the provider.
    func fetch<Typed: TypedEndpoint>(_ endpoint: Typed) -> Promise<Typed.ResponseType> {
      networking.fetch(endpoint, .priority(.high))
    }
    #expect(try await fetch(GetBoard(id: 8)).value == 8)
    #expect(network.requests.isEmpty)
  }

  @Test func aDelayUsesVirtualTime() async throws {
    let clock = RecordingScheduler()
    let networking = client(
      .async, MockProvider(delay: .seconds(30), scheduler: clock) { _ in .text("late") })
    let promise = networking.request(.boards).toString()
    #expect(await clock.scheduled(1) == [.seconds(30)])
    await clock.time.advance(by: .seconds(29))
    #expect(promise.isPending)
    await clock.time.advance(by: .seconds(1))
    #expect(try await promise.value == "late")
  }

  @Test func aFailureHasItsCode() async {
    let networking = client(.async, MockProvider { _ in .failure(.connectionLost) })
    let result = await networking.request(.boards).result
    #expect(result.failure(as: NetworkError.self)?.code == .connectionLost)
  }

  @Test func cancellationDuringTheDelayStopsTheTimer() async {
    let clock = RecordingScheduler()
    let networking = client(
      .async, MockProvider(delay: .seconds(30), scheduler: clock) { _ in .text("late") })
    let promise = networking.request(.boards)
    _ = await clock.scheduled(1)
    promise.cancel()
    #expect(await promise.result.error is CancellationError)
    #expect(clock.time.scheduledCount == 0)
  }

  @Test func aModeAppliesToMocks() async {
    let clock = RecordingScheduler()
    let networking = client(
      .limited(2), MockProvider(delay: .seconds(1), scheduler: clock) { _ in .text("x") })
    let promises = (0..<4).map { _ in networking.request(.boards) }
    #expect(await clock.scheduled(2).count == 2)
    #expect(clock.time.scheduledCount == 2)
    await clock.time.advance(by: .seconds(1))
    #expect(await clock.scheduled(4).count == 4)
    await clock.time.advance(by: .seconds(1))
    for promise in promises { #expect((try? await promise.value.status) == 200) }
  }

  @Test func aSequenceContinuesAcrossRequests() async throws {
    let networking = client(
      .async, MockProvider { _ in .sequence(.status(503), .status(502), .json([])) })
    var statuses: [Int] = []
    for _ in 0..<4 { statuses.append(try await networking.request(.boards).value.status) }
    #expect(statuses == [503, 502, 200, 200])
    #expect(try await networking.request(.board(1)).value.status == 503)
  }

  @Test func aSequenceContinuesAcrossAttempts() async throws {
    let provider = MockProvider<API> { _ in .sequence(.status(503), .status(503), .json([])) }
    let transport = try #require(provider.transport(for: .boards, real: network))
    var statuses: [Int?] = []
    for _ in 0..<3 {
      statuses.append(await transport.get(.of("http://a/boards")).head?.status)
    }
    #expect(statuses == [503, 503, 200])
  }

  @Test func aSequenceFallsThroughToTheNetworkIfConfigured() async throws {
    let networking = client(
      .async, MockProvider { _ in .sequence(.status(201), then: .fallsThrough) })
    #expect(try await networking.request(.boards).value.status == 201)
    #expect(try await networking.request(.boards).value.status == 299)
  }

  @Test func anExhaustedSequenceIsReportedByName() async throws {
    let networking = client(.async, MockProvider { _ in .sequence(.status(201), then: .fails) })
    _ = try await networking.request(.boards).value
    let error = await networking.request(.boards).result.failure(as: NetworkError.self)
    #expect(error?.code == .mockFailed)
    #expect(error?.reason?.hasPrefix("the sequence at MockingTests/MockProvider") == true)
    #expect(error?.reason?.hasSuffix(" is exhausted after 1 response for GET /boards") == true)
  }

  @Test func aTemplateReceivesTheRequest() async throws {
    let networking = client(
      .async,
      MockProvider { _ in
        .template { request in .text("\(request.method) \(request.path) \(request.text)") }
      })
    let text = try await networking.request(.upload(Data("hi".utf8))).toString().value
    #expect(text == "POST /files hi")
  }

  @Test func aFileIsServedWithItsType() async throws {
    let folder = TemporaryFolder()
    _ = try folder.file("boards.json", "[7]")
    let networking = client(.async, MockProvider { _ in .file("boards.json", in: folder.url) })
    let response = try await networking.request(.boards).value
    #expect(response.contentType?.description == "application/json")
    #expect(response.data == Data("[7]".utf8))
  }

  @Test func aMissingFileIsReported() async {
    let folder = URL(fileURLWithPath: "/nowhere", isDirectory: true)
    let networking = client(.async, MockProvider { _ in .file("boards.json", in: folder) })
    let error = await networking.request(.boards).result.failure(as: NetworkError.self)
    #expect(error?.code == .mockFailed)
    #expect(error?.reason == #"there is no file "boards.json" in /nowhere"#)
  }

  enum DelayOf: CaseIterable, Sendable { case provider, mock, body }

  @Test(arguments: DelayOf.allCases)
  func randomDelaysAreDeterministic(_ whose: DelayOf) async {
    func run() async -> [Duration] {
      let clock = RecordingScheduler()
      let drawn = MockDelay.uniform(.milliseconds(80), .milliseconds(300))
      let provider: MockProvider<API> =
        switch whose {
        case .provider: MockProvider(delay: drawn, scheduler: clock) { _ in .status(200) }
        case .mock: MockProvider(scheduler: clock) { _ in .status(200).delayed(by: drawn) }
        case .body: MockProvider(scheduler: clock) { _ in .text("late").bodyDelayed(by: drawn) }
        }
      let networking = client(.sync, provider)
      let promises = (0..<3).map { _ in networking.request(.boards) }
      for number in 1...3 {
        _ = await clock.scheduled(number)
        await clock.time.advance(by: .milliseconds(300))
      }
      for promise in promises { _ = await promise.result }
      return await clock.scheduled(3)
    }
    let first = await run()
    #expect(first == (await run()))
    #expect(Set(first).count == 3)
  }

  @Test func routesServeAClientWithoutEndpoints() async throws {
    let backend = [Route(.get, "/boards/{id}") { request in .text(request.path["id"]) }]
    let strict = client(.async, MockProvider(routes: backend))
    #expect(try await strict.request(.board(7)).toString().value == "7")
    let error = await strict.request(.boards).result.failure(as: NetworkError.self)
    #expect(error?.code == .mockFailed)
    #expect(
      error?.reason == """
        no route for GET /boards
        nearest routes:
          GET /boards/{id}
            path: expected /boards/{id}, actual /boards
        """)
    #expect(network.requests.isEmpty)
    let open = client(.async, MockProvider(routes: backend, strict: false))
    #expect(try await open.request(.boards).value.status == 299)
  }

  @Test func aStreamIsReadBeforeTheResponse() async throws {
    let transport = MockTransport {
      Route(.post, "/files") { request in .text("\(request.bodyByteCount)") }
    }
    let stream = BodyStream {
      AsyncStream { continuation in
        for _ in 0..<3 { continuation.yield(Data(count: 1_000)) }
        continuation.finish()
      }
    }
    let client = Networking<Request>(transport: transport)
    let text = client.request(.upload(stream: stream, to: "https://api.example.com/files"))
      .toString()
    #expect(try await text.value == "3000")
  }

  @Test func aFailingStreamFailsTheRequest() async {
    let provider = MockProvider<Request> { _ in .status(200) }
    let stream = BodyStream { AsyncThrowingStream { $0.finish(throwing: TestError()) } }
    let client = Networking<Request>(mockProvider: provider)
    let result = await client.request(.upload(stream: stream, to: "https://api.example.com/"))
      .result
    #expect(result.failure(as: NetworkError.self)?.code == .encodingFailed)
  }

  @Test func retriesUntilTheServerRecovers() async throws {
    let time = TestScheduler()
    let provider = MockProvider<API>(scheduler: time) { _ in
      .sequence(.status(503), .status(503), .json([]))
    }
    let networking = Networking(
      mockProvider: provider, retry: .exponential(initial: .seconds(1), limit: 3))
    let boards = networking.request(.boards).validate().decode([Int].self)
    await time.run()
    #expect(try await boards.value.isEmpty)
    #expect(time.elapsed >= .seconds(1))
  }
}
