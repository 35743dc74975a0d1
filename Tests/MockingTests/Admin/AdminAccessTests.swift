import Foundation
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingStubs

/// The admin API refuses pages of other sites, clients without a token, and malformed requests.
@Suite(.gated)
struct AdminAccessTests {
  @Test(
    arguments: [
      ("127.0.0.1:8080", nil, 200), ("localhost:8080", nil, 200), ("LOCALHOST", nil, 200),
      ("[::1]:8080", nil, 200), ("127.0.0.9", nil, 200), ("app.localhost:8080", nil, 200),
      ("evil.example:8080", nil, 403), ("127.0.0.1.evil.example", nil, 403), ("", nil, 403),
      ("localhost.evil.example", nil, 403), ("192.168.0.7:8080", nil, 403), (nil, nil, 403),
      ("localhost:8080", "http://localhost:8080", 200), ("localhost", "http://localhost", 200),
      ("localhost:80", "http://localhost", 200), ("localhost:8080", "http://localhost:5173", 403),
      ("localhost:8080", "http://127.0.0.1:8080", 403), ("localhost:8080", "null", 403),
      ("localhost:8080", "https://localhost:8080", 403),
      ("localhost:8080", "http://evil.example", 403),
      ("localhost:8080", "http://localhost:8080.evil.example", 403),
    ] as [(String?, String?, Int)])
  func onlyOwnPagesAndLoopbackNamesAreAccepted(host: String?, origin: String?, status: Int) {
    var headers: HTTPHeaders = [:]
    if let host { headers["Host"] = host }
    if let origin { headers["Origin"] = origin }
    let answer = AdminFixture().send(.get, "stubs", headers: headers)
    #expect(answer.status == status, "\(host ?? "-") \(origin ?? "-")")
    #expect(!answer.headers.contains("Access-Control-Allow-Origin"))
  }

  @Test(
    arguments: [
      (.post, "cross-site", 403), (.post, "same-site", 403), (.post, "Cross-Site", 403),
      (.post, "future-value", 403), (.delete, "cross-site", 403), (.post, "same-origin", 204),
      (.post, "none", 204), (.post, nil, 204), (.get, "cross-site", 200), (.head, "same-site", 200),
    ] as [(HTTPMethod, String?, Int)])
  func pagesOfOtherOriginsAreRefusedWithoutOrigin(
    method: HTTPMethod, site: String?, status: Int
  ) {
    var headers: HTTPHeaders = ["Host": "localhost"]
    if let site { headers["Sec-Fetch-Site"] = site }
    let isRead = method == .get || method == .head
    let answer = AdminFixture().send(method, isRead ? "stubs" : "reset", headers: headers)
    #expect(answer.status == status, "\(method) \(site ?? "-")")
  }

  @Test func repeatedFieldsAreRefused() {
    let admin = AdminFixture()
    var hosts: HTTPHeaders = ["Host": "localhost"]
    hosts.add("localhost", for: "Host")
    #expect(admin.send(.get, "stubs", headers: hosts).status == 403)
    var origins: HTTPHeaders = ["Host": "localhost", "Origin": "http://localhost"]
    origins.add("http://localhost", for: "Origin")
    #expect(admin.send(.get, "stubs", headers: origins).status == 403)
  }

  private static let token = "t0ken-of-tests"

  @Test(
    arguments: [
      (["Authorization": "Bearer t0ken-of-tests"], 200),
      (["Authorization": "bearer t0ken-of-tests"], 200),
      (["Cookie": "a=b; mock_admin_8080=t0ken-of-tests"], 200), ([:], 401),
      (["Authorization": "Bearer t0ken-of-test"], 401),
      (["Authorization": "Bearer t0ken-of-tests1"], 401), (["Authorization": "Bearer "], 401),
      (["Authorization": "Basic t0ken-of-tests"], 401), (["Authorization": "t0ken-of-tests"], 401),
      (["Cookie": "mock_admin_8081=t0ken-of-tests"], 401),
      (["Cookie": "mock_admin_8080=other"], 401),
      (["Authorization": "Bearer t0ken-of-tests", "Origin": "http://evil.example"], 403),
    ] as [(HTTPHeaders, Int)])
  func aTokenIsRequired(fields: HTTPHeaders, status: Int) {
    let admin = AdminFixture(token: Self.token)
    var headers = fields
    headers["Host"] = "mock.internal:8080"
    let answer = admin.send(.get, "stubs", headers: headers)
    #expect(answer.status == status)
    #expect(answer.headers.contains("WWW-Authenticate") == (status == 401))
    #expect(!answer.text.contains(Self.token))
    let unknown = admin.send(.get, "none", headers: headers)
    #expect(unknown.status == (status == 200 ? 404 : status))
  }

