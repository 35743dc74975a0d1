import Foundation
import Mocking
import TestGate
import TestSupport
import Testing

/// Requests without a mock, for which the default is an error in scopes and for routes.
@Suite(.gated)
struct StrictMocksTests {
  private enum ShopAPI: RequestConvertible {
    case login(password: String)
    case order
    case item(Int)

    static let baseURL: URL? = URL(string: "https://shop.example.com/v1/")

    var request: Request {
      switch self {
      case .login(let password): .get("login", parameters: ["password": .string(password)])
      case .order: .post("order")
      case .item(let id): .get("items/\(id)")
      }
    }
  }

  /// An endpoint whose description contains its value.
  private enum DescribedAPI: RequestConvertible, CustomStringConvertible {
    case secret

    static let baseURL: URL? = ShopAPI.baseURL
    var request: Request { .get("secret") }
    var description: String { "s3cret" }
  }

  private let network = FakeTransport { _ in .response(299) }

  private func client<Endpoint>(_ provider: MockProvider<Endpoint>?) -> Networking<Endpoint> {
    Networking(mockProvider: provider, transport: network)
  }

  private func failure(of response: NetworkPromise) async -> NetworkError? {
    await response.result.failure(as: NetworkError.self)
  }

  // MARK: Providers of clients

  @Test func nilOfAStrictProviderFailsWithTheEndpointTheRequestAndTheProvider() async {
    let line: UInt = #line + 1
    let provider = MockProvider<ShopAPI>(strict: true) { _ in nil }
    let error = await failure(of: client(provider).request(.login(password: "hunter-2")))
    #expect(error?.code == .mockFailed)
    #expect(
      error?.description
        == "GET https://shop.example.com/v1/login?password=***: there is no mocked response: "
        + "the mock provider at MockingTests/StrictMocksTests.swift:\(line) has no mock for "
        + "ShopAPI.login")
    #expect(network.requests.isEmpty)
  }

  @Test func theErrorContainsNoValuesOfTheEndpoint() async {
    let shop = MockProvider<ShopAPI>(strict: true) { _ in nil }
    let reason = await failure(of: client(shop).request(.order))?.reason
    #expect(reason?.hasSuffix(" has no mock for ShopAPI.order") == true)
    let changed = client(shop).request(ShopAPI.item(7), .notIntercepted)
    #expect(await failure(of: changed)?.reason?.hasSuffix(" for ShopAPI.item") == true)
    let described = MockProvider<DescribedAPI>(strict: true) { _ in nil }
    let text = await failure(of: client(described).request(.secret))?.reason
    #expect(text?.hasSuffix(" has no mock for DescribedAPI") == true)
    let plain = MockProvider<Request>(strict: true) { _ in nil }
    let request = client(plain).request(.get("https://a.example.com/x"))
    #expect(await failure(of: request)?.reason?.hasSuffix(" has no mock for Request") == true)
  }

  @Test func aStrictProviderStillResponds() async throws {
    let provider = MockProvider<ShopAPI>(strict: true) { _ in .text("a") }
    #expect(try await client(provider).request(.order).toString().value == "a")
  }

  @Test func aSequenceOfAStrictProviderDoesNotFallThroughToTheNetwork() async throws {
    let provider = MockProvider<ShopAPI>(strict: true) { _ in
      .sequence(.status(201), then: .fallsThrough)
    }
    let shop = client(provider)
    #expect(try await shop.request(.order).value.status == 201)
    let reason = await failure(of: shop.request(.order))?.reason
    #expect(
      reason?.hasSuffix(" has no mock for ShopAPI.order after a sequence falls through") == true)
    #expect(network.requests.isEmpty)
  }

  @Test func aRequestThatFailsForLackOfAMockIsRecorded() async {
    let provider = MockProvider<ShopAPI>(strict: true) { _ in nil }
    _ = await client(provider).request(.order).result
    #expect(provider.journal.entries.map(\.outcome) == [.failure(.mockFailed)])
    #expect(throws: VerificationFailure.self) { try provider.verifyNothingElse() }
  }

  @Test func aRequestForTheNetworkIsNotRecorded() async throws {
    let provider = MockProvider<ShopAPI>(strict: false) { _ in nil }
    #expect(try await client(provider).request(.order).value.status == 299)
    #expect(provider.requestCount == 0)
  }

  // MARK: Scopes

  @Test func nilFailsInAScope() async {
    let line: UInt = #line + 1
    await withMocks(MockProvider<ShopAPI> { _ in nil }) {
      let error = await failure(of: client(nil as MockProvider<ShopAPI>?).request(.item(7)))
      #expect(
        error?.description
          == "GET https://shop.example.com/v1/items/7: there is no mocked response: the withMocks "
          + "at MockingTests/StrictMocksTests.swift:\(line) has no mock for ShopAPI.item")
    }
    #expect(network.requests.isEmpty)
  }

  @Test func aScopeWithoutAProviderForTheEndpointNamesItsProviders() async {
    let shop = MockProvider<ShopAPI> { _ in .status(200) }
    await withMocks(shop, MockProvider<OtherNameAPI>.text("b")) {
      let error = await failure(of: client(nil as MockProvider<NameAPI>?).request(.name))
      let reason = " has no mock for NameAPI.name; it has mocks for ShopAPI, OtherNameAPI"
      #expect(error?.reason?.hasSuffix(reason) == true)
    }
    #expect(network.requests.isEmpty)
  }

  @Test func nilIsSentToTheNetworkIfTheScopeOrTheProviderAllowsIt() async throws {
    let provider = MockProvider<ShopAPI> { _ in nil }
    try await withMocks(provider, unmatched: .pass) {
      let response = try await client(nil as MockProvider<ShopAPI>?).request(.order).value
      #expect(response.status == 299)
    }
    try await withMocks(MockProvider<ShopAPI>(strict: false) { _ in nil }) {
      let response = try await client(nil as MockProvider<ShopAPI>?).request(.order).value
      #expect(response.status == 299)
      // The provider is for endpoints of its type only.
      let other = await failure(of: client(nil as MockProvider<NameAPI>?).request(.name))
      #expect(other?.code == .mockFailed)
    }
  }

  @Test func aStrictProviderDoesNotPassRequestsOnToTheOuterScope() async {
    await withMocks(MockProvider<ShopAPI> { _ in .status(200) }) {
      await withMocks(MockProvider<ShopAPI>(strict: true) { _ in nil }) {
        let error = await failure(of: client(nil as MockProvider<ShopAPI>?).request(.order))
        #expect(error?.reason?.hasPrefix("the mock provider at ") == true)
      }
    }
  }

  @Test func aSequenceFallsThroughToTheNextProviderOfAScope() async throws {
    let first = MockProvider<ShopAPI> { _ in .sequence(.text("first"), then: .fallsThrough) }
    let second = MockProvider<ShopAPI> { _ in .sequence(.text("second"), then: .fallsThrough) }
    try await withMocks(first, second) {
      let shop = client(nil as MockProvider<ShopAPI>?)
      let texts = try await [
        shop.request(.order).toString().value, shop.request(.order).toString().value,
      ]
      #expect(texts == ["first", "second"])
      #expect(await failure(of: shop.request(.order))?.code == .mockFailed)
    }
    #expect(first.journal.entries.map(\.outcome).suffix(2) == [.passedThrough, .passedThrough])
    #expect(network.requests.isEmpty)
  }

  // MARK: Routes for all clients

  @Test func theRoutesOfATransportRespondToEndpointsOfAllTypes() async throws {
    let backend = MockTransport {
      Route(.get, "/name", .text("ann"))
      Route(.get, "/v1/items/{id}") { request in .text(request.path["id"]) }
    }
    try await withMocks(backend) {
      let name = try await client(nil as MockProvider<NameAPI>?).request(.name).toString().value
      #expect(name == "ann")
      let shop = client(nil as MockProvider<ShopAPI>?)
      let item = try await shop.request(.item(7)).toString().value
      #expect(item == "7")
      let reason = await failure(of: shop.request(.login(password: "hunter-2")))?.reason
      #expect(
        reason == """
          no route for GET /v1/login
          nearest routes:
            GET /name
              path: expected /name, actual /v1/login
            GET /v1/items/{id}
              path: expected /v1/items/{id}, actual /v1/login
          """)
    }
    try backend.verifyOrder(.get("/name"), .get("/v1/items/7"))
    #expect(network.requests.isEmpty)
  }

  @Test func aRequestWithoutARouteIsSentToTheNetworkIfTheScopeAllowsIt() async throws {
    let backend = MockTransport { Route(.get, "/name", .text("ann")) }
    try await withMocks(backend, unmatched: .pass) {
      let name = try await client(nil as MockProvider<NameAPI>?).request(.name).toString().value
      #expect(name == "ann")
      let response = try await client(nil as MockProvider<ShopAPI>?).request(.order).value
      #expect(response.status == 299)
    }
    #expect(backend.journal.entries.map(\.outcome).last == .passedThrough)
    #expect(network.requests.count == 1)
  }

  @Test func aRequestWithoutARouteIsPassedOnToTheOuterScope() async throws {
    try await withMocks(MockProvider<NameAPI>.text("outer")) {
      try await withMocks(MockTransport(routes: [])) {
        let name = try await client(nil as MockProvider<NameAPI>?).request(.name).toString().value
        #expect(name == "outer")
      }
    }
  }

  @Test func theFallbackOfATransportTakesPrecedenceOverTheOuterScope() async throws {
    let transport = MockTransport(routes: [], fallback: network)
    try await withMocks(MockProvider<NameAPI>.text("outer")) {
      try await withMocks(transport) {
        let response = try await client(nil as MockProvider<NameAPI>?).request(.name).value
        #expect(response.status == 299)
      }
    }
  }
}
