import Dispatch
import Foundation
import Mocking
import TestGate
import TestSupport
import Testing

@Suite(.gated)
struct WithMocksTests {
  /// The code under test, which creates its own client and accepts no mocks.
  private static func name() -> Promise<String> {
    Networking<NameAPI>().request(.name).toString()
  }

  private let network = FakeTransport { _ in .response(299) }

  @Test func aClientCreatedInTheScopeUsesTheMocks() async throws {
    let name = try await withMocks(MockProvider<NameAPI>.text("a")) { try await Self.name().value }
    #expect(name == "a")
  }

  @Test func tasksAndTaskGroupsBelongToTheScope() async throws {
    try await withMocks(MockProvider<NameAPI>.text("a")) {
      let task = Task { try await Self.name().value }
      let name = try await task.value
      #expect(name == "a")
      try await withThrowingTaskGroup(of: String.self) { group in
        for _ in 0..<4 { group.addTask { try await Self.name().value } }
        for try await name in group { #expect(name == "a") }
      }
    }
  }

  @Test func clientsOfTheScopeShareATemporaryOfflineStore() async throws {
    struct Note: RequestConvertible {
      static var baseURL: URL? { URL(string: "https://a.test/") }
      var request: Request { .post("notes", .storedOffline) }
    }
    let isOnline = MockState(false)
    let mocks = MockTransport {
      Route(.post, "/notes") { _ in isOnline.value ? .status(201) : .failure(.dnsFailed) }
    }
    var folders: [URL] = []
    for _ in 0..<2 {
      isOnline.value = false
      folders.append(
        try await withMocks(mocks) {
          let error = await #expect(throws: NetworkError.self) {
            try await Networking<Note>().request(Note()).value
          }
          #expect(error?.isStoredOffline == true)
          isOnline.value = true
          // The app has been restarted.
          let client = Networking<Note>()
          let folder = try client.offlineStore.folder
          #expect(FileManager.default.fileExists(atPath: folder.path))
          #expect(try await client.replay().value.delivered.count == 1)
          return folder
        })
    }
    #expect(Set(folders).count == 2)
    let temporary = FileManager.default.temporaryDirectory.path
    #expect(folders.allSatisfy { $0.path.hasPrefix(temporary) })
  }

  static let contexts: [ExecutionContext] = [.main, .inline, .background, LabelledQueue().context]

  @Test(arguments: contexts.indices)
  func handlersAttachedInTheScopeBelongToIt(_ index: Int) async throws {
    let context = Self.contexts[index]
    let (start, resolver) = Promise<Void>.pending()
    let name = try await withMocks(MockProvider<NameAPI>.text("a")) {
      let name =
        start
        .then(on: context) { Self.name() }
        .then(on: context) { name in Self.name().map { name + $0 } }
        .recover(on: context) { _ in Self.name() }
        .then { name in try await name + Self.name().value }
      // Settled by code outside of the scope.
      DispatchQueue.global().async { resolver.fulfill(()) }
      return try await name.value
    }
    #expect(name == "aaa")
  }

  @Test(arguments: contexts.indices)
  func workOfAPromiseInAContextBelongsToTheScope(_ index: Int) async throws {
    let context = Self.contexts[index]
    let names = try await withMocks(MockProvider<NameAPI>.text("a")) {
      let started = firstly(on: context) { Self.name() }
      let resolved = Promise<String>(on: context) { resolver in resolver.resolve(Self.name()) }
      return try await [started.value, resolved.value]
    }
    #expect(names == ["a", "a"])
  }

  @Test func handlersInVirtualTimeBelongToTheScope() async throws {
    let time = TestScheduler()
    let provider = MockProvider<NameAPI>(delay: .seconds(5), scheduler: time) { _ in .text("a") }
    try await withMocks(provider) {
      let names = after(.seconds(1), scheduler: time)
        .then { Self.name() }
        .then { name in Self.name().map { name + $0 } }
      await time.advance(by: .seconds(11))
      let name = try await names.value
      #expect(name == "aa")
    }
    #expect(time.now == .seconds(11))
  }

  @Test func aClientCreatedInTheScopeKeepsIt() async throws {
    try await withMocks(MockProvider<NameAPI>.text("a")) {
      let client = Networking<NameAPI>(transport: network)
      client.callbackContext = .inline
      // A detached task does not inherit the scope, so only the client can provide it.
      let name = try await Task.detached { try await client.request(.name).toString().value }.value
      #expect(name == "a")
    }
  }

  @Test func aClientCreatedBeforeUsesTheMocksOfItsCaller() async throws {
    let client = Networking<NameAPI>(transport: network)
    let name = try await withMocks(MockProvider<NameAPI>.text("a")) {
      try await client.request(.name).toString().value
    }
    #expect(name == "a")
    #expect(try await client.request(.name).value.status == 299)
  }

