import CatenaTesting
import Foundation
import MockingRecordings
import MockingStubs
import TestGate
import TestSupport
import Testing

/// The code under test, which creates its own client and accepts no mocks.
private func name() -> Promise<String> {
  Networking<NameAPI>().request(.name).toString()
}

private enum NameAPI: RequestConvertible {
  case name
  case other

  static let baseURL: URL? = URL(string: "https://api.example.com/")
  var request: Request { .get("\(self == .name ? "name" : "other")") }
}

/// The number of times that the providers of the traits were created.
private let providerCount = Counter()

private func countedProvider() -> MockProvider<NameAPI> {
  let number = providerCount.add()
  return MockProvider { _ in .text("\(number)") }
}

/// A fixture of the main actor, as in a test target whose default isolation is the main actor.
@MainActor private let fixture = "fixture"

@MainActor private func mainActorProvider() -> MockProvider<NameAPI> {
  MockProvider { _ in .text(fixture) }
}

/// Returns a tape of one response to all requests for a name.
private func recordedName() throws -> Tape {
  let folder = TemporaryFolder()
  let entry = HAR.Entry(
    startedDateTime: "2026-01-01T00:00:00.000Z",
    request: HAR.Request(method: "GET", url: "https://api.example.com/name"),
    response: HAR.Response(status: 200, content: HAR.Content(size: 8, text: "recorded")))
  try HAR(log: HAR.Log(entries: [entry])).write(to: folder.url("name.har"))
  return try Tape(replaying: folder.url("name.har"))
}

