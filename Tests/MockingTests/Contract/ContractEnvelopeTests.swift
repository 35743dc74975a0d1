import Foundation
import Networking
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingContracts
@testable import MockingResources

/// Stateful collections whose items and lists are members of other objects.
@Suite(.gated)
struct ContractEnvelopeTests {
  /// A cinema with `{"data": {…}}`, and payments in HAL.
  private static let document = """
    openapi: 3.1.0
    info: {title: Cinema, version: "1"}
    paths:
      /movies:
        get:
          parameters:
            - {name: page, in: query, schema: {type: integer}}
            - {name: limit, in: query, schema: {type: integer}}
            - {name: genre, in: query, schema: {type: string}}
          responses:
            "200":
              description: ok
              content:
                application/json:
                  schema:
                    type: object
                    properties:
                      status: {type: string}
                      data:
                        type: object
                        properties:
                          total: {type: integer}
                          items: {type: array, items: {$ref: "#/components/schemas/Movie"}}
                          warnings: {type: array, items: {type: object, properties: {text: {type: string}}}}
        post:
          requestBody: {content: {application/json: {schema: {type: object, required: [data], properties: {data: {$ref: "#/components/schemas/NewMovie"}}}}}}
          responses:
            "201":
              description: made
              content:
                application/json:
                  schema: {$ref: "#/components/schemas/MovieResponse"}
                  example: {status: created, data: {id: 77, title: Example, genre: noir}}
      /movies/{movieId}:
        parameters: [{name: movieId, in: path, required: true, schema: {type: integer}}]
        get: {responses: {"200": {description: ok, content: {application/json: {schema: {$ref: "#/components/schemas/MovieResponse"}}}}}}
        put:
          requestBody: {content: {application/json: {schema: {type: object, properties: {data: {$ref: "#/components/schemas/NewMovie"}}}}}}
          responses: {"200": {description: ok, content: {application/json: {schema: {$ref: "#/components/schemas/MovieResponse"}}}}}
        patch:
          requestBody: {content: {application/json: {schema: {type: object, properties: {data: {type: object, properties: {genre: {type: string}}}}}}}}
          responses: {"200": {description: ok, content: {application/json: {schema: {$ref: "#/components/schemas/MovieResponse"}}}}}
      /payments:
        get:
          parameters: [{name: limit, in: query, schema: {type: integer}}, {name: page, in: query, schema: {type: integer}}]
          responses:
            "200":
              description: ok
              content:
                application/hal+json:
                  schema:
                    type: object
                    required: [count, _embedded, _links]
                    properties:
                      count: {type: integer}
                      _embedded:
                        type: object
                        properties: {payments: {type: array, items: {type: object, properties: {id: {type: string}, amount: {type: string}}}}}
                      _links: {type: object, properties: {self: {type: string}}}
        post:
          requestBody: {content: {application/json: {schema: {type: object, properties: {amount: {type: string}}}}}}
          responses: {"201": {description: made, content: {application/hal+json: {schema: {$ref: "#/components/schemas/Payment"}}}}}
      /payments/{paymentId}:
        parameters: [{name: paymentId, in: path, required: true, schema: {type: string}}]
        get: {responses: {"200": {description: ok, content: {application/hal+json: {schema: {$ref: "#/components/schemas/Payment"}}}}}}
      /seats:
        get: {responses: {"200": {description: ok, content: {application/json: {schema: {type: object, properties: {seats: {type: array, items: {$ref: "#/components/schemas/Seat"}}}}}}}}}
        post:
          requestBody: {content: {application/json: {schema: {type: object, properties: {row: {type: string}, neighbor: {$ref: "#/components/schemas/Seat"}}}}}}
          responses: {"201": {description: made, content: {application/json: {schema: {$ref: "#/components/schemas/Seat"}}}}}
      /seats/{id}:
        parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
        get: {responses: {"200": {description: ok, content: {application/json: {schema: {type: object, properties: {status: {type: string}, data: {type: object, properties: {seat: {$ref: "#/components/schemas/Seat"}}}}}}}}}}
    components:
      schemas:
        NewMovie: {type: object, required: [title], properties: {title: {type: string}, genre: {type: string}}}
        Movie: {type: object, required: [id, title], properties: {id: {type: integer}, title: {type: string}, genre: {type: string}}}
        MovieResponse: {type: object, required: [status, data], properties: {status: {type: string}, data: {$ref: "#/components/schemas/Movie"}}}
        Payment: {type: object, required: [id], properties: {id: {type: string}, amount: {type: string}, _links: {type: object, properties: {self: {type: string}}}}}
        Seat: {type: object, required: [id], properties: {id: {type: integer}, row: {type: string}, neighbor: {$ref: "#/components/schemas/Seat"}}}
    """

  private static func client() throws -> Networking<Request> {
    let networking = Networking<Request>(
      transport: MockTransport(contract: try Contract(text: document), store: ResourceStore()))
    networking.baseURL = URL.of("https://cinema.example/")
    return networking
  }

  private static func json(_ request: Request, _ client: Networking<Request>) async throws -> JSON {
    try JSON(parsing: try await client.request(request).value.data)
  }

