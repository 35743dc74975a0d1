import Foundation
import Networking
import TestGate
import Testing

@testable import Mocking

/// Conditions on cookies, parts, values at JSON paths and variables, and their combinations.
@Suite(.gated)
struct RequestConditionTests {
  private static let request: ReceivedRequest = {
    var request = ReceivedRequest.of(
      "POST", "/orders?page=2", ["Cookie": "session=s3cret; theme=dark", "Accept": "text/html"],
      #"{"user": {"name": "Ada", "password": "s3cret"}, "items": [{"n": 1, "tags": ["new"]}, {"n": 5}]}"#
    )
    request.variables = ["user": ["id": 7], "count": 3, "token": "s3cret"]
    return request
  }()

  private static let form = ReceivedRequest.of(
    "POST", "/", ["Content-Type": "multipart/form-data; boundary=\"b\""],
    "ignored\r\n--b\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nFish\r\n"
      + "--b\r\nContent-Disposition: form-data; name=\"image\"; filename=\"a.png\"\r\n"
      + "Content-Type: image/png\r\n\r\n\u{1}\r\n--bb\r\n\r\n--b\r\n"
      + "Content-Disposition: form-data; name=\"password\"\r\n\r\ns3cret\r\n--b--\r\nrest")

  @Test(arguments: [
    RequestCondition.cookie("theme"), .cookie("session", .matching("^s")), .cookie("none", .absent),
    .json(at: "$.user.name", "Ada"), .json(at: "$.items[*].n", 5),
    .json(at: "$..tags", .containing("new")),
    .json(at: "$.items[?@.n > 4].tags", .absent), .json(at: "$.user.name", .matching("^A")),
    .json(at: "$.items[-1].n", .atLeast(5)), .json(at: "$.items[0].n", .atMost(1)),
    .json(at: "$.user", .containing(["name": "Ada"])), .json(at: "$.none", .absent),
    .json(at: "$.items", .present), .variable("count", 3),
    .variable("user", .containing(["id": 7])),
    .variable("none", .absent), .variable("count", .atLeast(2.5)),
    .variable("count", .matching("3")),
    .not(.query("page", "3")), .any(.query("page", "3"), .cookie("theme", "dark")), .all(),
    .all(.query("page", "2"), .not(.any(.header("Cookie", .absent), .text(.absent)))), .not(.any()),
  ])
  func aRequestThatMeetsAConditionHasNoDifferences(condition: RequestCondition) {
    #expect(condition.isMet(by: Self.request))
    #expect(condition.differences(from: Self.request).isEmpty)
    let opposite = RequestCondition.not(condition)
    #expect(!opposite.isMet(by: Self.request))
    #expect(!opposite.differences(from: Self.request).isEmpty)
    #expect(RequestCondition.not(opposite).isMet(by: Self.request))
  }