/// Returns a stub file with a response to all requests for a name.
private func nameStubs() throws -> StubFile {
  let folder = TemporaryFolder()
  let url = try folder.file(
    "name.json", #"{"routes": [{"path": "/name", "text": "stubbed"}]}"#)
  return try withExtendedLifetime(folder) { try StubFile(contentsOf: url) }
}

/// A source of mocks of its own.
private struct NameBackend: MockSource {
  let name: String

  func makeMocks() -> ScopedMocks {
    MockTransport { Route(.get, "/name", .text(name)) }.makeMocks()
  }
}

@Suite(.gated)
struct MockedTraitTests {
  @Test(.mocked(try recordedName()))
  func aRecordingResponds() async throws {
    #expect(try await name().value == "recorded")
    try Test.mocks.verify(.get, "name")
  }

  @Test(.mocked { Route(.get, "/other", .text("routed")) }, .mocked(try recordedName()))
  func aRecordingPassesOtherRequestsOn() async throws {
    #expect(try await name().value == "recorded")
    #expect(try await Networking<NameAPI>().request(.other).toString().value == "routed")
    #expect(Test.mocks.requestCount == 2)
  }

  @Test(.mocked(try nameStubs()))
  func aStubFileResponds() async throws {
    #expect(try await name().value == "stubbed")
    try Test.mocks.verify(.get, "name")
  }

  @Test(.mocked(NameBackend(name: "first")), .mocked(NameBackend(name: "last")))
  func aSourceOfTheTestsResponds() async throws {
    #expect(try await name().value == "last")
    try Test.mocks.verify(.get, "name")
  }

  @Test(.mocked(NameAPI.self) { _ in .text("a") })
  func theMocksOfAnEndpointTypeRespond() async throws {
    #expect(try await name().value == "a")
    try Test.mocks.verify(.get, "name")
    try Test.mocks(for: NameAPI.self).verifyNothingElse()
  }

  @Test(.mocked { (endpoint: NameAPI) in endpoint == .name ? .text("b") : nil })
  func theTypeOfTheEndpointsIsInferred() async throws {
    #expect(try await name().value == "b")
  }

  @Test(
    .mocked {
      Route(.get, "/name", .text("routed"))
      Route(.get, "/boards/{id}") { request in .text(request.path["id"]) }
    })
  func theRoutesRespondToAllClients() async throws {
    #expect(try await name().value == "routed")
    let plain = Networking<Request>().request(.get("https://other.example.com/boards/7"))
    #expect(try await plain.toString().value == "7")
    try Test.mocks.verifyOrder(.get("/name"), .get("/boards/7"), gaps: .forbidden)
  }

  @Test(.mocked(countedProvider()), arguments: 0..<10)
  func eachTestCaseHasMocksOfItsOwn(_ round: Int) async throws {
    let first = try await name().value
    #expect(try await name().value == first)
    #expect(Test.mocks.requestCount == 2)
  }

  @Test(.mocked(mainActorProvider()))
  func aFunctionOfTheMainActorCreatesTheMocks() async throws {
    #expect(try await name().value == "fixture")
  }

  @Test(.mocked { Route(.get, "/name", .text(fixture)) })
  func routesUseStateOfTheMainActor() async throws {
    #expect(try await name().value == "fixture")
  }

  @Test(
    .mocked(NameAPI.self) { _ in .text("first") },
    .mocked(NameAPI.self) { endpoint in endpoint == .name ? nil : .text("last") })
  func theLastTraitTakesPrecedenceAndPassesOn() async throws {
    #expect(try await name().value == "first")
    let other = Networking<NameAPI>().request(.other).toString()
    #expect(try await other.value == "last")
    #expect(Test.mocks.requestCount == 1)
  }

  @Test(.mocked { Route(.get, "/name", .failure(TestError("mocked"))) })
  func anErrorOfAMockIsNoIssue() async {
    #expect(await name().result.error as? TestError == TestError("mocked"))
  }

  @Suite(.mocked(NameAPI.self) { _ in .text("suite") })
  struct SuiteTests {
    @Test func theTraitOfASuiteAppliesToItsTests() async throws {
      #expect(try await name().value == "suite")
      #expect(Test.mocks.requestCount == 1)
    }

    @Test func theTraitOfASuiteAppliesToEachTestSeparately() async throws {
      #expect(Test.mocks.requestCount == 0)
    }

    @Test(.mocked { Route(.get, "/name", .text("test")) })
    func theTraitOfATestTakesPrecedence() async throws {
      #expect(try await name().value == "test")
      let other = Networking<NameAPI>().request(.other).toString()
      #expect(try await other.value == "suite")
      #expect(Test.mocks(for: NameAPI.self).requestCount == 1)
    }
  }
}

/// Problems that a trait or an accessor reports.
@Suite(.gated)
struct MockedTraitIssueTests {
  /// Runs a function in the scope of a trait, and returns the comments of the recorded issues.
  private func issues(
    of trait: MockedTrait, _ function: @Sendable () async throws -> Void
  ) async throws -> [String] {
    let test = try #require(Test.current)
    let log = Log<String>()
    try await withKnownIssue("The trait reports problems.", isIntermittent: true) {
      try await trait.provideScope(for: test, testCase: nil, performing: function)
    } matching: { issue in
      for comment in issue.comments { log.append(comment.rawValue) }
      return true
    }
    return log.entries
  }

  @Test func aRequestWithoutAMockFailsTheTestEvenIfItsErrorIsIgnored() async throws {
    let line: UInt = #line + 1
    let trait: MockedTrait = .mocked(NameAPI.self) { _ in nil }
    let issues = try await issues(of: trait) {
      let error = await name().result.failure(as: NetworkError.self)
      #expect(error?.code == .mockFailed)
    }
    #expect(
      issues == [
        "GET https://api.example.com/name: there is no mocked response: the trait .mocked at "
          + "CatenaTestingTests/MockedTraitTests.swift:\(line) has no mock for NameAPI.name"
      ])
  }

  @Test func aRequestWithoutARouteFailsTheTest() async throws {
    let trait: MockedTrait = .mocked { Route(.get, "/boards", .json([])) }
    let issues = try await issues(of: trait) { _ = await name().result }
    #expect(issues.count == 1)
    #expect(issues.first?.contains("no route for GET /name; nearest routes: GET /boards;") == true)
  }

  @Test func aThrownErrorDoesNotHideARequestWithoutAMock() async throws {
    let trait: MockedTrait = .mocked(NameAPI.self) { _ in nil }
    let issues = try await issues(of: trait) {
      _ = await name().result
      throw TestError("thrown")
    }
    #expect(issues.contains { $0.contains("has no mock for NameAPI.name") })
  }

  @Test func aTestWithMocksForAllItsRequestsHasNoIssue() async throws {
    let trait: MockedTrait = .mocked(NameAPI.self) { _ in .failure(.connectionLost) }
    let issues = try await issues(of: trait) { _ = await name().result }
    #expect(issues.isEmpty)
  }

  @Test func onlyTheFirstRequestsWithoutAMockAreListed() async throws {
    let trait: MockedTrait = .mocked(NameAPI.self) { _ in nil }
    let issues = try await issues(of: trait) {
      for _ in 0..<12 { _ = await name().result }
    }
    #expect(issues.count == 11)
    #expect(issues.last == "and 2 more requests without a mock")
  }

  @Test func theAccessorsReportAMissingTrait() {
    let log = Log<String>()
    withKnownIssue("The test has no trait.") {
      #expect(Test.mocks.requestCount == 0)
      #expect(Test.mocks(for: NameAPI.self).requestCount == 0)
      #expect(Test.virtualTime.elapsed == .zero)
    } matching: { issue in
      for comment in issue.comments { log.append(comment.rawValue) }
      return true
    }
    #expect(
      log.entries == [
        "the test does not have the trait .mocked",
        "the test does not have the trait .mocked(NameAPI.self)",
        "the test does not have the trait .virtualTime",
      ])
  }

  @Test func aVerificationFailureIsRecordedAtItsLocation() {
    let provider = MockProvider<NameAPI> { _ in .text("a") }
    let log = Log<SourceLocation?>()
    let line = #line + 3
    withKnownIssue("The verification fails.") {
      do throws(VerificationFailure) {
        try provider.verify(.get, "name")
      } catch {
        error.record()
      }
    } matching: { issue in
      log.append(issue.sourceLocation)
      return issue.comments.first?.rawValue.hasPrefix("expected exactly 1 request GET name") == true
    }
    #expect(log.entries.map { $0?.line } == [line])
    #expect(log.entries.first??.fileName == "MockedTraitTests.swift")
  }
}