  @Test func theValuesInBodiesAreFoundByTheSchemas() throws {
    let content = try Contract(text: Self.document).content
    let collections = ContractCollection.search(content)
    #expect(collections.omissions.isEmpty)
    #expect(collections.collections.map(\.path) == ["/movies", "/payments", "/seats"])
    #expect(
      collections.collections.map(\.envelope) == [
        ["data", "items"], ["_embedded", "payments"], ["seats"],
      ])
    let paths = collections.collections.map { collection in
      Set(collection.itemEnvelopes.values.map { [$0.request, $0.response] })
    }
    #expect(
      paths == [
        [[["data"], ["data"]], [[], ["data"]]], [[[], []]], [[[], []], [[], ["data", "seat"]]],
      ])
  }

  @Test func onlyAnEnvelopeThatIsNotMadeNeedsAPreparation() throws {
    let routes = try Contract(text: Self.document).routes(store: ResourceStore())
    let route = try #require(routes.first { $0.method == .get && $0.template == "/movies" })
    let request = ReceivedRequest(
      method: .get, target: "/movies", path: ReceivedPath(text: "/movies"), headers: [:],
      trailers: [:], body: Data(), bodyByteCount: 0, version: "1.1", connection: 0, exchange: 0,
      time: .zero)
    #expect(route.responder.isPreparationLong?(request) == true)
    route.responder.preparation?(request)
    #expect(route.responder.isPreparationLong?(request) == false)
  }

  @Test func theSearchForItemsAndListsIsBounded() throws {
    func object(_ name: String, _ inner: String) -> String {
      let members = (0..<60).map { "\(name)\($0): \(inner)" }.joined(separator: ", ")
      return "{type: object, properties: {\(members)}}"
    }
    let inner = object("b", "{type: string}")
    let contract = try Contract(
      text: """
        openapi: 3.1.0
        info: {title: Large, version: "1"}
        paths: {/a: {get: {responses: {"200": {description: A, content: {application/json: {
          schema: \(object("a", "{$ref: '#/components/schemas/B'}"))}}}}}}}
        components: {schemas: {B: \(inner)}}
        """)
    let schema = try #require(contract.content.operations[0].successSchema)
    #expect(contract.content.program.values(in: schema).count == 1_000)
  }

  @Test func anItemInAnEnvelopeIsCreatedReadAndChanged() async throws {
    let client = try Self.client()
    let created = try await client.request(
      .post(
        "movies", parameters: ["data": ["title": "Kite", "genre": "drama"]], contentType: .json)
    ).value
    let body = try JSON(parsing: created.data)
    let id = try #require(body["data"]["id"].int)
    #expect(created.status == 201 && created.headers["Location"] == "/movies/\(id)")
    // The rest of the envelope is that of the example.
    #expect(
      body == ["status": "created", "data": ["id": .int(id), "title": "Kite", "genre": "drama"]])
    let read = try await Self.json(.get("movies/\(id)"), client)
    #expect(read["data"] == body["data"] && read["status"].string != nil)
    let patch = Request.patch(
      "movies/\(id)", parameters: ["data": ["genre": "comedy"]], contentType: .json)
    #expect(try await Self.json(patch, client)["data"]["genre"] == "comedy")
    let put = Request.put(
      "movies/\(id)", parameters: ["data": ["title": "Crane"]], contentType: .json)
    #expect(try await Self.json(put, client)["data"]["title"] == "Crane")
    let stored = try await Self.json(.get("movies/\(id)"), client)["data"]
    #expect(stored == ["id": .int(id), "title": "Crane"])
  }

  @Test func aListInsideOfTwoObjectsPagesFiltersAndCounts() async throws {
    let client = try Self.client()
    let total = try #require(try await Self.json(.get("movies"), client)["data"]["total"].int)
    for number in 1...3 {
      _ = try await client.request(
        .post(
          "movies", parameters: ["data": ["title": .string("M\(number)"), "genre": "western"]],
          contentType: .json)
      ).value
    }
    let westerns = Request.get("movies", parameters: ["genre": "western", "limit": 2, "page": 2])
    let page = try await Self.json(westerns, client)["data"]
    #expect(page["items"].array?.map { $0["title"] } == ["M3"])
    #expect(page["total"] == 3)
    #expect(try await Self.json(.get("movies"), client)["data"]["total"].int == total + 3)
  }

  @Test func aListInHALPagesAndCounts() async throws {
    let client = try Self.client()
    let created = try await client.request(
      .post(
        "payments", parameters: ["amount": "10.00"], headers: ["Accept": "application/json"],
        contentType: .json)
    ).value
    #expect(created.status == 201)
    #expect(created.headers["Content-Type"] == "application/hal+json")
    let all = try await Self.json(.get("payments", parameters: ["limit": 100]), client)
    let payments = try #require(all["_embedded"]["payments"].array)
    #expect(payments.last?["amount"] == "10.00" && all["count"].int == payments.count)
    #expect(all["_links"].dictionary != nil)
    let page = try await Self.json(.get("payments", parameters: ["limit": 2, "page": 2]), client)
    #expect(page["_embedded"]["payments"].array == Array(payments[2..<4]) && page["count"] == 2)
  }

  /// The neighbor in a request is a member of the seat, although it has the schema of seats.
  @Test func aMemberOfAnItemIsNoEnvelope() async throws {
    let client = try Self.client()
    let request = Request.post(
      "seats", parameters: ["row": "A", "neighbor": ["id": 1]], contentType: .json)
    let seat = try await Self.json(request, client)
    let id = try #require(seat["id"].int)
    #expect(seat["row"] == "A" && seat["neighbor"]["id"] == 1)
    #expect(try await Self.json(.get("seats/\(id)"), client)["data"]["seat"] == seat)
  }
}