  @Test(
    arguments: zip(
      [
        RequestCondition.cookie("theme", "light"), .cookie("none"),
        .json(at: "$.user.name", "Bob"), .json(at: "$.user.password", "x"), .json(at: "$.none", 1),
        .json(at: "$.items[*].n", .atLeast(6)), .json(at: "$.user.name", .absent),
        .variable("count", .atMost(2)), .variable("token", "x"), .variable("none"),
        .not(.query("page", "2")), .not(.cookie("theme")),
        .any(.query("page", "3"), .not(.header("Accept"))), .any(),
        .not(.all(.query("page"), .header("Accept", .containing("html")))),
        .all(.query("page", "3"), .query("size")),
      ],
      [
        [#"cookie "theme": expected ***, actual *** (the values differ)"#],
        [#"cookie "none": expected any value, actual none"#],
        [#"JSON $.user.name: expected "Bob", actual "Ada""#],
        [#"JSON $.user.password: expected ***, actual *** (the values differ)"#],
        [#"JSON $.none: expected 1, actual none"#],
        [#"JSON $.items[*].n: expected a number of at least 6, actual 1, 5"#],
        [#"JSON $.user.name: expected none, actual "Ada""#],
        [#"variable "count": expected a number of at most 2, actual 3"#],
        [#"variable "token": expected ***, actual *** (the values differ)"#],
        [#"variable "none": expected any value, actual none"#],
        [#"query "page": expected not "2", actual "2""#],
        [#"cookie "theme": expected not any value, actual ***"#],
        [
          #"alternative 1 of 2: query "page": expected "3", actual "2""#,
          #"alternative 2 of 2: header "Accept": expected not any value, actual "text/html""#,
        ],
        ["condition: expected an alternative, actual none"],
        [
          #"alternative 1 of 2: query "page": expected not any value, actual "2""#,
          #"alternative 2 of 2: header "Accept": expected not a text containing "html", actual "#
            + #""text/html""#,
        ],
        [
          #"query "page": expected "3", actual "2""#,
          #"query "size": expected any value, actual none"#,
        ],
      ]))
  func differencesNameTheValuesWithoutSecrets(condition: RequestCondition, differences: [String]) {
    #expect(!condition.isMet(by: Self.request))
    #expect(condition.differences(from: Self.request).map(\.description) == differences)
    #expect(RequestPattern(where: [condition]).distance(from: Self.request) > 0)
  }

  @Test func aPartOfAMultipartBodyIsMatchedByItsContentItsFileNameAndItsType() {
    let met: [RequestCondition] = [
      .part("title"), .part("title", "Fish"), .part("title", fileName: .absent),
      .part("none", .absent),
      .part("image", fileName: .matching("[.]png$"), contentType: .containing("image/")),
      .part("image", .containing("--bb")),
    ]
    for condition in met { #expect(condition.isMet(by: Self.form), "\(condition)") }
    let unmet: [(RequestCondition, String)] = [
      (.part("title", "Kite"), #"part "title": expected "Kite", actual "Fish""#),
      (.part("title", .absent), #"part "title": expected none, actual "Fish""#),
      (.part("none"), #"part "none": expected any value, actual none"#),
      (.part("password", "x"), #"part "password": expected ***, actual *** (the values differ)"#),
      (
        .part("image", fileName: "b.png"),
        #"part "image": expected file name "b.png", actual file name "a.png""#
      ),
      (
        .part("title", contentType: "text/plain"),
        #"part "title": expected content type "text/plain", actual content type none"#
      ),
    ]
    for (condition, difference) in unmet {
      #expect(!condition.isMet(by: Self.form))
      #expect(condition.differences(from: Self.form).map(\.description) == [difference])
    }
    #expect(RequestCondition.part("title", .absent).isMet(by: Self.request))
  }

  @Test func theNumberOfPartsAndOfTheirHeaderLinesIsLimited() {
    func parts(_ body: String) -> [RequestPart] {
      ReceivedRequest.of("POST", "/", ["Content-Type": "multipart/mixed; boundary=b"], body).parts
    }
    #expect(parts(String(repeating: "--b\r\n\r\nx\r\n", count: 2_000) + "--b--").count == 1_000)
    let lines = String(repeating: "A: 1\n", count: 150)
    let part = parts("--b\n\(lines)\n--b--").first
    #expect(part?.headers.values(for: "A").count == 100)
    #expect(part?.text == String(repeating: "A: 1\n", count: 50))
    for body in ["", "--b", "--b\n", "--b\nA: 1", "--c\n\nx\n--c--"] {
      #expect(parts(body).isEmpty)
    }
  }

  @Test func aConditionDescribesItselfWithoutSecrets() {
    let conditions: [(RequestCondition, String)] = [
      (.cookie("session", "abc"), #"cookie "session": ***"#),
      (.cookie("a"), #"cookie "a": any value"#),
      (.json(at: "$.user.password", "abc"), "JSON $.user.password: ***"),
      (.variable("token", "abc"), #"variable "token": ***"#),
      (.json(at: "$.total", .atLeast(9.5)), "JSON $.total: a number of at least 9.5"),
      (.part("a", fileName: "b"), #"part "a": file name "b""#),
      (
        .any(.query("a", "1"), .all(.header("B"), .not(.text("c")))),
        #"(query "a": "1" or (header "B": any value and not body: "c"))"#
      ),
      (.any(), "never"), (.all(), "always"), (.all(.query("a")), #"query "a": any value"#),
    ]
    for (condition, description) in conditions { #expect("\(condition)" == description) }
  }

  @Test func aMalformedPathOrExpressionInANestedConditionIsReported() {
    let path = RequestCondition.any(.query("a"), .not(.json(at: "$.a[", 1)))
    #expect(
      path.validationError
        == .invalidJSONPath(
          "$.a[", reason: "expected an index, a slice, a name in quotes, ? or * at character 5"))
    #expect(
      path.validationError?.description
        == "the JSON path $.a[ is malformed: expected an index, a slice, a name in quotes, ? or * "
        + "at character 5")
    for condition in [
      RequestCondition.cookie("a", .matching("(")), .part("a", contentType: .matching("(")),
      .variable("a", .matching("(")), .all(.json(at: "$", .matching("("))),
    ] {
      #expect(
        condition.validationError
          == .invalidPattern("(", reason: "a ( without a ) at character 1"))
    }
    #expect(throws: MockServerError.self) {
      try MockServer { Route(.get, "/a", .status(200)).where(path) }
    }
  }

  // MARK: Parsing

  @Test func theBodyIsParsedOnceHoweverManyConditionsReadIt() {
    let request = ReceivedRequest.of("POST", "/a?b=1", ["Cookie": "c=d"], #"{"a": 1}"#)
    let copy = request
    let conditions = (0..<100).flatMap { number in
      [RequestCondition.json(at: "$.a", .equal(.int(number))), .json(["a": .int(number)])]
    }
    for condition in conditions { _ = condition.isMet(by: copy) }
    for condition in conditions { _ = condition.differences(from: request) }
    #expect(request.json["a"] == 1)
    #expect(request.content.parseCount == 1)
    for _ in 0..<3 { _ = (copy.query, copy.cookies, copy.text, copy.form, copy.parts) }
    #expect(request.content.parseCount == 6)
  }

  @Test func theRoutesOfABackendReadOneParsedBody() async {
    let counts = MockState<[Int]>([])
    let transport = MockTransport(
      routes: (0..<50).map { number in
        Route(.post, "/a", .status(500)).where(.json(at: "$.n", .equal(.int(number))))
      } + [
        Route(.post, "/a") { request in
          _ = request.json
          counts.withValue { $0.append(request.content.parseCount) }
          return .status(200)
        }
      ])
    #expect(await transport.response(.post, "/a", body: #"{"n": 99}"#) == "200 ")
    #expect(counts.value == [1])
  }

  @Test func aChangedBodyIsParsedAgain() {
    var request = ReceivedRequest.of("POST", "/", [:], #"{"a": 1}"#)
    #expect(request.json["a"] == 1)
    request.body = Data(#"{"a": 2}"#.utf8)
    #expect(request.json["a"] == 2)
  }

  @Test func theJournalKeepsNoParsedBodies() async throws {
    let transport = MockTransport { Route(.post, "/a", .status(200)).where(.json(at: "$.a", 1)) }
    #expect(await transport.response(.post, "/a", body: #"{"a": 1}"#) == "200 ")
    for _ in 0..<2 {
      let request = try #require(transport.journal.entries.first).request
      #expect(request.content.parseCount == 0)
      #expect(request.json["a"] == 1)
    }
  }

  @Test func delimitersOfPartsAreWholeLines() {
    let type: HTTPHeaders = ["Content-Type": "multipart/mixed; boundary=b"]
    let body =
      "pre\n--b \t\r\n\r\nx--b\r\n--bc\r\n --b\r\n\r\n--b\r\nA: 1\r\n\r\n\r\n--b\r\n--b--\r\n--b\n\nz\n--b"
    let parts = ReceivedRequest.of("POST", "/", type, body).parts
    #expect(parts.map(\.text) == ["x--b\r\n--bc\r\n --b\r\n", "", ""])
    #expect(parts.map { $0.headers["A"] } == [nil, "1", nil])
  }
}
