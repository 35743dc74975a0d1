import Foundation
import Networking
import TestGate
import Testing

@testable import Mocking

@Suite(.gated)
struct RequestPatternTests {
  private static let request = ReceivedRequest.of(
    "POST", "/v1/boards/7?page=2&page=3&q=a+b&token=s3cret",
    ["Accept": "application/json", "Authorization": "Bearer s3cret", "X": ""],
    #"{"type": 2, "title": "Fish", "tags": ["a", {"b": 1.0, "c": 3}], "password": "s3cret"}"#,
    below: "/v1")

  @Test func aTextConditionRevealsNoSecrets() {
    let condition = RequestCondition.text("user=ann&password=hunter2")
    #expect("\(condition)" == #"body: "user=ann&password=***""#)
  }

  @Test(arguments: [
    RequestPattern(), .any(), .post("/v1/boards/{id}"), .post("boards/{id}"),
    .post("{all}/{id}"),
    .any("/v1/{rest*}"), .any("boards/{rest*}"), .post("v1/boards/7"),
    .any(nil, .query("page", "3")), .any(nil, .query("page")), .any(nil, .query("q", "a b")),
    .any(nil, .query("none", .absent)), .any(nil, .query("page", .matching("^[0-9]$"))),
    .any(nil, .header("accept", .containing("json"))), .any(nil, .header("x", "")),
    .any(nil, .header("Cookie", .absent)), .any(nil, .json(containing: ["type": 2.0])),
    .any(nil, .json(containing: ["tags": ["a", ["b": 1]]])), .any(nil, .json(containing: [:])),
    .any(nil, .text(.containing("Fish"))), .any(nil, .text(.present)),
    .any(nil, .satisfying("large") { $0.bodyByteCount > 10 }),
    .post("boards/7", .query("page", "2"), .header("Accept")).where(.json(containing: ["type": 2])),
  ])
  func aMatchingRequestHasNoDifferences(pattern: RequestPattern) {
    #expect(pattern.matches(Self.request))
    #expect(pattern.differences(from: Self.request).isEmpty)
    #expect(pattern.distance(from: Self.request) == 0)
  }

  @Test(
    arguments: zip(
      [
        RequestPattern.get("boards/7"), .post("/v2/boards/7"), .post("oards/7"), .post("boards"),
        .any(nil, .query("page", "4")), .any(nil, .query("size")), .any(nil, .query("q", .absent)),
        .any(nil, .query("token", "other")),
        .any(nil, .header("Accept", .containing("xml"))),
        .any(nil, .header("authorization", "Bearer other")),
        .any(nil, .query("page", .matching("[a-z]"))),
        .any(nil, .form("title", "Fish")), .any(nil, .text(.absent)),
        .any(nil, .json(containing: ["type": 3])), .any(nil, .json(containing: ["size": 3])),
        .any(nil, .json(containing: ["tags": ["a"]])),
        .any(nil, .json(containing: ["password": "other"])),
        .any(nil, .satisfying("small") { $0.bodyByteCount < 10 }),
      ],
      [
        "method: expected GET, actual POST",
        "path: expected /v2/boards/7, actual /v1/boards/7",
        "path: expected oards/7, actual /v1/boards/7",
        "path: expected boards, actual /v1/boards/7",
        #"query "page": expected "4", actual "2", "3""#,
        #"query "size": expected any value, actual none"#,
        #"query "q": expected none, actual "a b""#,
        #"query "token": expected ***, actual *** (the values differ)"#,
        #"header "Accept": expected a text containing "xml", actual "application/json""#,
        #"header "authorization": expected ***, actual *** (the values differ)"#,
        #"query "page": expected a match of /[a-z]/, actual "2", "3""#,
        #"form "title": expected "Fish", actual none"#,
        #"body: expected none, actual "{\"type\": 2, \"title\": \"Fish\", \"tags\": [\"a\", {\"b\": 1.0, \"c\": 3}], \"password\": \"***\"}""#,
        "JSON .type: expected 3, actual 2", "JSON .size: expected 3, actual none",
        #"JSON .tags: expected ["a"], actual ["a",{"b":1.0,"c":3}]"#,
        "JSON .password: expected ***, actual *** (the values differ)",
        "condition: expected small, actual not satisfied",
      ]))
  func differencesAreReportedByAspectWithoutSecrets(pattern: RequestPattern, difference: String) {
    #expect(!pattern.matches(Self.request))
    #expect(pattern.differences(from: Self.request).map(\.description) == [difference])
    #expect(pattern.distance(from: Self.request) > 0)
  }

