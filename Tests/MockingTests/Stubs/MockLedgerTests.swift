import Foundation
import Networking
import TestSupport
import Testing

@testable import Mocking

struct MockLedgerTests {
  private func answer(
    _ mock: Mock, _ ledger: MockResolver, _ method: HTTPMethod = .get, _ path: String = "/a"
  ) throws -> String {
    let answer = try ledger.answer(
      mock, method: method, path: { path },
      request: { () throws(TransportFailure) in
        try HTTPRequest(method: method, url: .of("http://a/b?c"))
          .received(ReceivedPath(text: path), number: 0, at: .zero)
      })
    switch answer {
    case .mock(let mock): return "\(mock.status)"
    case .broken(let reason): return reason
    case .fallsThrough: return "through"
    }
  }

  private func made(_ end: Mock.SequenceEnd = .repeatsLast) -> Mock {
    .sequence(
      .status(201), .status(202), then: end, file: "Shop/Stubs.swift", line: 26, column: 6)
  }

  @Test func anAccountIsKeptForEachMethodAndPath() {
    var machine = MockResolverMachine()
    let place = Mock.Sequence.Place(file: "a", line: 1, column: 2)
    let accounts: [MockResolverMachine.Account] = [
      .init(place: place, method: .get, path: "/a"), .init(place: place, method: .get, path: "/a"),
      .init(place: place, method: .post, path: "/a"),
      .init(place: place, method: .get, path: "/b"),
      .init(place: place, method: .get, path: "/a"),
    ]
    let turns = accounts.map { machine.next(in: $0) }
    #expect(turns == [0, 1, 0, 0, 2])
    let draws = [machine.draw(), machine.draw()]
    #expect(draws == [0, 1])
  }

  @Test func aSequenceMadeAnewGoesOnWhereItWas() throws {
    let ledger = MockResolver()
    #expect(try (0..<4).map { _ in try answer(made(), ledger) } == ["201", "202", "202", "202"])
    #expect(try answer(made(), ledger, .post) == "201")
    #expect(try answer(made(), ledger, .get, "/b") == "201")
    #expect(try answer(made(), MockResolver()) == "201")
    let another = Mock.sequence(.status(203))
    #expect(try answer(another, ledger) == "203")
  }

  @Test func routesThatServeTheSamePathHaveAccountsOfTheirOwn() async throws {
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

  @Test func aSequenceEndsAsItSays() throws {
    let ledger = MockResolver()
    for _ in 0..<2 { _ = try answer(made(.fails), ledger) }
    #expect(
      try answer(made(.fails), ledger)
        == "the sequence at Shop/Stubs.swift:26:6 has given all 2 of its answers for GET /a")
    let other = MockResolver()
    #expect(
      try (0..<3).map { _ in try answer(made(.fallsThrough), other) } == ["201", "202", "through"])
    #expect(try answer(.sequence([]), other).hasSuffix(" has no answers for GET /a"))
  }

  @Test func sequencesAndTemplatesMayLieInEachOther() throws {
    let ledger = MockResolver()
    let mock = Mock.sequence(
      .template { request in .status(request.method == .get ? 210 : 211) },
      .sequence(.status(220), .status(221)))
    #expect(try (0..<4).map { _ in try answer(mock, ledger) } == ["210", "220", "221", "221"])
    #expect(try answer(mock, ledger, .put) == "211")
    #expect(try answer(.template { _ in throw TestError("no") }, ledger) == "500")
  }

  @Test func aTemplateWithoutEndIsAnError() throws {
    @Sendable func again() -> Mock { .template { _ in again() } }
    #expect(
      try answer(again(), MockResolver())
        == "templates and sequences lie in each other more than 100 deep")
  }

  @Test func whatASequenceIsGivenItsAnswersHave() throws {
    let mock = Mock.sequence(.status(200), .status(201).delayed(by: .seconds(1)))
      .delayed(by: .seconds(9)).header("A", "b").dribbled(pieces: 2, over: .seconds(1))
    let ledger = MockResolver(delay: .seconds(20))
    func next() throws -> Mock? {
      let answer = try ledger.answer(
        mock, method: .get, path: { "/" },
        request: { () throws(TransportFailure) in throw TransportFailure(code: .cancelled) })
      guard case .mock(let mock) = answer else { return nil }
      return mock
    }
    let first = try next()
    #expect(first?.delay == .seconds(9))
    #expect(first?.headers == ["A": "b"])
    #expect(first?.pace == .dribble(pieces: 2, over: .seconds(1)))
    #expect(try next()?.delay == .seconds(1))
  }

  @Test func aMissingFileIsNamedWithWhereItWasLookedFor() throws {
    let folder = URL(fileURLWithPath: "/nowhere/fixtures", isDirectory: true)
    #expect(
      try answer(.file("boards.json", in: folder), MockResolver())
        == #"there is no file "boards.json" in /nowhere/fixtures"#)
    #expect(
      try answer(.file("no such.json"), MockResolver())
        .hasPrefix(#"there is no file "no such.json" in "#))
    #expect(
      try answer(.file("", in: FileManager.default.temporaryDirectory), MockResolver())
        .contains("cannot be read"))
  }

  @Test func aValueThatIsNoJSONIsNoAnswer() throws {
    #expect(
      try answer(.json([Double.infinity]), MockResolver())
        .hasPrefix("the answer cannot be encoded as JSON: "))
    #expect(
      try answer(.json(JSON.double(.nan)), MockResolver())
        .hasPrefix("the answer cannot be encoded as JSON: "))
  }
}
