import Foundation
import Networking
import TestGate
import TestSupport
import Testing

@testable import Mocking

@Suite(.gated)
struct MockResolverTests {
  private func resolve(
    _ mock: Mock, _ resolver: MockResolver, _ method: HTTPMethod = .get, _ path: String = "/a"
  ) throws -> String {
    let resolution = try resolver.resolve(
      mock, method: method, path: { path },
      request: { () throws(TransportFailure) in
        try HTTPRequest(method: method, url: .of("http://a/b?c"))
          .received(ReceivedPath(text: path), number: 0, at: .zero)
      })
    switch resolution {
    case .mock(let mock): return "\(mock.status)"
    case .invalid(let reason): return reason
    case .fallsThrough: return "through"
    }
  }

  private func sequence(_ end: Mock.SequenceEnd = .repeatsLast) -> Mock {
    .sequence(
      .status(201), .status(202), then: end, file: "Shop/Stubs.swift", line: 26, column: 6)
  }

  @Test func usesAreCountedForEachMethodAndPath() {
    var machine = MockResolverMachine()
    let place = Mock.ResponseSequence.SourceLocation(file: "a", line: 1, column: 2)
    let keys: [MockResolverMachine.SequenceKey] = [
      .init(location: place, method: .get, path: "/a"),
      .init(location: place, method: .get, path: "/a"),
      .init(location: place, method: .post, path: "/a"),
      .init(location: place, method: .get, path: "/b"),
      .init(location: place, method: .get, path: "/a"),
    ]
    let counts = keys.map { machine.next(in: $0) }
    #expect(counts == [0, 1, 0, 0, 2])
    let draws = [machine.draw(), machine.draw()]
    #expect(draws == [0, 1])
  }

  @Test func aRecreatedSequenceContinues() throws {
    let resolver = MockResolver()
    #expect(
      try (0..<4).map { _ in try resolve(sequence(), resolver) } == ["201", "202", "202", "202"])
    #expect(try resolve(sequence(), resolver, .post) == "201")
    #expect(try resolve(sequence(), resolver, .get, "/b") == "201")
    #expect(try resolve(sequence(), MockResolver()) == "201")
    let another = Mock.sequence(.status(203))
    #expect(try resolve(another, resolver) == "203")
  }

  @Test func routesOfTheSamePathHaveSeparateState() async throws {
    func flaky() -> Mock { .sequence(.status(503), .status(200)) }
    let transport = MockTransport {
      Route(.get, "/a", flaky()).where(.query("page", "1"))
      Route(.get, "/a", flaky())
    }
    var statuses: [Int?] = []
    for query in ["?page=1", "", "?page=1", ""] {
      let url = try #require(URL(string: "http://x/a\(query)"))
      statuses.append(await transport.get(url).head?.status)
    }
    #expect(statuses == [503, 503, 200, 200])
  }

  @Test func aSequenceEndsAsConfigured() throws {
    let resolver = MockResolver()
    for _ in 0..<2 { _ = try resolve(sequence(.fails), resolver) }
    #expect(
      try resolve(sequence(.fails), resolver)
        == "the sequence at Shop/Stubs.swift:26:6 is exhausted after 2 responses for GET /a")
    let other = MockResolver()
    #expect(
      try (0..<3).map { _ in try resolve(sequence(.fallsThrough), other) } == [
        "201", "202", "through",
      ])
    let exhausted = " is exhausted after 0 responses for GET /a"
    #expect(try resolve(.sequence([]), other).hasSuffix(exhausted))
  }

  @Test func sequencesAndTemplatesCanBeNested() throws {
    let resolver = MockResolver()
    let mock = Mock.sequence(
      .template { request in .status(request.method == .get ? 210 : 211) },
      .sequence(.status(220), .status(221)))
    #expect(try (0..<4).map { _ in try resolve(mock, resolver) } == ["210", "220", "221", "221"])
    #expect(try resolve(mock, resolver, .put) == "211")
    #expect(try resolve(.template { _ in throw TestError("no") }, resolver) == "500")
  }

  @Test func anInfiniteTemplateIsAnError() throws {
    @Sendable func again() -> Mock { .template { _ in again() } }
    #expect(
      try resolve(again(), MockResolver())
        == "templates, sequences and weights are nested more than 100 levels deep")
  }

  @Test(arguments: [(100, true), (101, false)])
  func aHundredTemplatesCanBeNested(_ count: Int, _ isResolved: Bool) throws {
    @Sendable func nested(_ count: Int) -> Mock {
      count == 0 ? .status(204) : .template { _ in nested(count - 1) }
    }
    #expect((try resolve(nested(count), MockResolver()) == "204") == isResolved)
  }

  @Test func theModifiersOfASequenceApplyToItsResponses() throws {
    let mock = Mock.sequence(.status(200), .status(201).delayed(by: .seconds(1)))
      .delayed(by: .seconds(9)).header("A", "b").dribbled(pieces: 2, over: .seconds(1))
    let resolver = MockResolver(delay: .seconds(20))
    func next() throws -> Mock? {
      let resolution = try resolver.resolve(
        mock, method: .get, path: { "/" },
        request: { () throws(TransportFailure) in throw TransportFailure(code: .cancelled) })
      guard case .mock(let mock) = resolution else { return nil }
      return mock
    }
    let first = try next()
    #expect(first?.delay == .seconds(9))
    #expect(first?.headers == ["A": "b"])
    #expect(first?.pace == .dribble(pieces: 2, over: .seconds(1)))
    #expect(try next()?.delay == .seconds(1))
  }

  @Test func aMissingFileIsReportedWithItsFolder() throws {
    func reason(_ mock: Mock) throws -> String {
      let error = #expect(throws: MockFile.ReadError.self) { try mock.openingFile(for: nil) }
      return try #require(error).reason
    }
    let folder = URL(fileURLWithPath: "/nowhere/fixtures", isDirectory: true)
    #expect(
      try reason(.file("boards.json", in: folder))
        == #"there is no file "boards.json" in /nowhere/fixtures"#)
    #expect(
      try reason(.file("no such.json")).hasPrefix(#"there is no file "no such.json" in "#))
    #expect(
      try reason(.file("", in: FileManager.default.temporaryDirectory)).contains("cannot be read"))
  }

  @Test func aValueThatIsNotJSONIsAnError() throws {
    #expect(
      try resolve(.json([Double.infinity]), MockResolver())
        .hasPrefix("the response body cannot be encoded as JSON: "))
    #expect(
      try resolve(.json(JSON.double(.nan)), MockResolver())
        .hasPrefix("the response body cannot be encoded as JSON: "))
  }

  @Test(arguments: [
    "../secret", "a/../../secret", "..%2Fsecret", "a/%2e%2E/%2e%2e/secret", "..\\secret",
  ])
  func aNameThatLeadsOutOfItsFolderIsNotRead(_ name: String) throws {
    let folder = TemporaryFolder()
    _ = try folder.file("secret", "s3cret")
    try FileManager.default.createDirectory(
      at: folder.url("inner/a"), withIntermediateDirectories: true)
    let error = #expect(throws: MockFile.ReadError.self) {
      try MockFile(name, in: folder.url("inner")).read()
    }
    #expect(error?.reason.contains("leads out of its folder") == true)
  }
}
