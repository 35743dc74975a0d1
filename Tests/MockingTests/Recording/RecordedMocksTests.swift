import Foundation
import Networking
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingRecordings
@testable import MockingStubs

/// Archives of other programs as mocks.
@Suite(.gated)
struct RecordedMocksTests {
  private let folder = TemporaryFolder()

  /// Writes an archive with entries.
  private func archive(_ entries: String...) throws -> URL {
    try folder.file("a.har", #"{"log":{"entries":[\#(entries.joined(separator: ","))]}}"#)
  }

  @Test func inWithMocksATapePassesOtherRequestsOn() async throws {
    let file = try archive(
      #"{"request":{"method":"GET","url":"https://a.test/boards"},"response":{"status":200,"content":{"text":"recorded"}}}"#
    )
    let tape = try Tape(replaying: file)
    #expect(!tape.needsNetwork)
    let provider = MockProvider<Request>(routes: [Route(.get, "/other", .text("other"))])
    try await withMocks(tape, provider) {
      let client = Networking<Request>()
      let board = try await client.request(.get("https://a.test/boards")).validate().toString()
        .value
      #expect(board == "recorded")
      let other = try await client.request(.get("https://a.test/other")).validate().toString()
        .value
      #expect(other == "other")
      let missing = await client.request(.get("https://a.test/missing")).result
      #expect(throws: NetworkError.self) { try missing.get() }
    }
    #expect(tape.unplayed.isEmpty)
  }

  @Test func aTapeThatRecordsInAScopeNeedsANetworkAndReadsNoStreamThatItDoesNotRecord() async throws
  {
    let network = FakeTransport { _ in .response(204) }
    let tape = try Tape(folder.tape, over: network, options: Tape.Options(bodyLimit: 3))
    let mocks = tape.makeMocks()
    let url = URL.of("https://a.test/upload")
    let transport = try #require(
      mocks.provider.transport(Request.get("https://a.test/upload"), nil))
    #expect(transport.needsNetwork)
    let stream = BodyStream(length: 4) { AsyncStream { $0.finish() } }
    _ = await transport.perform(HTTPRequest(method: .post, url: url, body: .stream(stream)))
    #expect(network.requests.map(\.body) == [.stream(stream)])
    #expect(tape.entries.count == 1)
    #expect(mocks.backend.journal.entries.map(\.outcome) == [.passedThrough])
  }

  @Test func aResetOfTheScenariosReplaysARecordingFromItsStart() async throws {
    let entry = { (status: Int) in
      #"{"request":{"method":"GET","url":"https://a.test/a"},"response":{"status":\#(status)}}"#
    }
    let served = MockTransport(
      routes: try StubFile(contentsOf: try archive(entry(503), entry(200))).routes)
    let statuses = {
      var statuses: [Int?] = []
      for _ in 0..<3 { statuses.append(await served.get("https://mock.test/a").head?.status) }
      return statuses
    }
    #expect(await statuses() == [503, 200, 200])
    served.scenarios.reset()
    #expect(await statuses() == [503, 200, 200])
  }

  @Test func aRedirectAndItsCookiesLeadToTheMock() async throws {
    let file = try archive(
      #"""
      {"request":{"method":"GET","url":"https://a.test/old"},
       "response":{"status":302,"redirectURL":"https://a.test/new?x=1",
        "headers":[{"name":"Set-Cookie","value":"s=1; Domain=a.test; Path=/"}]}}
      """#,
      #"{"request":{"method":"GET","url":"https://a.test/out"},"response":{"status":302,"redirectURL":"https://b.test/"}}"#
    )
    let recorded = await (try Tape(replaying: file)).get("https://a.test/old").head
    #expect(recorded?.headers["Location"] == "https://a.test/new?x=1")
    let served = MockTransport(routes: try StubFile(contentsOf: file).routes)
    let head = await served.get("https://mock.test/old").head
    #expect(head?.headers["Location"] == "/new?x=1")
    #expect(head?.headers["Set-Cookie"] == "s=1; Path=/")
    #expect(
      await served.get("https://mock.test/out").head?.headers["Location"] == "https://b.test/")
  }

  @Test func theMediaTypeOfTheContentIsTheContentTypeIfTheFieldIsMissing() async throws {
    let file = try archive(
      #"{"request":{"method":"GET","url":"https://a.test/a"},"response":{"status":200,"content":{"mimeType":"text/csv; charset=windows-1251","text":"\u043f"}}}"#
    )
    let record = await (try Tape(replaying: file)).get("https://a.test/a")
    #expect(record.head?.headers["Content-Type"] == "text/csv; charset=windows-1251")
    #expect(record.body == Data([0xEF]))
  }

  @Test func aMissingMethodIsGETOrPOST() throws {
    let file = try archive(
      #"{"request":{"method":null,"url":"https://a.test/a"},"response":{"status":200}}"#,
      #"{"request":{"url":"https://a.test/b","postData":{"text":"b"}},"response":{"status":200}}"#)
    #expect(try HAR(contentsOf: file).log.entries.map(\.request.method) == ["GET", "POST"])
  }

  @Test func aNumericCodeIsReplayedAsRecorded() async throws {
    let file = try archive(
      #"{"request":{"method":"GET","url":"https://a.test/a"},"response":{"status":200,"content":{"text":"{\"code\":4711,\"pin\":12}"}}}"#
    )
    let tape = try Tape(replaying: file)
    #expect(await tape.get("https://a.test/a").body == Data(#"{"code":4711,"pin":12}"#.utf8))
  }

  @Test func requestBodiesCountAgainstTheLimitOfTheRecording() async throws {
    let network = FakeTransport { _ in .response(204) }
    let tape = try Tape(folder.tape, over: network, options: Tape.Options(totalBodyLimit: 7))
    for _ in 1...2 {
      _ = await tape.perform(
        HTTPRequest(
          method: .post, url: .of("https://a.test/upload"), body: .data(Data("12345".utf8))))
    }
    #expect(tape.entries.map(\.request.postData?.text) == ["12345", ""])
    #expect(
      tape.warnings.map(\.description) == [
        "log.entries[1], POST https://a.test/upload: the body was not recorded, because the "
          + "recording has reached 7 bytes"
      ])
    try tape.save()
    #expect(try HAR(contentsOf: folder.tape).log.entries.count == 2)
  }
}
