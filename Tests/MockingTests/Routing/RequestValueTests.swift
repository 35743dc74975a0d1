import Foundation
import TestGate
import Testing

@testable import Mocking

/// Values of conditions and variables that another module computes for each request.
@Suite(.gated)
struct RequestValueTests {
  private static let wanted = RequestValue(source: "{{ variables.wanted }}") { request in
    request.variables["wanted"]
  }

  private func request(wanted: JSON?, _ target: String = "/a", _ body: String = "")
    -> ReceivedRequest
  {
    var request = ReceivedRequest.of("POST", target, [:], body)
    request.variables["wanted"] = wanted
    return request
  }

  @Test func aTextIsComparedWithTheValueOfEachRequest() {
    let equal = RequestCondition.query("page", .computed(Self.wanted, isPart: false))
    let part = RequestCondition.query("page", .computed(Self.wanted, isPart: true))
    for (wanted, isEqual, isPart) in [("12", true, true), ("1", false, true), ("3", false, false)] {
      let request = request(wanted: .string(wanted), "/a?page=12")
      #expect(equal.isMet(by: request) == isEqual && part.isMet(by: request) == isPart)
    }
  }

  @Test func aValueIsComparedWithTheValueOfEachRequest() {
    let body = #"{"a":1,"b":[1,2]}"#
    let member = RequestCondition.json(at: "$.b", .computed(Self.wanted, isPart: true))
    let whole = RequestCondition.json(computed: Self.wanted, isPart: false)
    let part = RequestCondition.json(computed: Self.wanted, isPart: true)
    #expect(member.isMet(by: request(wanted: 2, "/a", body)))
    #expect(!member.isMet(by: request(wanted: 3, "/a", body)))
    #expect(whole.isMet(by: request(wanted: ["a": 1, "b": [1, 2]], "/a", body)))
    #expect(!whole.isMet(by: request(wanted: ["a": 1], "/a", body)))
    #expect(part.isMet(by: request(wanted: ["a": 1], "/a", body)))
  }

  @Test func aValueThatIsMissingMatchesNothing() {
    let request = request(wanted: nil, "/a?page=", "null")
    #expect(
      !RequestCondition.query("page", .computed(Self.wanted, isPart: true)).isMet(by: request))
    #expect(!RequestCondition.json(computed: Self.wanted, isPart: true).isMet(by: request))
    #expect(
      !RequestCondition.json(at: "$", .computed(Self.wanted, isPart: false)).isMet(by: request))
  }

  @Test func reportsShowTheValueAsWritten() {
    let conditions: [RequestCondition] = [
      .query("page", .computed(Self.wanted, isPart: false)),
      .json(computed: Self.wanted, isPart: true), .expression("query.page > 2") { _ in true },
    ]
    #expect(
      conditions.map(\.description) == [
        #"query "page": "{{ variables.wanted }}""#, #"JSON: containing "{{ variables.wanted }}""#,
        "if query.page > 2",
      ])
    #expect(conditions.allSatisfy { $0.readsVariables })
  }

  @Test func aMalformedExpressionIsTheErrorOfItsRoute() {
    let condition = RequestCondition.expression("query.", problem: "a name is missing") { _ in true
    }
    let error = MockServerError.invalidPattern("query.", reason: "a name is missing")
    #expect(condition.validationError == error)
    #expect(throws: error) {
      try RouteTable([Route(.get, "/a", .status(200)).where(condition)])
    }
  }

  @Test func valuesAreEqualIfTheyAreWrittenInTheSameWay() {
    let other = RequestValue(source: "{{ variables.wanted }}") { _ in nil }
    #expect(TextPattern.computed(Self.wanted, isPart: true) == .computed(other, isPart: true))
    #expect(TextPattern.computed(Self.wanted, isPart: true) != .computed(other, isPart: false))
    #expect(
      JSONPattern.computed(other, isPart: true)
        != .computed(.init(source: 1) { _ in 1 }, isPart: true))
  }

  @Test func aVariableReceivesTheComputedValueWithTheConstantsOfTheRoute() async {
    let transport = MockTransport {
      Route(.post, "/a", .status(200))
        .defining { request, _ in [.string(request.query["name"] ?? "")] }
        .set("name") { _, _, constants in constants[0] }
        .set("names") { request, _, constants in
          .array([request.variables["name"] ?? .null] + constants)
        }
    }
    #expect(await transport.response(.post, "/a?name=Ada") == "200 ")
    #expect(transport.variables["name"] == "Ada" && transport.variables["names"] == ["Ada", "Ada"])
  }

  @Test func aVariableIsUnchangedIfAValueCannotBeComputed() async {
    let transport = MockTransport {
      Route(.post, "/a", .status(200)).set("count", to: 1).set("name") { _, _, _ in
        throw CancellationError()
      }
    }
    #expect(await transport.response(.post, "/a").hasPrefix("500 "))
    #expect(transport.variables["count"] == nil)
  }
}