  @Test func theTokenOfTheAddressBecomesACookie() {
    let admin = AdminFixture(token: Self.token)
    let answer = admin.send(.get, "?a=1&token=\(Self.token)&b=%20")
    #expect(answer.status == 303)
    #expect(answer.headers["Location"] == "/__mock/?a=1&b=%20")
    #expect(
      answer.headers["Set-Cookie"]
        == "mock_admin_8080=\(Self.token); Path=/__mock/; HttpOnly; SameSite=Strict")
    #expect(admin.send(.get, "?token=wrong").status == 401)
    #expect(admin.send(.get, "?token=\(Self.token)&token=x").status == 401)
    #expect(admin.send(.get, "stubs?token=\(Self.token)").status == 401)
    #expect(admin.send(.get, "").status == 401)
    let open = AdminFixture().send(.get, "?token=x")
    #expect(open.headers["Location"] == "/__mock/")
    #expect(!open.headers.contains("Set-Cookie"))
  }

  @Test func tokensAreComparedAsWholes() {
    #expect(AdminAccess.isEqual("abc", "abc"))
    for other in ["", "ab", "abd", "abcd", "abcabc", "ABC"] {
      #expect(!AdminAccess.isEqual(other, "abc"))
    }
    let tokens = Set((0..<20).map { _ in AdminAccess.randomToken() })
    #expect(tokens.count == 20)
    #expect(tokens.allSatisfy { $0.count == 32 })
  }

  @Test func unknownPathsAndMethodsAreRefused() {
    let admin = AdminFixture()
    #expect(admin.send(.get, "none").status == 404)
    #expect(admin.send(.get, "stubs/").status == 404)
    #expect(admin.send(.get, "stubs//").status == 404)
    let refused = admin.send(.put, "stubs")
    #expect(refused.status == 405)
    #expect(refused.headers["Allow"] == "GET, HEAD, OPTIONS, POST")
    #expect(refused.headers["Content-Type"] == "application/problem+json")
    #expect(admin.send(.get, "requests/count").headers["Allow"] == "OPTIONS, POST")
    let options = admin.send(.options, "stubs/x")
    #expect(options.status == 204)
    #expect(options.headers["Allow"] == "DELETE, GET, HEAD, OPTIONS, PATCH, PUT")
    #expect(admin.send(.head, "stubs").status == 200)
    #expect(admin.send(HTTPMethod(rawValue: "TRACE"), "reset").headers["Allow"] == "OPTIONS, POST")
  }

  @Test(arguments: [
    "stubs?limit=0", "stubs?limit=x", "stubs?limit=", "stubs?limit=-1", "stubs?limit=1.5",
    "stubs?limit=1&limit=1", "stubs?colour=red", "requests?status=99", "requests?unmatched=1",
    "requests?limit=501", "info?a", "stubs?offset=99999999999999999999",
  ])
  func invalidParametersAreRefused(path: String) {
    #expect(AdminFixture().send(.get, path).status == 400)
  }

  @Test func bodiesMustBeJSONOfALimitedSize() {
    let admin = AdminFixture()
    let stub = #"{"path": "/a"}"#
    for type in ["text/plain", "application/x-www-form-urlencoded", "application/merge-patch+json"]
    {
      #expect(admin.send(.post, "stubs", stub, type: type).status == 415, "\(type)")
    }
    #expect(admin.send(.post, "stubs", stub, type: nil).status == 415)
    #expect(
      admin.send(.post, "stubs", stub, type: "application/json; charset=utf-8").status == 201)
    #expect(admin.send(.post, "stubs").status == 400)
    #expect(admin.send(.post, "stubs", "[").status == 400)
    #expect(admin.send(.post, "stubs", "null").status == 422)
    #expect(admin.send(.post, "snapshots", "{}").status == 400)
    var headers: HTTPHeaders = ["Host": "localhost", "Content-Encoding": "gzip"]
    #expect(admin.send(.post, "stubs", stub, headers: headers).status == 415)
    headers = ["Host": "localhost", "Content-Type": "application/json"]
    let large = ReceivedRequest.admin(
      .post, "/__mock/stubs", headers, byteCount: admin.api.maximumBodyBytes + 1)
    #expect(admin.api.response(to: large).mock.status == 413)
    let malformed = ReceivedRequest.admin(.get, "/__mock/%4", headers)
    #expect(admin.api.response(to: malformed).mock.status == 400)
  }

  @Test func nothingIsStoredByBrowsers() {
    let answer = AdminFixture().send(.get, "stubs")
    #expect(answer.headers["Cache-Control"] == "no-store")
    #expect(answer.headers["X-Content-Type-Options"] == "nosniff")
    #expect(answer.headers["Cross-Origin-Resource-Policy"] == "same-origin")
  }

  @Test(arguments: [
    ("/__mock", true), ("/__mock/", true), ("/__mock?a", true), ("/__mock/stubs", true),
    ("http://a/__mock/x", true), ("/__mockery", false), ("/", false), ("/a/__mock", false),
    ("http://a/b", false), ("*", false), ("", false),
  ])
  func onlyPathsBelowTheReservedOneAreHandled(target: String, isHandled: Bool) {
    #expect(AdminFixture().api.handles(target) == isHandled)
  }
}