  @Test func laterAttemptsBelongToTheScope() async throws {
    let client = Networking<NameAPI>(transport: network)
    let (first, resolver) = Promise<String>.pending()
    await withMocks(MockProvider<NameAPI>.text("a")) {
      let name = retry(.immediate(limit: 1)) { attempt in
        attempt == 1 ? first : client.request(.name).toString()
      }
      // Settled by code outside of the scope.
      DispatchQueue.global().async { resolver.reject(TestError()) }
      let value = try? await name.value
      #expect(value == "a")
    }
    #expect(network.requests.isEmpty)
  }

  @Test func laterStartsOfABoundedWhenBelongToTheScope() async throws {
    let client = Networking<NameAPI>(transport: network)
    let (first, resolver) = Promise<String>.pending()
    await withMocks(MockProvider<NameAPI>.text("a")) {
      let names = when([1, 2, 3], concurrency: 1) { number in
        number == 1 ? first : client.request(.name).toString()
      }
      DispatchQueue.global().async { resolver.fulfill("first") }
      let values = try? await names.value
      #expect(values == ["first", "a", "a"])
    }
    #expect(network.requests.isEmpty)
  }

  @Test func requestsOfPipelineStagesBelongToTheScope() async throws {
    let client = Networking<NameAPI>(transport: network)
    client.callbackContext = .inline
    client.middleware = { request, client in
      request.headers.contains("Inner")
        ? .fulfilled(())
        : client.request(NameAPI.name, .headers(["Inner": "1"])).toString()
          .map { name in if name != "a" { throw TestError() } }
    }
    let name = try await withMocks(MockProvider<NameAPI>.text("a")) {
      try await client.request(.name).toString().value
    }
    #expect(name == "a")
    #expect(network.requests.isEmpty)
  }

  @Test func theProviderOfTheClientTakesPrecedence() async throws {
    let client = Networking<NameAPI>(mockProvider: MockProvider<NameAPI>.text("own"))
    let name = try await withMocks(MockProvider<NameAPI>.text("scope")) {
      try await client.request(.name).toString().value
    }
    #expect(name == "own")
  }

  @Test func aNestedScopeTakesPrecedenceAndFallsBackToTheOuterScope() async throws {
    let other = MockProvider<OtherNameAPI> { _ in .text("other") }
    try await withMocks(MockProvider<NameAPI>.text("outer"), other) {
      try await withMocks(MockProvider<NameAPI>.text("inner")) {
        let names = when(Self.name(), Networking<OtherNameAPI>().request(.name).toString())
        let (inner, other) = try await names.value
        #expect(inner == "inner")
        #expect(other == "other")
      }
      let name = try await Self.name().value
      #expect(name == "outer")
    }
  }

  @Test func anUnmatchedEndpointFailsWithAReason() async {
    await withMocks(MockProvider<NameAPI>.text("a")) {
      let result = await Networking<OtherNameAPI>(transport: network).request(.name).result
      let error = result.failure(as: NetworkError.self)
      #expect(error?.code == .mockFailed)
      #expect(error?.description.contains("OtherNameAPI") == true)
    }
    #expect(network.requests.isEmpty)
  }

  @Test func anUnmatchedEndpointPassesIfConfigured() async throws {
    try await withMocks(MockProvider<NameAPI>.text("a"), unmatched: .pass) {
      let response = try await Networking<OtherNameAPI>(transport: network).request(.name).value
      #expect(response.status == 299)
    }
  }

  @Test func aProviderThatReturnsNilPassesTheRequestOnToTheNextOne() async throws {
    try await withMocks(MockProvider<NameAPI> { _ in nil }, MockProvider<NameAPI>.text("b")) {
      let name = try await Self.name().value
      #expect(name == "b")
    }
  }

  @Test func aProviderThatReturnsNilPassesTheRequestOnToTheOuterScope() async throws {
    try await withMocks(MockProvider<NameAPI>.text("outer")) {
      try await withMocks(MockProvider<NameAPI> { _ in nil }) {
        let name = try await Self.name().value
        #expect(name == "outer")
      }
    }
  }

  @Test func typedEndpointsAreMocked() async throws {
    try await withMocks(MockProvider<GetName> { _ in .json("Ada") }) {
      let name = try await Networking<NameAPI>().fetch(GetName()).value
      #expect(name == "Ada")
    }
  }

  @Test func typedEndpointsWithOptionsAreMocked() async throws {
    try await withMocks(MockProvider<GetName> { _ in .json("Ada") }) {
      let networking = Networking<NameAPI>(transport: network)
      let name = try await networking.fetch(GetName(), .notIntercepted, .priority(.high)).value
      #expect(name == "Ada")
    }
    #expect(network.requests.isEmpty)
  }

  @Test func aThousandConcurrentScopesAreIndependent() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<1_000 {
        group.addTask {
          let time = TestScheduler()
          let provider = MockProvider<NameAPI>(delay: .milliseconds(number), scheduler: time) { _ in
            .text("\(number)")
          }
          try await withMocks(provider) {
            let names = Self.name().then(on: .background) { name in Self.name().map { name + $0 } }
            await time.run()
            let name = try await names.value
            #expect(name == "\(number)\(number)")
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
