import Foundation
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingRecordings
@testable import MockingStubs

/// Requests to the admin API read and verify the journal.
@Suite(.gated)
struct AdminRequestTests {
  @Test func theListHasPagesInTheOrderOfArrival() async {
    let admin = AdminFixture([Route(nil, "/{path*}", .text(""))])
    for number in 1...5 { _ = await admin.transport.send(.get, "/\(number)") }
    let first = admin.send(.get, "requests?limit=2").json
    #expect(first["requests"].array?.map { $0["path"] } == ["/1", "/2"])
    #expect(first["next"] == 2)
    let last = admin.send(.get, "requests?limit=3&after=2").json
    #expect(last["requests"].array?.map { $0["id"] } == [3, 4, 5])
    #expect(last["next"] == .null)
    #expect(admin.send(.get, "requests?after=9").json["requests"] == [])
    #expect(admin.send(.delete, "requests").status == 204)
    #expect(admin.send(.get, "requests").json["requests"] == [])
  }

  @Test(arguments: [
    ("method=post", [2]), ("path=oard", [1, 3]), ("status=201", [2]), ("unmatched=true", [4]),
    ("unmatched=false", [1, 2, 3]), ("method=GET&path=/b", [1, 3]), ("method=PUT", []),
  ])
  func theListIsFiltered(query: String, ids: [Int]) async {
    let admin = AdminFixture([
      Route(.get, "/boards", .json([])), Route(.post, "/a", .status(201)),
    ])
    for (method, path) in [
      (HTTPMethod.get, "/boards"), (.post, "/a"), (.get, "/boards"), (.get, "/none"),
    ] { _ = await admin.transport.send(method, path) }
    let found = admin.send(.get, "requests?\(query)").json["requests"].array
    #expect(found?.map { $0["id"] } == ids.map { .int($0) })
  }

  @Test func theTraceOfARequestIsInTheList() async {
    let admin = AdminFixture([Route(nil, "/{path*}", .text(""))])
    let (id, parent) = ("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331")
    for value in ["00-\(id)-\(parent)-01", "00-\(id)-0-01"] {
      _ = await admin.transport.send(.get, "/a", "", ["Traceparent": value])
    }
    _ = await admin.transport.send(.get, "/a")
    let traces = admin.send(.get, "requests").json["requests"].array?.map { $0["trace"] }
    #expect(traces == [["id": .string(id), "parent": .string(parent)], .null, .null])
  }

