import Foundation
import Networking
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingContracts
@testable import MockingResources

/// Contracts whose collections keep the changes of requests.
@Suite(.gated)
struct ContractStateTests {
  static let shop = """
    openapi: 3.0.3
    info: {title: Shop, version: "1"}
    servers: [{url: /api}]
    paths:
      /orders:
        get:
          operationId: listOrders
          parameters:
            - {name: page_size, in: query, schema: {type: integer, minimum: 1}}
            - {name: offset, in: query, schema: {type: integer, minimum: 0}}
            - {name: sort, in: query, schema: {type: string}}
            - {name: status, in: query, schema: {type: string}}
            - {name: include, in: query, schema: {type: string}}
          responses:
            "200":
              description: The orders
              content:
                application/json:
                  schema:
                    type: object
                    required: [orders, total, has_more]
                    properties:
                      orders: {type: array, items: {$ref: "#/components/schemas/Order"}}
                      total: {type: integer}
                      has_more: {type: boolean}
                      offset: {type: integer}
        post:
          operationId: createOrder
          requestBody:
            required: true
            content: {application/json: {schema: {$ref: "#/components/schemas/NewOrder"}}}
          responses:
            "201":
              description: The new order
              content: {application/json: {schema: {$ref: "#/components/schemas/Order"}}}
      /orders/{orderId}:
        parameters: [{name: orderId, in: path, required: true, schema: {type: integer}}]
        get:
          operationId: getOrder
          responses:
            "200":
              description: An order
              content: {application/json: {schema: {$ref: "#/components/schemas/Order"}}}
            "404":
              description: No order
              content: {application/json: {schema: {$ref: "#/components/schemas/Failure"}}}
        patch:
          operationId: changeOrder
          requestBody: {content: {application/json: {schema: {type: object}}}}
          responses:
            "200":
              description: The order
              content: {application/json: {schema: {$ref: "#/components/schemas/Order"}}}
        delete:
          operationId: deleteOrder
          responses: {"202": {description: Deleted}}
      /orders/{orderId}/notes:
        get:
          operationId: listNotes
          parameters: [{name: orderId, in: path, required: true, schema: {type: integer}}]
          responses:
            "200":
              description: The notes
              content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Note"}}}}
        post:
          operationId: createNote
          parameters: [{name: orderId, in: path, required: true, schema: {type: integer}}]
          requestBody: {content: {application/json: {schema: {type: object, required: [text]}}}}
          responses:
            "201":
              description: The note
              content: {application/json: {schema: {$ref: "#/components/schemas/Note"}}}
      /orders/{orderId}/notes/{id}:
        get:
          operationId: getNote
          parameters:
            - {name: orderId, in: path, required: true, schema: {type: integer}}
            - {name: id, in: path, required: true, schema: {type: string}}
          responses:
            "200":
              description: A note
              content: {application/json: {schema: {$ref: "#/components/schemas/Note"}}}
      /status:
        get:
          operationId: getStatus
          responses: {"200": {description: OK, content: {application/json: {example: {up: true}}}}}
    components:
      schemas:
        NewOrder:
          type: object
          required: [product]
          properties:
            product: {type: string}
            status: {type: string, enum: [open, paid]}
            card: {allOf: [{$ref: "#/components/schemas/Card"}]}
        Card: {type: string, writeOnly: true}
        Order:
          allOf:
            - {$ref: "#/components/schemas/NewOrder"}
            - type: object
              required: [id, createdAt, price]
              properties:
                id: {type: integer, readOnly: true}
                createdAt: {type: string, format: date-time, readOnly: true}
                price: {type: number, readOnly: true}
        Note:
          type: object
          required: [id, text]
          properties:
            id: {type: string, format: uuid, readOnly: true}
            orderId: {type: integer}
            text: {type: string}
        Failure:
          type: object
          required: [code]
          properties: {code: {type: string, example: not_found}}
          additionalProperties: false
    """

  /// A client of the shop in memory, whose exchanges are checked against the contract.
  private struct Shop {
    let store = ResourceStore()
    let monitor: ContractMonitor
    private let networking: Networking<Request>

