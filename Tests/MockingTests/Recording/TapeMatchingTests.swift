import Foundation
import Mocking
import MockingRecordings
import Networking
import TestGate
import TestSupport
import Testing

@Suite(.gated)
struct TapeMatchingTests {
  private let folder = TemporaryFolder()

  private func network() -> FakeTransport {
    FakeTransport { _ in .response(200, ["Content-Type": "text/plain"], "body") }
  }

  @Test func anUnrecordedRequestReportsTheNearestEntryWithoutSecrets() async throws {
    let tape = try Tape(folder.tape, over: network())
    _ = await tape.get("https://a.test/users")
    _ = await tape.get("https://a.test/boards?page=1&token=verysecret1")
    try tape.save()
    let replay = try Tape(replaying: folder.tape)
    #expect(
      await replay.get("https://a.test/boards?page=2&token=othersecret2").reason
        == "GET https://a.test/boards?page=2&token=*** is not in tape.har; the closest of its "
        + "2 entries is log.entries[1], GET https://a.test/boards?page=1&token=***, with a different query"
    )
    let post = await replay.perform(HTTPRequest(method: .post, url: .of("https://a.test/users")))
    #expect(
      post.reason.hasSuffix("log.entries[0], GET https://a.test/users, with a different method"))
    #expect(replay.unplayed.count == 2)
  }

  @Test func theOrderOfParametersIsIgnoredUnlessMatched() async throws {
    let tape = try Tape(folder.tape, over: network())
    _ = await tape.get("https://a.test/?a=1&b=%7E2")
    try tape.save()
    #expect(
      try await Tape(replaying: folder.tape).get("https://A.test:443/?b=~2&a=1").failure == nil)
    let strict = try Tape(
      replaying: folder.tape, options: Tape.Options(matching: [.url, .queryOrder]))
    #expect(await strict.get("https://a.test/?b=~2&a=1").failure?.code == .mockFailed)
    #expect(await strict.get("https://a.test/?a=1&b=~2").failure == nil)
  }

  @Test func headersAndBodiesAreComparedIfMatched() async throws {
    let options = Tape.Options(matching: [.method, .url, .header("Accept"), .body])
    let echo = FakeTransport { request in .response(200, [:], request.headers["Accept"] ?? "none") }
    func request(_ accept: String, _ body: String, _ type: String = "application/json")
      -> HTTPRequest
    {
      HTTPRequest(
        method: .post, url: .of("https://a.test/"),
        headers: ["Accept": accept, "Content-Type": type], body: .data(Data(body.utf8)))
    }
    let tape = try Tape(folder.tape, over: echo, options: options)
    _ = await tape.perform(request("text/html", #"{"a":1,"password":"hunter22"}"#))
    _ = await tape.perform(request("text/plain", #"{"a":1,"password":"hunter22"}"#))
    _ = await tape.perform(
      request("x/y", "--b1\r\n\r\npart\r\n--b1--", "multipart/form-data; boundary=b1"))
    try tape.save()
    let replay = try Tape(replaying: folder.tape, options: options)
    #expect(
      await replay.perform(request("text/plain", #"{ "password": "x", "a": 1.0 }"#)).body
        == Data("text/plain".utf8))
    #expect(
      await replay.perform(request("text/html", #"{"a":1,"password":"y"}"#)).body
        == Data("text/html".utf8))
    #expect(
      await replay.perform(request("text/html", #"{"a":2,"password":"y"}"#)).failure?.code
        == .mockFailed)
    #expect(
      await replay.perform(request("*/*", #"{"a":1,"password":"y"}"#)).failure?.code == .mockFailed)
    #expect(
      await replay.perform(
        request("x/y", "--b2\r\n\r\npart\r\n--b2--", "multipart/form-data; boundary=b2")
      ).failure == nil)
  }

  @Test func aServerOnAnotherPortMatchesByPath() async throws {
    let tape = try Tape(folder.tape, over: network())
    _ = await tape.get("http://127.0.0.1:4000/boards?a=1")
    try tape.save()
    let replay = try Tape(
      replaying: folder.tape, options: Tape.Options(matching: [.method, .path, .query]))
    #expect(await replay.get("http://127.0.0.1:5000/boards?a=1").failure == nil)
    #expect(await replay.get("http://127.0.0.1:5000/boards").failure?.code == .mockFailed)
  }
}
