import Foundation
import Networking
import TestGate
import TestSupport
import Testing

@testable import Mocking

/// The journal keeps a bounded number of body bytes, and verifications never guess a missing body.
@Suite(.gated)
struct KeptBodiesTests {
  @Test func aBodyAboveTheLimitForOneBodyIsNotKept() async throws {
    let limits = JournalLimits(bodyBytes: 100, singleBodyBytes: 4)
    let transport = MockTransport(journal: limits) { Route(.post, "/a", .status(200)) }
    for body in ["1234", "12345", ""] {
      _ = await transport.send(.post, "/a", body, type: nil)
    }
    let entries = transport.journal.entries
    #expect(entries.map(\.request.text) == ["1234", "", ""])
    #expect(entries.map(\.isBodyKept) == [true, false, true])
    #expect(entries[0].description == "1. POST /a, status 200, stub POST /a")
    #expect(entries[1].description == "2. POST /a, status 200, stub POST /a, body not kept")
  }

  @Test func theBodiesOfManyRequestsHaveABoundByDefault() throws {
    for limits in [JournalLimits(), MockServerLimits().journal] {
      let journal = RequestJournal(limits: limits)
      let body = Data(count: 20_000)
      for _ in 0..<2_000 {
        _ = journal.record(
          .received(.admin(.post, "/a", [:], body: body)))
      }
      let kept = journal.entries.filter(\.isBodyKept)
      #expect(journal.entries.count == 2_000)
      #expect(kept.count == (16 << 20) / 20_000)
      #expect(kept.last?.number == 2_000)
    }
  }

  private func report(_ verification: () throws -> Void) -> String {
    do {
      try verification()
      return "no failure"
    } catch {
      return (error as? VerificationFailure)?.report ?? "\(error)"
    }
  }

  @Test func aBodyThatIsNotKeptIsNeverGuessed() async throws {
    // Two bodies of ten bytes are kept.
    let provider = MockProvider<Request>(journal: JournalLimits(bodyBytes: 25)) { _ in .json([]) }
    let client = Networking(
      baseURL: URL(string: "https://api.example.com/v1/"), mode: .sync, mockProvider: provider)
    for type in [1, 2, 2] {
      _ = await client.request(.post("boards", parameters: ["type": type])).result
    }
    let two = RequestPattern.post("boards", .json(containing: ["type": 2]))
    #expect(
      report { try provider.verify(two, .exactly(2)) } == """
        expected exactly 2 requests POST boards where JSON: containing {"type":2}, received 2 to 3
          2. POST /v1/boards, status 200
          3. POST /v1/boards, status 200
        the journal has not kept the body of 1 request that may match; see JournalLimits.bodyBytes
        """)
    // The first request does not change these results.
    try provider.verify(two, .atLeast(2))
    try provider.verify(two, .between(1...3))
    try provider.verify(.post, "boards", .exactly(3))
    try provider.verify(.get, "boards", .never, where: .json(containing: ["type": 2]))
    let others: [RequestCondition] = [
      .json(containing: ["type": 3]), .not(.json(containing: ["type": 2])), .text("a"),
      .any(.query("a"), .json(at: "$.type", 1)), .satisfying("never") { _ in false },
    ]
    for condition in others {
      #expect(throws: VerificationFailure.self, "\(condition)") {
        try provider.verify(.post, "boards", .never, where: condition)
      }
    }
    let order = report {
      try provider.verifyOrder(.post("boards", .json(containing: ["type": 1])), two)
    }
    #expect(order.contains("\nthe journal has not kept the body of 1 request that may match"))
    try provider.verifyOrder(two, two)
  }
}