    init() throws {
      let contract = try Contract(text: ContractStateTests.shop)
      monitor = ContractMonitor(contract)
      networking = Networking<Request>(transport: MockTransport(contract: contract, store: store))
      networking.baseURL = URL.of("https://shop.example/api/")
      networking.interceptors.append(monitor, at: .hop)
    }

    func send(_ request: Request) async throws -> (status: Int, json: JSON) {
      let response = try await networking.request(request).value
      return (response.status, (try? JSON(parsing: response.data)) ?? .null)
    }

    func create(_ product: String, status: String = "open") async throws -> JSON {
      let order = Request.post(
        "orders",
        parameters: ["product": .string(product), "status": .string(status), "card": "4111"],
        contentType: .json)
      let created = try await send(order)
      #expect(created.status == 201, "\(created.json)")
      return created.json
    }
  }

  @Test func theCollectionsOfAContractAreFound() throws {
    let content = try Contract(text: Self.shop).content
    let collections = ContractCollection.all(in: content)
    #expect(collections.map(\.path) == ["/orders", "/orders/{orderId}/notes"])
    #expect(collections.map(\.envelope) == [["orders"], []])
    #expect(collections.map(\.key) == ["id", "id"])
    #expect(collections.last?.foreignKeys == ["orderId": "orderId"])
  }

  @Test func aCreatedItemIsReadChangedListedAndDeleted() async throws {
    let shop = try Shop()
    let before = try await shop.send(.get("orders")).json["total"].int ?? 0
    #expect(before > 0)
    let order = try await shop.create("kite")
    let id = try #require(order["id"].int)
    #expect(order["product"] == "kite" && order["price"].double != nil)
    #expect(try await shop.send(.get("orders/\(id)")).json == order)
    let changed = try await shop.send(
      .patch("orders/\(id)", parameters: ["status": "paid"], contentType: .json))
    #expect(changed.status == 200 && changed.json["status"] == "paid")
    #expect(changed.json["createdAt"] == order["createdAt"])
    let list = try await shop.send(.get("orders", parameters: ["page_size": 100])).json
    #expect(list["total"].int == before + 1 && list["has_more"] == false)
    #expect(list["orders"].array?.last?["id"].int == id)
    #expect(try await shop.send(.delete("orders/\(id)")).status == 202)
    #expect(try await shop.send(.get("orders/\(id)")).status == 404)
    #expect(shop.monitor.report.violations.isEmpty, "\(shop.monitor.report)")
  }

  @Test func aMissingItemHasTheFailureOfTheDocument() async throws {
    let shop = try Shop()
    let missing = try await shop.send(.get("orders/999"))
    #expect(missing.status == 404 && missing.json == ["code": "not_found"])
    #expect(shop.monitor.report.violations.isEmpty, "\(shop.monitor.report)")
  }

  @Test func membersOfRequestsOnlyAreNotReturned() async throws {
    let shop = try Shop()
    let order = try await shop.create("kite")
    #expect(order["card"].isNull)
    let list = try await shop.send(.get("orders", parameters: ["page_size": 100])).json
    #expect(list["orders"].array?.allSatisfy { $0["card"].isNull } == true)
  }

