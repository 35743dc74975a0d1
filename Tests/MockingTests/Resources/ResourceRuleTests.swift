import Foundation
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingStubs

/// Default values, rules for members, and groups of unique members.
@Suite(.gated)
struct ResourceRuleTests {
  private static let file = #"""
    {"routes": [
      {"resource": "/orders", "defaults": {"status": "placed", "count": 1},
       "types": {"count": {"type": "integer", "minimum": 1, "maximum": 9}, "status": {"enum": ["placed", "sent"]},
                 "code": {"pattern": "^[a-z]+$", "minLength": 2, "maxLength": 4}, "note": "string"},
       "unique": ["code", ["shop", "number"]], "data": [{"id": 1, "code": "ab", "shop": 1, "number": 1}]}
    ]}
    """#

  @Test func aNewItemHasDefaultValues() async throws {
    let transport = try StubFixture(Self.file).transport()
    let order = await transport.send(.post, "/orders", #"{"count": 2}"#)
    #expect(order.json["status"] == "placed" && order.json["count"] == 2)
    // Initial items and changes have no default values.
    #expect(await transport.send(.get, "/orders/1").json["status"].isNull)
    #expect(await transport.send(.patch, "/orders/2", #"{"status": null}"#).json["status"].isNull)
  }

  @Test(arguments: [
    (#"{"count": 0}"#, "must be at least 1"), (#"{"count": 10}"#, "must be at most 9"),
    (#"{"count": 1.5}"#, "must be an integer"),
    (#"{"status": "lost"}"#, #"must be one of "placed", "sent""#),
    (#"{"code": "A1"}"#, #"must match "^[a-z]+$""#),
    (#"{"code": "a"}"#, "must have at least 2 characters"),
    (#"{"code": "abcde"}"#, "must have at most 4 characters"),
    (#"{"note": 1}"#, "must be a string"),
  ])
  func anInvalidMemberIsRefused(item: String, reason: String) async throws {
    let transport = try StubFixture(Self.file).transport()
    for (method, target) in [(HTTPMethod.post, "/orders"), (.patch, "/orders/1")] {
      let refused = await transport.send(method, target, item)
      #expect(refused.status == 422)
      #expect(refused.json["errors"].array?.map { $0["detail"] } == [.string(reason)])
    }
  }

  @Test func membersAreUniqueTogether() async throws {
    let transport = try StubFixture(Self.file).transport()
    #expect(await transport.send(.post, "/orders", #"{"shop": 1, "number": 2}"#).status == 201)
    #expect(await transport.send(.post, "/orders", #"{"shop": 2, "number": 1}"#).status == 201)
    #expect(await transport.send(.post, "/orders", #"{"shop": 1}"#).status == 201)
    let refused = await transport.send(.post, "/orders", #"{"shop": 1, "number": 1}"#)
    #expect(refused.status == 409)
    #expect(refused.pointers == ["#/shop", "#/number"])
    #expect(await transport.send(.patch, "/orders/2", #"{"number": 1}"#).status == 409)
    #expect(await transport.send(.delete, "/orders/1").status == 204)
    #expect(await transport.send(.patch, "/orders/2", #"{"number": 1}"#).status == 200)
    #expect(await transport.send(.post, "/orders", #"{"code": "ab"}"#).status == 201)
  }

  private static let clinic = #"""
    {"routes": [
      {"resource": "/clinics", "data": [{"id": "c1"}]},
      {"resource": "/doctors", "data": [{"id": 1}, {"id": 2}]},
      {"resource": "/clinics/{clinic}/visits", "nestedPaths": ["/visits"],
       "references": {"doctorId": "/doctors", "assistants": "/doctors"},
       "data": [{"id": 1, "clinicId": "c1", "doctorId": 1}]}
    ]}
    """#

  @Test(arguments: [
    (#"{"clinicId": "c9"}"#, "#/clinicId", "/clinics"),
    (#"{"doctorId": 9}"#, "#/doctorId", "/doctors"),
    (#"{"doctorId": {"id": 1}}"#, "#/doctorId", "/doctors"),
    (#"{"assistants": [1, 3]}"#, "#/assistants", "/doctors"),
  ])
  func aReferenceToAMissingItemIsRefused(item: String, pointer: String, path: String) async throws {
    let transport = try StubFixture(Self.clinic).transport()
    for (method, target) in [
      (HTTPMethod.post, "/visits"), (.patch, "/visits/1"), (.put, "/visits/1"),
    ] {
      let refused = await transport.send(method, target, item)
      #expect(refused.status == 422)
      #expect(refused.pointers == [pointer])
      #expect(
        refused.json["errors"][0]["detail"] == .string("must be the id of an item of \(path)"))
    }
    #expect(await transport.send(.get, "/visits").ids == [1])
  }

  @Test func anItemNeedsTheParentsOfThePathOfTheRequestOnly() async throws {
    let transport = try StubFixture(
      #"""
      {"routes": [
        {"resource": "/users", "data": [{"id": 1}]}, {"resource": "/shops", "data": [{"id": 1}]},
        {"resource": "/users/{user}/orders", "nestedPaths": ["/shops/{shop}/orders"]}
      ]}
      """#
    ).transport()
    #expect(await transport.send(.post, "/users/1/orders", "{}").status == 201)
    #expect(await transport.send(.put, "/users/1/orders/1", "{}").status == 200)
    for id in ["9", "[]", "[1]"] {
      let refused = await transport.send(.post, "/users/1/orders", #"{"shopId": \#(id)}"#)
      #expect(refused.status == 422 && refused.pointers == ["#/shopId"])
    }
    #expect(await transport.send(.post, "/shops/1/orders", #"{"userId": 1}"#).status == 201)
  }

  @Test func aReferenceToAnExistingItemIsKeptWhenThatItemIsDeleted() async throws {
    let transport = try StubFixture(Self.clinic).transport()
    let visit = #"{"doctorId": "2", "assistants": [1, 2], "note": null}"#
    #expect(await transport.send(.post, "/clinics/c1/visits", visit).status == 201)
    #expect(await transport.send(.post, "/visits", #"{"doctorId": null}"#).status == 201)
    #expect(await transport.send(.delete, "/doctors/2").status == 204)
    #expect(await transport.send(.patch, "/visits/2", #"{"note": "late"}"#).status == 200)
    #expect(await transport.send(.patch, "/visits/2", #"{"doctorId": 2}"#).status == 422)
  }

  @Test func aFilterOfAnUnknownMemberHasAWarning() async throws {
    let transport = try StubFixture(Self.file).transport()
    let response = await transport.send(.get, "/orders?cdoe=ab")
    #expect(response.json == [])
    #expect(
      response.headers["X-Mock-Warning"]
        == #"no item has the member "cdoe"; did you mean "code"?"#)
    for query in ["code=x", "status=sent", "note=a", "code_like=x", "_sort=code"] {
      let response = await transport.send(.get, "/orders?\(query)")
      #expect(response.headers["X-Mock-Warning"] == nil, "\(query)")
    }
  }

  private static let mistakes: [(text: String, message: String)] = [
    (
      #"{"resource": "/a", "types": {"n": {"minimun": 1}}}"#,
      #"1:48: routes[0].types.n.minimun: unknown key "minimun"; did you mean "minimum"?"#
    ),
    (
      #"{"resource": "/a", "types": {"n": {"minimum": 2, "maximum": 1}}}"#,
      #"1:47: routes[0].types.n: expected a "minimum" that is not greater than "maximum""#
    ),
    (
      #"{"resource": "/a", "types": {"n": {"pattern": "("}}}"#,
      #"1:59: routes[0].types.n.pattern: expected a regular expression, found "(": "#
    ),
    (
      #"{"resource": "/a", "unique": [["n"]]}"#,
      #"1:43: routes[0].unique[0]: expected an array of at least two different names"#
    ),
    (
      #"{"resource": "/a", "defaults": {"n": "{{ now }}"}}"#,
      #"1:50: routes[0].defaults.n: a default value cannot have templates"#
    ),
    (
      #"{"resource": "/a"}, {"resource": "/a/{b}/c", "data": [{"bId": 9}]}"#,
      #"1:67: routes[1].data[0]: the item refers to nothing: its member "bId" must be the id of an item of /a"#
    ),
    (
      #"{"resource": "/a", "references": {"b": "/b"}, "data": []}"#,
      #"1:52: routes[0].references.b: there is no resource "/b" in this file or in its includes"#
    ),
    (
      #"{"resource": "/a"}, {"resource": "/c", "references": {"b": "/a"}, "data": [{"b": 9}]}"#,
      #"1:88: routes[1].data[0]: the item refers to nothing: its member "b" must be the id of an item of /a"#
    ),
    (
      #"{"resource": "/a", "webhook": {"url": "http://127.0.0.1/"}}"#,
      #"1:43: routes[0].webhook: a resource has no "webhook"; a route with the same path before it"#
    ),
    (
      #"{"path": "/a", "scenario": {"name": "s-{{ path.x }}", "then": "b"}}"#,
      #"1:49: routes[0].scenario.name: a scenario and its states cannot be templates"#
    ),
    (
      #"{"path": ["/a", "b/*"]}"#,
      #"1:29: routes[0].path[1]: expected a path, such as "/boards/{id}", found "b/*""#
    ),
    (
      #"{"path": "/a", "method": []}"#,
      #"1:38: routes[0].method: expected an array with at least one element, found an empty array"#
    ),
    (
      #"{"path": ["/a", "/b"], "id": "x"}"#,
      #"1:36: routes[0].id: "id" cannot be combined with a list of methods or paths"#
    ),
    (
      #"{"path": "/a", "when": {"if": "bdy.x"}}"#,
      #"1:43: routes[0].when.if: unknown name "bdy"; did you mean "body"?"#
    ),
  ]

  @Test(arguments: mistakes)
  func aMistakeHasAPosition(text: String, message: String) throws {
    let stubs = try StubFixture("{\"routes\": [\(text)]}")
    let error = #expect(throws: StubFileError.self) { try StubFile(contentsOf: stubs.file) }
    let description = try #require(error).description
    #expect(description.hasPrefix("\(stubs.file.path):\(message)"), "\(description)")
  }

  @Test func aRouteHasSeveralMethodsAndPaths() async throws {
    let transport = try StubFixture(
      #"""
      {"basePath": "/v1", "routes": [
        {"method": ["PATCH", "POST"], "path": ["/products/{id}", "/photos/{id}"], "status": 401,
         "when": {"headers": {"Authorization": false}}, "text": "{{ path.id }}"},
        {"method": ["GET", "PATCH"], "path": "/products/{id}", "text": "ok"}
      ]}
      """#
    ).transport()
    #expect(await transport.response(.patch, "/v1/products/7") == "401 7")
    #expect(await transport.response(.post, "/v1/photos/8") == "401 8")
    #expect(await transport.response(.get, "/v1/products/7") == "200 ok")
    #expect(await transport.response(.patch, "/v1/products/7", ["Authorization": "x"]) == "200 ok")
    #expect(await transport.response(.get, "/v1/photos/7").hasPrefix("405 "))
  }

  @Test func aComputedConditionIsReported() async throws {
    let stubs = try StubFixture(
      #"""
      {"routes": [
        {"path": "/a", "when": {"if": "query.n * 2 > query.limit"}, "text": "over"},
        {"path": "/b", "when": {"not": {"if": "{{ query.x }}"}}, "text": "no x"}
      ]}
      """#)
    let transport = try stubs.transport()
    #expect(await transport.response("/a?n=3&limit=5") == "200 over")
    let failure = await transport.get(.of("http://a/a?n=2&limit=5")).failure
    let report = "\(try #require(failure))"
    #expect(report.contains("if query.n * 2 > query.limit"), "\(report)")
    #expect(await transport.response("/b") == "200 no x")
  }

  @Test func eventsAndLinesAreTemplates() async throws {
    let transport = try StubFixture(
      #"""
      {"routes": [
        {"path": "/orders/{id}/events", "let": {"order": "{{ path.id }}"}, "events": [
          "start {{ order }}",
          {"event": "step {{ query.e }}", "id": "{{ 1 }}", "data": {"order": "{{ path.id | int }}"}}
        ]},
        {"path": "/lines", "lines": [{"n": "{{ query.n | int }}"}, "{{ method }}"]},
        {"path": "/raw", "template": false, "lines": ["{{ x }}"]}
      ]}
      """#
    ).transport()
    #expect(
      await transport.response("/orders/7/events?e=a%0Ab")
        == "200 data: start 7\n\nevent: step ab\nid: 1\ndata: {\"order\":7}\n\n")
    #expect(await transport.response("/lines?n=3") == "200 {\"n\":3}\n\"GET\"\n")
    #expect(await transport.response("/raw") == "200 \"{{ x }}\"\n")
  }
}