  @Test func anExactJSONPermitsNoOtherMembers() {
    let request = ReceivedRequest.of("POST", "/", [:], #"{"a": 1, "token": "t"}"#)
    #expect(RequestPattern.any(nil, .json(["token": "t", "a": 1.0])).matches(request))
    #expect(
      RequestPattern.any(nil, .json(["a": 1, "b": 2])).differences(from: request)
        .map(\.description)
        == ["JSON .b: expected 2, actual none", "JSON .token: expected none, actual ***"])
    let text = ReceivedRequest.of("POST", "/", [:], "hi token=abc")
    #expect(
      RequestPattern.any(nil, .json([:])).differences(from: text).map(\.description)
        == [#"JSON: expected {}, actual not JSON: "hi token=***""#])
    #expect(
      RequestPattern.any(nil, .text(.matching("token=abc[0-9]"))).differences(from: text).map(
        \.description) == [#"body: expected a match of /token=***[0-9]/, actual "hi token=***""#])
    #expect(
      RequestPattern.any(nil, .json([:])).differences(from: .of("GET", "/")).map(\.description)
        == ["JSON: expected {}, actual no body"])
  }

  @Test func aFormIsMatchedByItsFields() {
    let request = ReceivedRequest.of("POST", "/", [:], "user=Ada+L&password=x%26y")
    #expect(
      RequestPattern.any(nil, .form("user", "Ada L"), .form("password", "x&y")).matches(request))
    #expect(
      RequestPattern.any(nil, .form("user", "Bob"), .form("password", "z"))
        .differences(from: request).map(\.description)
        == [
          #"form "user": expected "Bob", actual "Ada L""#,
          #"form "password": expected ***, actual *** (the values differ)"#,
        ])
  }

  @Test func longValuesAreTruncated() {
    let long = String(repeating: "x", count: 1_000)
    let request = ReceivedRequest.of("GET", "/\(long)?a=\(long)", [:], long)
    let pattern = RequestPattern.get(
      "/" + long + "y", .query("a", "1"), .text("1"), .json(containing: [1]))
    for difference in pattern.differences(from: request) {
      #expect(difference.expected.count <= 220 && difference.actual.count <= 220)
    }
  }

  @Test func aMalformedPatternMatchesNothingAndHasAReason() throws {
    let path = RequestPattern.get("boards/{id")
    #expect(!path.matches(.of("GET", "/boards/7")))
    #expect(
      path.validationError?.description.hasPrefix("the route \"boards/{id\" is malformed: ")
        == true)
    let expression = RequestPattern.get("boards", .query("a", .matching("(")))
    #expect(!expression.matches(.of("GET", "/boards?a=(")))
    #expect(
      expression.validationError?.description.hasPrefix("the regular expression /(/ is malformed: ")
        == true)
    #expect(throws: MockServerError.self) {
      try MockServer { Route(.get, "/a", .status(200)).where(.query("a", .matching("("))) }
    }
  }

  @Test func aPatternDescribesItsConditions() {
    #expect(
      "\(RequestPattern.post("boards", .json(containing: ["type": 2, "token": "t"]), .header("A", "b")))"
        == #"POST boards where JSON: containing {"token":"***","type":2} and header "A": "b""#)
    #expect("\(RequestPattern())" == "* *")
  }
}

@Suite(.gated)
struct ReceivedRequestTests {
  @Test func aRequestWithAnotherTargetHasItsQueryAndKeepsTheRest() {
    var request = ReceivedRequest.of("POST", "/a?b=1&c=2", ["X-A": "1"], "body")
    request.variables = ["plan": "gold"]
    #expect(request.query["c"] == "2")
    var other = request
    other.target = "/a?b=1"
    #expect(other.query["b"] == "1" && other.query["c"] == nil && request.query["c"] == "2")
    #expect(other.target == "/a?b=1" && other.variables == ["plan": "gold"])
    #expect(other.method == .post && other.headers["X-A"] == "1" && other.body == request.body)
  }
}

extension ReceivedRequest {
  /// Creates a request.
  static func of(
    _ method: String, _ target: String, _ headers: HTTPHeaders = [:], _ body: String = "",
    below base: String = ""
  ) -> ReceivedRequest {
    ReceivedRequest(
      method: HTTPMethod(rawValue: method), target: target,
      path: ReceivedPath(of: target, below: base),
      headers: headers, trailers: [:], body: Data(body.utf8), bodyByteCount: body.utf8.count,
      version: "1.1", connection: 0, exchange: 0, time: .zero)
  }
}
