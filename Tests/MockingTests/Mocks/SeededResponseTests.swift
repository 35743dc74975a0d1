import Foundation
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingTemplates

/// Weighted responses, faults with a chance, random delays and templates, which share one seed.
@Suite(.gated)
struct SeededResponseTests {
  private static let weighted = Mock.weighted(
    (3, .status(200)), (0, .status(201)), (1, .status(503)))

  private func responses(_ transport: any Transport, count: Int = 40) async -> [String] {
    var responses: [String] = []
    for _ in 0..<count { responses.append(await transport.response("/a")) }
    return responses
  }

  @Test func aResponseIsDrawnByItsWeight() async {
    let transport = MockTransport { Route(.get, "/a", Self.weighted) }
    let responses = await responses(transport, count: 2_000)
    let failures = responses.count { $0 == "503 " }
    // Deterministic by the default seed: the expected number is 500.
    #expect((400...600).contains(failures))
    #expect(responses.allSatisfy { $0 == "200 " || $0 == "503 " })
  }

  @Test func aChoiceSelectsByTheSharesOfTheWeights() throws {
    let choice = try #require(
      Mock.WeightedChoice([(2, .status(201)), (0, .status(202)), (6, .status(203))]))
    #expect(choice.shares.map(\.share) == [0.25, 0.75])
    let statuses = [0, 0.2499, 0.25, 0.999, 1].map { choice.mock(at: $0).status }
    #expect(statuses == [201, 201, 203, 203, 203])
  }

  @Test(arguments: [[], [0, 0], [-1, 2], [.infinity], [.nan], [1e308, 1e308]] as [[Double]])
  func unusableWeightsAreAnError(weights: [Double]) async {
    let mock = Mock.weighted(weights.map { ($0, .status(200)) })
    let transport = MockTransport { Route(.get, "/a", mock) }
    let failure = await transport.get(.of("http://a/a")).failure
    #expect(failure?.code == .mockFailed)
    #expect(
      failure?.detail.contains(
        "the weights of the responses must be 0 or more, finite, and not all 0") == true)
  }

  @Test func theSameSeedGivesTheSameRun() async {
    let routes = [
      Route(
        .get, "/a",
        .weighted(
          (1, .template(text: "{{ randomInt(1, 1000) }} {{ uuid }}")),
          (1, .text("reset").interrupted(by: .reset, at: .request, chance: 0.5)))
      )
    ]
    let first = await responses(MockTransport(routes: routes, seed: 7))
    #expect(await responses(MockTransport(routes: routes, seed: 7)) == first)
    #expect(await responses(MockTransport(routes: routes, seed: 8)) != first)
    #expect(
      await responses(MockTransport(routes: routes)) == responses(MockTransport(routes: routes)))
    #expect(Set(first).count > 10)
  }

  @Test func aServerAndAProviderDrawTheSameAsATransport() async throws {
    let routes = [Route(.get, "/a", Self.weighted)]
    let expected = await responses(MockTransport(routes: routes, seed: 3))
    let server = try MockServer(routes: routes, seed: 3)
    defer { server.stop() }
    let transport = PlatformTransport.make()
    var statuses: [String] = []
    for _ in expected {
      let record = await transport.get(server.url.appending(path: "a"))
      statuses.append("\(record.head?.status ?? 0) ")
    }
    #expect(statuses == expected)
    let provider = MockProvider<Request>(routes: routes, seed: 3)
    let mocked = try #require(provider.transport(for: .get("http://a/a"), real: transport))
    #expect(await responses(mocked) == expected)
  }

  @Test func aFaultWithAChanceHitsItsShareOfTheResponses() async {
    func count(_ chance: Double) async -> Int {
      let transport = MockTransport {
        Route(.get, "/a", .text("x").interrupted(by: .reset, at: .request, chance: chance))
      }
      return await responses(transport, count: 400).count { $0 != "200 x" }
    }
    #expect(await count(1) == 400)
    #expect(await count(7) == 400)
    #expect(await count(0) == 0)
    #expect(await count(.nan) == 0)
    #expect((60...140).contains(await count(0.25)))
  }

  @Test func randomDelaysFollowTheSeed() async throws {
    let routes = [Route(.get, "/a", .text("x").delayed(by: .uniform(.seconds(1), .seconds(9))))]
    func time(_ seed: UInt64) async throws -> Duration {
      let scheduler = TestScheduler()
      let transport = MockTransport(routes: routes, scheduler: scheduler, seed: seed)
      _ = try await scheduler.run { await responses(transport, count: 5) }
      return scheduler.now
    }
    let first = try await time(1)
    #expect(try await time(1) == first)
    #expect(try await time(2) != first)
  }

  // MARK: Defaults

  @Test func defaultsApplyToTheMembersThatAResponseDoesNotSet() async throws {
    let scheduler = TestScheduler()
    let defaults = Mock(status: 500).header("X-Version", "3").header("X-Own", "default")
      .delayed(by: .seconds(2))
    let routes = [
      Route(.get, "/a", .text("a").header("X-Own", "a")),
      Route(.get, "/b") { _ in .text("b").delayed(by: .seconds(1)) },
      Route(.get, "/c") { (_: ReceivedRequest) async -> Mock in .sequence(.text("c"), .status(204))
      },
    ].withDefaults(defaults)
    let transport = MockTransport(routes: routes, scheduler: scheduler)
    var ends: [Duration] = []
    for (path, text) in [("a", "a"), ("b", "b"), ("c", "c")] {
      let url = try #require(URL(string: "http://a/\(path)"))
      let record = try await scheduler.run { await transport.get(url) }
      #expect(record.head?.status == 200)
      #expect(record.head?.headers["X-Version"] == "3")
      #expect(record.head?.headers["X-Own"] == (path == "a" ? "a" : "default"))
      #expect(String(decoding: record.body, as: UTF8.self) == text)
      ends.append(scheduler.now)
    }
    #expect(ends == [.seconds(2), .seconds(3), .seconds(5)])
  }
}