  @Test func aRequestIsReturnedWithItsNearestStubsAndWithoutSecrets() async throws {
    let admin = AdminFixture([
      Route(.post, "/login", .json([])).where(.query("page", "2")).id("login")
    ])
    _ = await admin.transport.send(
      .post, "/login?token=s3cret&page=1", #"{"password": "s3cret", "user": "ada"}"#,
      ["Authorization": "Bearer s3cret"])
    let answer = admin.send(.get, "requests/1")
    #expect(!answer.text.contains("s3cret"))
    #expect(answer.json["request"]["body"]["text"].string?.contains("ada") == true)
    #expect(answer.json["request"]["body"]["truncated"] == false)
    #expect(answer.json["stub"] == .null)
    let miss = answer.json["nearMisses"][0]
    #expect(miss["stub"] == "login")
    let conditions = miss["conditions"].array ?? []
    #expect(conditions.contains { $0["name"] == "path /login" && $0["matched"] == true })
    #expect(
      conditions.contains {
        $0["name"] == #"query "page""# && $0["matched"] == false && $0["expected"] == #""2""#
          && $0["actual"] == #""1""#
      })
    let curl = admin.send(.get, "requests/1/curl")
    #expect(curl.text.hasPrefix("curl -X 'POST'"))
    #expect(curl.text.contains("http://127.0.0.1:8080/login?"))
    #expect(!curl.text.contains("s3cret"))
    for id in ["0", "2", "x", "-1", "99999999999999999999"] {
      #expect(admin.send(.get, "requests/\(id)").status == 404, "\(id)")
    }
  }

  @Test func moreSpecificStubsThatDidNotRespondHaveTheirReasons() async throws {
    let admin = AdminFixture([
      Route(nil, "/a/{rest*}", .text("fallback")).priority(5).id("fallback"),
      Route(.get, "/a/late", .text("late")).id("late"),
      Route(.get, "/a/{name}", .text("admin")).priority(9).where(.header("X-Role", "admin"))
        .id("admin"),
      Route(.get, "/other", .text("other")).id("other"),
    ])
    _ = await admin.transport.send(.get, "/a/late")
    _ = await admin.transport.send(.get, "/other")
    let misses = admin.send(.get, "requests/1").json["nearMisses"].array ?? []
    #expect(misses.map { $0["stub"] } == ["late", "admin"])
    #expect(misses.first?["reason"].string?.contains("has the priority 5, and this one 0") == true)
    #expect(misses.last?["reason"] == .null)
    #expect(misses.last?["conditions"].array?.contains { $0["matched"] == false } == true)
    #expect(admin.send(.get, "requests/2").json["nearMisses"] == [])
  }

  @Test func aStubWithMoreConditionsIsNamedIfAnotherOneOfItsPathResponds() async throws {
    let admin = AdminFixture([
      Route(.get, "/a", .text("2")).where(.query("page", "2")).id("second"),
      Route(.get, "/a", .text("1")).id("first"), Route(.post, "/a", .status(201)).id("post"),
    ])
    _ = await admin.transport.send(.get, "/a")
    let misses = admin.send(.get, "requests/1").json["nearMisses"].array ?? []
    #expect(misses.map { $0["stub"] } == ["second"])
  }

  @Test func binaryAndLongBodiesAreBounded() {
    let binary = AdminMask.body(Data([0xFF, 0x00]), of: 2, [:])
    #expect(binary["base64"] == .string(Data([0xFF, 0x00]).base64EncodedString()))
    #expect(binary["text"] == .null)
    let long = Data(String(repeating: "ä", count: 300_000).utf8)
    let text = AdminMask.body(long, of: long.count, ["Content-Type": "text/plain"])
    #expect(text["truncated"] == true)
    #expect((text["text"].string?.utf8.count ?? 0) <= 256 << 10)
    #expect(text["text"].string?.contains("\u{FFFD}") == false)
    #expect(text["size"] == 600_000)
  }

  @Test func aStubIsMadeOfARequestWithoutOne() async {
    let admin = AdminFixture()
    _ = await admin.transport.send(.get, "/a%2Ab?page=2&token=s3cret")
    let made = admin.send(.post, "requests/1/stub")
    #expect(made.status == 200)
    #expect(made.json["definition"]["when"]["query"]["page"] == "2")
    #expect(!made.text.contains("s3cret"))
    #expect(made.json["stub"] == .null)
    #expect(await admin.transport.send(.get, "/a%2Ab?page=2&token=s3cret").status == 0)
    let added = admin.send(.post, "requests/1/stub?add=true")
    #expect(added.status == 201)
    #expect(added.headers["Location"] != nil)
    #expect(await admin.transport.send(.get, "/a%2Ab?page=2&token=s3cret").text == "{}")
    #expect(await admin.transport.send(.get, "/a%2Ab?page=3&token=s3cret").status == 0)
    #expect(admin.send(.post, "requests/1/stub?add=perhaps").status == 400)
  }

  @Test func requestsAreCountedAndVerified() async {
    let admin = AdminFixture([Route(nil, "/{path*}", .text(""))])
    for page in 1...3 { _ = await admin.transport.send(.get, "/boards?page=\(page)") }
    let pattern = #""method": "GET", "path": "/boards""#
    #expect(
      admin.send(.post, "requests/count", "{\(pattern)}").json
        == ["count": 3, "requests": [1, 2, 3], "undecided": 0])
    let one = #"{"path": "boards", "when": {"query": {"page": "2"}}}"#
    #expect(admin.send(.post, "requests/count", one).json["requests"] == [2])
    let passed = admin.send(.post, "verifications", "{\(pattern), \"times\": 3}").json
    #expect(passed["passed"] == true)
    #expect(passed["count"] == 3)
    let failed = admin.send(
      .post, "verifications",
      #"{"path": "/boards", "atLeast": 1, "when": {"query": {"page": "9"}}}"#
    ).json
    #expect(failed["passed"] == false)
    #expect(failed["message"].string?.contains("at least 1 request") == true)
    #expect(failed["nearMisses"][0]["conditions"][0]["expected"] == #""9""#)
    #expect(admin.send(.post, "verifications", "{\(pattern)}").status == 422)
    #expect(
      admin.send(.post, "verifications", "{\(pattern), \"times\": 1, \"atMost\": 2}").status == 422)
    #expect(admin.send(.post, "requests/count", #"{"path": "/{"}"#).json["pointer"] == "/path")
  }

  @Test func theArchiveHasNoSecrets() async throws {
    let admin = AdminFixture([Route(nil, "/{path*}", .text(""))])
    _ = await admin.transport.send(
      .post, "/login?q=s3cretvalue9", #"{"password": "s3cretvalue9"}"#)
    let answer = admin.send(.get, "har")
    #expect(answer.headers["Content-Disposition"] != nil)
    #expect(!answer.text.contains("s3cretvalue9"))
    let archive = HAR(json: answer.json)
    #expect(archive.log.version == "1.2")
    #expect(archive.log.entries.map(\.request.method) == ["POST"])
  }

  @Test func webhooksAreListedWithTheirAttempts() async throws {
    let admin = AdminFixture([
      Route(
        .post, "/payments",
        .status(202).callingBack(Webhook(to: "http://127.0.0.1:9/paid?token=s3cret"))
          .callingBack(Webhook(to: "http://example.com/paid")))
    ])
    admin.transport.webhooks.transport = MockTransport(routes: [
      Route(nil, "/{path*}", .status(404))
    ])
    _ = await admin.transport.send(.post, "/payments")
    for _ in 0..<2 { _ = try await admin.transport.webhooks.takeDelivery().value }
    let answer = admin.send(.get, "webhooks")
    #expect(!answer.text.contains("s3cret"))
    let webhooks = answer.json["webhooks"]
    #expect(webhooks[0]["cause"] == "POST /payments" && webhooks[0]["outcome"] == "failed")
    #expect(webhooks[0]["attempts"][0]["status"] == 404 && webhooks[0]["reason"] == .null)
    #expect(webhooks[1]["outcome"] == "refused" && webhooks[1]["attempts"] == [])
    #expect(webhooks[1]["reason"].string?.contains("example.com") == true)
  }
}