  @Test func theListHasThePagesFiltersAndOrderOfTheDocument() async throws {
    let shop = try Shop()
    for index in 0..<5 {
      _ = try await shop.create("p\(index)", status: index < 2 ? "paid" : "open")
    }
    let total = try #require(try await shop.send(.get("orders")).json["total"].int)
    let page = try await shop.send(
      .get("orders", parameters: ["page_size": 2, "offset": .int(total - 3), "include": "all"])
    ).json
    #expect(page["orders"].array?.map { $0["product"] } == ["p2", "p3"])
    #expect(page["has_more"] == true && page["offset"].int == total - 3)
    let sorted = try await shop.send(
      .get("orders", parameters: ["sort": "-id", "page_size": 1])
    ).json
    #expect(sorted["orders"][0]["product"] == "p4")
    let paid = try await shop.send(
      .get("orders", parameters: ["status": "paid", "page_size": 100])
    ).json
    #expect(
      paid["orders"].array?.filter { $0["product"].string?.hasPrefix("p") == true }.count ?? 0 >= 2)
    #expect(paid["orders"].array?.allSatisfy { $0["status"] == "paid" } == true)
  }

  @Test func nestedItemsBelongToTheirParents() async throws {
    let shop = try Shop()
    let order = try await shop.create("kite")
    let id = try #require(order["id"].int)
    let note = try await shop.send(
      .post("orders/\(id)/notes", parameters: ["text": "hello"], contentType: .json))
    #expect(note.status == 201 && note.json["orderId"].int == id)
    #expect(UUID(uuidString: note.json["id"].string ?? "") != nil)
    #expect(try await shop.send(.get("orders/\(id)/notes")).json.array == [note.json])
    let other = try #require(try await shop.create("other")["id"].int)
    #expect(try await shop.send(.get("orders/\(other)/notes")).json.array == [])
  }

  @Test func requestsAreStillValidated() async throws {
    let shop = try Shop()
    let invalid = try await shop.send(
      .post("orders", parameters: ["product": 7], contentType: .json))
    #expect(invalid.status == 422 && invalid.json["errors"][0]["pointer"] == "#/product")
  }

  /// PUT has another schema than the item, and another one for its response.
  @Test func anItemHasTheMembersThatItsResponseRequires() async throws {
    let contract = try Contract(
      text: """
        openapi: 3.1.0
        info: {title: Notes, version: "1"}
        paths:
          /notes:
            get: {responses: {"200": {description: A, content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Note"}}}}}}}
          /notes/{id}:
            parameters: [{name: id, in: path, required: true, schema: {type: string}}]
            get: {responses: {"200": {description: A, content: {application/json: {schema: {$ref: "#/components/schemas/Note"}}}}}}
            put:
              requestBody: {content: {application/json: {schema: {type: object, properties: {text: {type: string}}}}}}
              responses: {"200": {description: A, content: {application/json: {schema: {type: object, required: [message], properties: {message: {type: string}}}}}}}
        components: {schemas: {Note: {type: object, required: [id, text, day], properties: {id: {type: string}, text: {type: string}, day: {type: string, format: date}}}}}
        """)
    let transport = MockTransport(contract: contract, store: ResourceStore())
    func send(_ method: HTTPMethod, _ path: String, body: String? = nil) async throws -> JSON {
      let url = try #require(URL(string: "http://a.example.com" + path))
      let record = await transport.perform(
        HTTPRequest(
          method: method, url: url, headers: ["Content-Type": "application/json"],
          body: body.map { .data(Data($0.utf8)) } ?? .none))
      #expect(record.head?.status == 200)
      return try JSON(parsing: record.body)
    }
    let message = try await send(.put, "/notes/n7", body: "{}")
    #expect(Array((message.dictionary ?? [:]).keys) == ["message"])
    _ = try await send(.put, "/notes/n7", body: #"{"text": "a"}"#)
    let note = try await send(.get, "/notes/n7")
    #expect(note["id"] == "n7" && note["text"] == "a" && note["day"].string != nil)
    let notes = try await send(.get, "/notes").array ?? []
    #expect(
      !notes.isEmpty && notes.allSatisfy { $0["text"].string != nil && $0["day"].string != nil })
  }

  @Test func theStoreIsThatOfTheTest() async throws {
    let shop = try Shop()
    let snapshot = shop.store.snapshot()
    _ = try await shop.create("kite")
    shop.store.restore(snapshot)
    let list = try await shop.send(.get("orders", parameters: ["page_size": 100])).json
    #expect(list["orders"].array?.contains { $0["product"] == "kite" } == false)
  }

  @Test func aListHasNoMoreItemsThanItsSchemaAllows() async throws {
    let contract = try Contract(
      text: """
        openapi: 3.1.0
        info: {title: Notes, version: "1"}
        paths:
          /notes:
            get:
              responses:
                "200":
                  description: The notes
                  headers: {X-Total: {schema: {type: integer}}}
                  content:
                    application/json: {schema: {type: array, maxItems: 3, items: {$ref: "#/components/schemas/Note"}}}
          /notes/{id}:
            get:
              parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
              responses:
                "200": {description: A note, content: {application/json: {schema: {$ref: "#/components/schemas/Note"}}}}
        components:
          schemas: {Note: {type: object, required: [id], properties: {id: {type: integer}}}}
        """)
    let transport = MockTransport(contract: contract, store: ResourceStore())
    let record = await transport.get(URL.of("http://127.0.0.1/notes"))
    #expect(try JSON(parsing: record.body).array?.count == 3)
    #expect(record.head?.headers["X-Total"] == "5")
  }

  @Test func aPreferenceThatCannotBeParsedIsRefused() async throws {
    let shop = try Shop()
    #expect(try await shop.send(.get("orders/1", parameters: ["__code": "x"])).status == 400)
  }

  @Test func anotherResponseCanBePreferred() async throws {
    let shop = try Shop()
    let preferred = try await shop.send(.get("orders/1", headers: ["Prefer": "code=404"]))
    #expect(preferred.status == 404)
    #expect(try await shop.send(.get("status")).json == ["up": true])
  }

  /// A contract with pages, whose list has an example or none.
  private static func pages(_ example: String, page: String, perPage: String) throws -> Contract {
    try Contract(
      text: """
        openapi: 3.1.0
        info: {title: Notes, version: "1"}
        paths:
          /notes:
            get:
              parameters:
                - {name: page, in: query, schema: {type: integer\(page)}}
                - {name: perPage, in: query, schema: {$ref: "#/components/schemas/Size"}}
              responses:
                "200":
                  description: The notes
                  content:
                    application/json:
                      schema:
                        type: object
                        required: [notes, page, perPage, totalPages, offset]
                        properties:
                          notes: {type: array, items: {$ref: "#/components/schemas/Note"}}
                          page: {type: integer}
                          perPage: {type: integer}
                          totalPages: {type: integer}
                          offset: {type: string}
        \(example)
          /notes/{id}:
            get:
              parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
              responses:
                "200": {description: A note, content: {application/json: {schema: {$ref: "#/components/schemas/Note"}}}}
        components:
          schemas:
            Size: {type: integer\(perPage)}
            Note: {type: object, required: [id], properties: {id: {type: integer}}}
        """)
  }

  private static func list(_ contract: Contract, _ query: String = "") async throws -> JSON {
    let transport = MockTransport(contract: contract, store: ResourceStore())
    return try JSON(
      parsing: await transport.get(try #require(URL(string: "http://127.0.0.1/notes\(query)"))).body
    )
  }

  @Test(
    arguments: zip(
      [
        ("", "", ""), (", default: 1", ", default: 2", ""), ("", ", default: 2", "?page=2"),
        ("", ", default: 2", "?perPage=4"),
      ],
      [[1, 20, 1, 5], [1, 2, 3, 2], [2, 2, 3, 2], [1, 4, 2, 4]]))
  func aMissingParameterOfAPageHasItsDefault(
    document: (page: String, perPage: String, query: String), expected: [Int]
  ) async throws {
    let contract = try Self.pages("", page: document.page, perPage: document.perPage)
    let list = try await Self.list(contract, document.query)
    let numbers = ["page", "perPage", "totalPages"].map { list[$0].int }
    #expect(numbers + [list["notes"].array?.count] == expected)
    // A text is no position, although its name is that of one.
    #expect(list["offset"].string != nil)
  }

  @Test(arguments: [
    "example: {notes: [], page: 1, perPage: 2, totalPages: 1, offset: a}",
    "examples: {none: {value: {notes: []}}}",
  ])
  func anExampleWithoutItemsIsACollectionWithoutItems(example: String) async throws {
    let indent = String(repeating: " ", count: 14)
    let contract = try Self.pages(indent + example, page: "", perPage: "")
    let list = try await Self.list(contract)
    #expect(list["notes"] == [] && list["totalPages"] == 1)
  }

  @Test func anExampleWithItemsTakesPrecedenceOverOneWithoutItems() async throws {
    let indent = String(repeating: " ", count: 14)
    let example = "examples: {a: {value: {notes: []}}, b: {value: {notes: [{id: 7}]}}}"
    let contract = try Self.pages(indent + example, page: "", perPage: "")
    #expect(try await Self.list(contract)["notes"] == [["id": 7]])
  }
}
