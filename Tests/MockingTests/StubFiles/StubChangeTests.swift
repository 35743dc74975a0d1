import Foundation
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingStubs

/// Routes of a stub file read and change resources.
@Suite(.gated)
struct StubChangeTests {
  private static let shop = #"""
    {"basePath": "/api", "routes": [
      {"resource": "/products", "types": {"stock": {"type": "integer", "minimum": 0}},
       "data": [{"id": 1, "name": "kite", "price": 10.1, "stock": 3},
                {"id": 2, "name": "ball", "price": 20.2, "stock": 1}]},
      {"resource": "/users", "data": [{"id": 7, "name": "Ada", "password": "x"}]},
      {"resource": "/carts", "data": [{"id": 5}, {"id": 6}]},
      {"resource": "/carts/{cart}/items",
       "data": [{"cartId": 5, "product": 1, "price": 10.1, "quantity": 2},
                {"cartId": 5, "product": 2, "price": 20.2, "quantity": 1},
                {"cartId": 6, "product": 2, "price": 20.2, "quantity": 9}]},
      {"resource": "/orders", "defaults": {"status": "placed"}, "readOnly": ["total"]},
      {"method": "POST", "path": "/orders/place", "status": 201,
       "let": {
         "total": "{{ items | sum(\"price\") }}",
         "items": "{{ resources['/carts/{id}/items'] | where(\"cartId\", body.cart) }}"
       },
       "changes": [
         {"each": "item in items", "resource": "/products", "update": "{{ item.product }}",
          "with": {"stock": "{{ current.stock - item.quantity }}"}},
         {"resource": "/carts/{cart}/items", "delete": {"cartId": "{{ body.cart }}"}, "as": "gone"},
         {"resource": "/orders", "create": {"cart": "{{ body.cart }}", "total": "{{ total }}"},
          "as": "order", "if": "gone"}
       ],
       "headers": {"Location": "/api/orders/{{ order.id }}"},
       "json": {"order": "{{ order }}", "count": "{{ gone | length }}",
                "left": "{{ resources['/products'].1.stock }}"}},
      {"method": "POST", "path": "/products/{id}/photo", "status": 200,
       "changes": [{"resource": "/products", "update": "{{ path.id }}", "as": "product",
                    "with": {"photo": "/photos/{{ parts.photo.fileName | default(\"none\") }}", "name": null}}],
       "json": "{{ product }}"},
      {"method": "POST", "path": "/login",
       "when": {"if": "(resources['/users'] | find('name', body.name) | get('password')) == body.password"},
       "let": {"token": "{{ randomHex(8) }}", "user": "{{ resources['/users'] | find('name', body.name) }}"},
       "set": {"token": "{{ token }}"}, "json": {"token": "{{ token }}", "id": "{{ user.id }}"}},
      {"method": "POST", "path": "/login", "status": 401},
      {"path": "/me", "when": {"headers": {"X-Token": "{{ variables.token }}"}}, "text": "yes"}
    ]}
    """#

  private func backend() throws -> MockTransport { try StubFixture(Self.shop).transport() }

  @Test func anOrderTakesTheItemsOfACart() async throws {
    let transport = try backend()
    let order = await transport.send(.post, "/api/orders/place", #"{"cart": 5}"#)
    #expect(
      order.text
        == #"{"order":{"id":1,"cart":5,"total":30.3,"status":"placed"},"count":2,"left":1}"#)
    #expect(order.status == 201)
    #expect(order.headers["Location"] == "/api/orders/1")
    #expect(await transport.send(.get, "/api/carts/5/items").json == [])
    #expect(await transport.send(.get, "/api/carts/6/items").ids == [3])
    #expect(await transport.send(.get, "/api/products/1").json["stock"] == 1)
    #expect(await transport.send(.get, "/api/products/2").json["stock"] == 0)
    #expect(await transport.send(.get, "/api/orders").ids == [1])
  }

  @Test func aRefusedChangeChangesNothing() async throws {
    let transport = try backend()
    let refused = await transport.send(.post, "/api/orders/place", #"{"cart": 6}"#)
    #expect(refused.status == 422)
    #expect(refused.pointers == ["#/stock"])
    #expect(refused.json["errors"][0]["detail"] == "must be at least 0")
    #expect(await transport.send(.get, "/api/carts/6/items").ids == [3])
    #expect(await transport.send(.get, "/api/orders").ids == [])
    let missing = await transport.send(.post, "/api/products/9/photo", "{}")
    #expect(missing.status == 404)
    #expect(missing.json["detail"] == #"there is no item with the id "9" in /api/products"#)
  }

  @Test func aConditionalChangeIsLeftOut() async throws {
    let empty = try await backend().send(.post, "/api/orders/place", #"{"cart": 99}"#)
    #expect(empty.json["order"].isNull)
    #expect(empty.json["count"] == 0)
  }

  @Test func anUploadChangesAnItem() async throws {
    let transport = try backend()
    let photo = await transport.send(.post, "/api/products/1/photo", "{}")
    #expect(photo.json["photo"] == "/photos/none")
    #expect(photo.json["name"].isNull)
    #expect(await transport.send(.get, "/api/products/1").json == photo.json)
  }

  @Test func aLoginReadsAResourceAndSharesItsTokenWithAVariable() async throws {
    let transport = try backend()
    #expect(
      await transport.send(.post, "/api/login", #"{"name": "Ada", "password": "y"}"#).status == 401)
    let login = await transport.send(.post, "/api/login", #"{"name": "Ada", "password": "x"}"#)
    #expect(login.json["id"] == 7)
    let token = try #require(login.json["token"].string)
    #expect(token.count == 8)
    #expect(await transport.send(.get, "/api/me", nil, ["X-Token": token]).text == "yes")
  }

  @Test func changesOfOneClientAreInvisibleToOthers() async throws {
    let text = Self.shop.replacingOccurrences(
      of: #""basePath""#, with: #""isolation": {"header": "X-Client"}, "basePath""#)
    let transport = try StubFixture(text).transport()
    let body = #"{"cart": 5}"#
    #expect(
      await transport.send(.post, "/api/orders/place", body, ["X-Client": "a"]).status == 201)
    #expect(await transport.send(.get, "/api/orders", nil, ["X-Client": "a"]).ids == [1])
    #expect(await transport.send(.get, "/api/orders", nil, ["X-Client": "b"]).ids == [])
    let other = await transport.send(.post, "/api/orders/place", body, ["X-Client": "b"])
    #expect(other.json["left"] == 1)
  }

  private static let mistakes: [(stub: String, message: String)] = [
    (
      #""changes": [{"resource": "/b", "delete": "1"}]"#,
      #"1:85: routes[1].changes[0].resource: unknown resource "/b"; did you mean "/a"?"#
    ),
    (
      #""json": "{{ resources['/b'] }}""#,
      #"1:82: routes[1].json: unknown resource "/b"; did you mean "/a"?"#
    ),
    (
      #""changes": [{"resource": "/a"}]"#,
      #"1:72: routes[1].changes[0]: expected a member "create", "update" or "delete""#
    ),
    (
      #""changes": [{"resource": "/a", "update": "1"}]"#,
      #"1:72: routes[1].changes[0]: expected a member "with", the changed members"#
    ),
    (
      #""changes": [{"resource": "/a", "delete": "1", "with": {}}]"#,
      #"1:106: routes[1].changes[0].with: "with" requires "update""#
    ),
    (
      #""changes": [{"resource": "/a", "delete": "1", "as": "body"}]"#,
      #"1:112: routes[1].changes[0].as: the name "body" is already in use; choose another one"#
    ),
    (
      #""changes": [{"resource": "/a", "create": {"x": "{{ this }}"}}]"#,
      #"1:111: routes[1].changes[0].create.x: unknown name "this""#
    ),
    (
      #""template": false, "changes": []"#,
      #"1:79: routes[1].changes: "changes" cannot be combined with "template""#
    ),
    (
      #""sequence": [{}], "changes": []"#,
      #"1:78: routes[1].changes: "changes" cannot be combined with "sequence""#
    ),
  ]

  @Test(arguments: mistakes)
  func aMistakeHasAPosition(stub: String, message: String) throws {
    let stubs = try StubFixture(
      #"{"routes": [{"resource": "/a", "data": []}, {"path": "/x", "# + stub + "}]}")
    let error = #expect(throws: StubFileError.self) { try StubFile(contentsOf: stubs.file) }
    let description = try #require(error).description
    #expect(description.hasPrefix("\(stubs.file.path):\(message)"), "\(description)")
  }
}
