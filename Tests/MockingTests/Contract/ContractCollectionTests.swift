import Foundation
import Networking
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingContracts
@testable import MockingResources

/// The collections that the paths of a contract describe, whichever members their items have.
@Suite(.gated)
struct ContractCollectionTests {
  private static let parking = """
    openapi: 3.1.0
    info: {title: Parking, version: "1"}
    paths:
      /garages:
        get:
          parameters:
            - {name: city, in: query, schema: {type: string}}
            - {name: page, in: query, schema: {type: integer}}
            - {name: per_page, in: query, schema: {type: integer}}
          responses:
            "200": {description: ok, content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Garage"}}}}}
      /garages/{id}/tickets:
        parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
        get: {responses: {"200": {description: ok, content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Ticket"}}}}}}}
        post:
          requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Ticket"}}}}
          responses: {"201": {description: made, content: {application/json: {schema: {$ref: "#/components/schemas/Ticket"}}}}}
      /garages/{id}/tickets/{ticketId}:
        parameters:
          - {name: id, in: path, required: true, schema: {type: integer}}
          - {name: ticketId, in: path, required: true, schema: {type: integer}}
        get: {responses: {"200": {description: ok, content: {application/json: {schema: {$ref: "#/components/schemas/Ticket"}}}}}}
      /garages/{id}/tickets/{ticketId}/stamps:
        parameters:
          - {name: id, in: path, required: true, schema: {type: integer}}
          - {name: ticketId, in: path, required: true, schema: {type: integer}}
        get: {responses: {"200": {description: ok, content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Stamp"}}}}}}}
        post:
          requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Stamp"}}}}
          responses: {"201": {description: made, content: {application/json: {schema: {$ref: "#/components/schemas/Stamp"}}}}}
      /settings:
        get: {responses: {"200": {description: ok, content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Stamp"}}}}}}}
      /settings/{name}:
        parameters: [{name: name, in: path, required: true, schema: {type: string}}]
        get: {responses: {"200": {description: ok, content: {application/json: {schema: {$ref: "#/components/schemas/Stamp"}}}}}}
        put:
          requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Stamp"}}}}
          responses: {"200": {description: ok, content: {application/json: {schema: {$ref: "#/components/schemas/Stamp"}}}}}
    components:
      schemas:
        Garage: {type: object, required: [id, city], properties: {id: {type: integer}, city: {type: string, enum: [Oslo, Rome]}}}
        Ticket: {type: object, additionalProperties: false, required: [plate], properties: {id: {type: integer}, plate: {type: string}}}
        Stamp: {type: object, additionalProperties: false, required: [color], properties: {color: {type: string}}}
    """

  /// A client of the garages in memory.
  private struct Client {
    let store = ResourceStore()
    private let networking: Networking<Request>

    init(_ text: String = ContractCollectionTests.parking) throws {
      networking = Networking<Request>(
        transport: MockTransport(contract: try Contract(text: text), store: store))
      networking.baseURL = URL.of("https://parking.example/")
    }

    func send(_ request: Request) async throws -> (status: Int, json: JSON, headers: HTTPHeaders) {
      let response = try await networking.request(request).value
      return (response.status, (try? JSON(parsing: response.data)) ?? .null, response.headers)
    }

    func create(_ path: RequestPath, _ body: Parameters) async throws -> JSON {
      try await send(.post(path, parameters: body, contentType: .json)).json
    }
  }

  @Test func theIDOfAParentIsKeptBesideAnItemWithoutAMemberForIt() async throws {
    let client = try Client()
    let ticket = try await client.create("garages/1/tickets", ["plate": "A-1"])
    let id = try #require(ticket["id"].int)
    #expect(ticket.dictionary.map { Set($0.keys) } == ["id", "plate"])
    #expect(try await client.send(.get("garages/1/tickets/\(id)")).json == ticket)
    #expect(try await client.send(.get("garages/2/tickets/\(id)")).status == 404)
    let list = try await client.send(.get("garages/1/tickets")).json.array
    #expect(list?.last == ticket)
    #expect(list?.allSatisfy { $0["garageId"].isNull } == true)
    let stored = client.store.storedResources.first { $0.path == "/garages/{id}/tickets" }
    #expect(stored?.items.last?["garageId"] == 1)
  }

  @Test func initialItemsBelongToTheItemsOfTheirParent() async throws {
    let client = try Client()
    for garage in 1...5 {
      let tickets = try await client.send(.get("garages/\(garage)/tickets")).json.array
      #expect(tickets?.count == 1)
    }
  }

  @Test func aCollectionBelowTwoParentsHasTheItemsOfBoth() async throws {
    let client = try Client()
    let id = try #require(try await client.create("garages/3/tickets", ["plate": "A"])["id"].int)
    let stamp = try await client.create("garages/3/tickets/\(id)/stamps", ["color": "red"])
    #expect(stamp == ["color": "red"])
    #expect(try await client.send(.get("garages/3/tickets/\(id)/stamps")).json == [stamp])
    #expect(try await client.send(.get("garages/4/tickets/\(id)/stamps")).status == 404)
    #expect(try await client.send(.get("garages/3/tickets/999/stamps")).status == 404)
  }

  @Test func aListWithoutAPathForItsItemsPagesAndFilters() async throws {
    let client = try Client()
    let all = try #require(try await client.send(.get("garages")).json.array)
    #expect(all.count == 5)
    let page = try await client.send(.get("garages", parameters: ["per_page": 2, "page": 2]))
    #expect(page.json.array == Array(all[2..<4]))
    #expect(page.headers["X-Total-Count"] == "5")
    let city = try #require(all[0]["city"].string)
    let filtered = try await client.send(.get("garages", parameters: ["city": .string(city)])).json
    #expect(filtered.array == all.filter { $0["city"].string == city })
  }

  @Test func aPutCreatesAnItemIfNoPostDoes() async throws {
    let client = try Client()
    let put = Request.put("settings/theme", parameters: ["color": "red"], contentType: .json)
    #expect(try await client.send(put).status == 200)
    #expect(try await client.send(.get("settings/theme")).json == ["color": "red"])
    #expect(try await client.send(.get("settings")).json.array?.last == ["color": "red"])
    #expect(try await client.send(.get("settings/none")).status == 404)
  }

  @Test(arguments: [(7, 7), (0, nil)])
  func theIDInABodyIsKeptIfAClientMaySetIt(id: Int, kept: Int?) async throws {
    let client = try Client()
    let ticket = try await client.create("garages/1/tickets", ["id": .int(id), "plate": "A"])
    #expect(ticket["id"].int ?? 0 > 0)
    if let kept { #expect(ticket["id"].int == kept) }
  }

  @Test func eachListThatKeepsNothingHasAReason() throws {
    func list(_ schema: String) -> String {
      "get: {responses: {\"200\": {description: ok, content: {application/json: {schema: \(schema)}}}}}"
    }
    let items = "{$ref: \"#/components/schemas/A\"}"
    let id = "parameters: [{name: id, in: path, required: true, schema: {type: string}}]"
    let gone = "delete: {responses: {\"204\": {description: gone}}}"
    let contract = try Contract(
      text: """
        openapi: 3.1.0
        info: {title: Lists, version: "1"}
        paths:
          /tags: {\(list("{type: array, items: {type: string}}"))}
          /tags/{id}: {\(id), \(gone)}
          /two: {\(list("{type: object, properties: {a: {type: array, items: \(items)}, b: {type: array, items: \(items)}}}"))}
          /two/{id}: {\(id), \(gone)}
          /one: {\(list(items))}
          /one/{id}: {\(id), \(gone)}
          /unknown: {\(list("{type: array, items: \(items)}"))}
          /unknown/{id}: {\(id), \(list(items))}
          /single/{id}: {\(id), \(list(items))}
          /login: {post: {responses: {"200": {description: ok}}}}
        components: {schemas: {A: {type: object, required: [b], properties: {b: {type: integer}}}}}
        """)
    let reasons = Dictionary(
      uniqueKeysWithValues: contract.statelessLists.map { ($0.path, $0.reason) })
    #expect(reasons.keys.sorted() == ["/one", "/tags", "/two", "/unknown"])
    #expect(reasons["/tags"] == "its items are not objects with members")
    #expect(reasons["/two"]?.contains("several lists (a, b)") == true)
    #expect(reasons["/one"]?.contains("is not a list") == true)
    #expect(reasons["/unknown"]?.contains("no member for {id}") == true)
    #expect(contract.operationSummaries.allSatisfy { !$0.isOfCollection })
  }

  @Test func aListWithAPartOfASegmentAsAVariableHasNoState() async throws {
    let list = "schema: {type: array, items: {type: object, properties: {id: {type: integer}}}}"
    let contract = try Contract(
      text: """
        openapi: 3.1.0
        info: {title: Lists, version: "1"}
        paths:
          "/lists/{flag}.json":
            parameters: [{name: flag, in: path, required: true, schema: {type: string}}]
            get: {responses: {"200": {description: ok, content: {application/json: {\(list)}}}}}
        """)
    let transport = MockTransport(contract: contract, store: ResourceStore())
    let record = await transport.get(URL.of("http://h/lists/new.json"))
    #expect(record.head?.status == 200)
    #expect(contract.statelessLists.isEmpty)
  }

  // MARK: Items of public APIs

  private static let cards = """
    openapi: 3.0.3
    info: {title: Cards, version: "1"}
    paths:
      /cards:
        get: {responses: {"200": {description: ok, content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Card"}}}}}}}
        post:
          requestBody:
            content:
              application/json: {schema: {$ref: "#/components/schemas/NewCard"}}
              application/x-www-form-urlencoded: {schema: {$ref: "#/components/schemas/NewCard"}}
          responses:
            "200": {description: made, content: {application/json: {schema: {$ref: "#/components/schemas/Card"}}}}
            "422": {description: refused, content: {application/json: {schema: {$ref: "#/components/schemas/Failure"}}}}
      /cards/{card_id}:
        parameters: [{name: card_id, in: path, required: true, schema: {type: string}}]
        get:
          responses:
            "200": {description: ok, content: {application/json: {schema: {$ref: "#/components/schemas/Card"}}}}
            default:
              description: failed
              content:
                application/json:
                  schema: {$ref: "#/components/schemas/Failure"}
                  examples:
                    invalid: {value: {error: {message: text is required, status_code: 422}}}
                    missing: {value: {error: {message: card not found, status_code: 404}}}
        post:
          requestBody: {content: {application/x-www-form-urlencoded: {schema: {$ref: "#/components/schemas/NewCard"}}}}
          responses: {"200": {description: changed, content: {application/json: {schema: {$ref: "#/components/schemas/Card"}}}}}
      /cards/{card_id}/send:
        parameters: [{name: card_id, in: path, required: true, schema: {type: string}}]
        post: {responses: {"204": {description: sent}}}
    components:
      schemas:
        NewCard: {type: object, properties: {text: {type: string}, size: {type: integer}}}
        Base: {type: object, required: [object, created], properties: {object: {enum: [card]}, created: {type: string, format: date-time}}}
        Text: {allOf: [{$ref: "#/components/schemas/Base"}, {type: object, required: [id, text], properties: {id: {type: string, pattern: "^crd_[a-z]+$"}, text: {type: string}, size: {type: integer}}}]}
        Size: {allOf: [{$ref: "#/components/schemas/Base"}, {type: object, required: [id, size, kind], properties: {id: {type: string, pattern: "^crd_[a-z]+$"}, size: {type: integer}, kind: {enum: [big]}}}]}
        Card: {anyOf: [{$ref: "#/components/schemas/Text"}, {$ref: "#/components/schemas/Size"}]}
        Failure: {type: object, required: [error], properties: {error: {type: object, required: [message, status_code], properties: {message: {type: string}, status_code: {type: integer}}}}}
    """

  @Test func theIDsOfAPatternAreAllDifferent() async throws {
    let client = try Client(Self.cards)
    var ids: Set<String> = []
    for _ in 0..<100 {
      let card = try await client.create("cards", ["text": "Hi"])
      ids.insert(try #require(card["id"].string))
    }
    #expect(ids.count == 100)
  }

  @Test func aNewItemHasTheMembersThatAllAlternativesRequire() async throws {
    let card = try await Client(Self.cards).create("cards", ["text": "Hi"])
    #expect(card["object"] == "card" && card["created"].string != nil)
    #expect(card["kind"].isNull)
  }

  @Test func aFormCreatesAndChangesAnItem() async throws {
    let client = try Client(Self.cards)
    let form = Request.post(
      "cards", parameters: ["text": "Hi", "size": 3], contentType: .formURLEncoded)
    let (status, card, _) = try await client.send(form)
    #expect(status == 200 && card["text"] == "Hi" && card["size"] == 3)
    let id = try #require(card["id"].string)
    let change = Request.post(
      "cards/\(id)", parameters: ["text": "Bye"], contentType: .formURLEncoded)
    #expect(try await client.send(change).json["text"] == "Bye")
    let stored = try await client.send(.get("cards/\(id)")).json
    #expect(stored["text"] == "Bye" && stored["size"] == 3)
    #expect(try await client.send(.post("cards/\(id)/send")).status == 204)
  }

  @Test func theExampleOfAFailureHasTheStatusAndTheReasonIsBesideIt() async throws {
    let client = try Client(Self.cards)
    let failure = try await client.send(.get("cards/crd_none"))
    #expect(failure.status == 404)
    #expect(failure.json["error"]["message"] == "card not found")
    let reason = failure.headers["Contract-Problem"]
    #expect(reason == "there is no item with the id \"crd_none\"")
  }

  @Test(arguments: [("task_gid", "gid"), ("taskUuid", "uuid"), ("taskNumber", "number")])
  func theMemberWithTheIDHasTheNameOfTheVariableWithoutThatOfTheItem(
    variable: String, member: String
  ) async throws {
    let schema = "{type: object, required: [\(member)], properties: {\(member): {type: string}}}"
    let content = "content: {application/json: {schema: "
    let client = try Client(
      """
      openapi: 3.0.3
      info: {title: Tasks, version: "1"}
      paths:
        /tasks:
          get: {responses: {"200": {description: ok, \(content){type: array, items: \(schema)}}}}}}
          post:
            requestBody: {\(content)\(schema)}}}
            responses: {"201": {description: made, \(content)\(schema)}}}}
        /tasks/{\(variable)}:
          parameters: [{name: \(variable), in: path, required: true, schema: {type: string}}]
          get: {responses: {"200": {description: ok, \(content)\(schema)}}}}}
      """)
    let first = try #require(try await client.send(.get("tasks")).json.array?.first)
    let id = try #require(first[member].string)
    #expect(try await client.send(.get("tasks/\(id)")).json == first)
  }

  private static let channels = """
    openapi: 3.0.3
    info: {title: Channels, version: "1"}
    paths:
      /channels:
        get: {responses: {"200": {description: ok, content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Channel"}}}}}}}
      /channels/{channelId}:
        parameters: [{name: channelId, in: path, required: true, schema: {type: string}}]
        get:
          responses:
            "200": {description: ok, content: {application/json: {schema: {$ref: "#/components/schemas/Channel"}}}}
            "404": {description: none, content: {application/json: {schema: {$ref: "#/components/schemas/Failure"}}}}
      /channels/{channelId}/rules:
        parameters: [{name: channelId, in: path, required: true, schema: {type: string}}]
        get:
          parameters: [{name: limit, in: query, schema: {type: integer}}, {name: offset, in: query, schema: {type: string}}]
          responses:
            "200":
              description: ok
              content:
                application/json:
                  schema:
                    type: object
                    properties:
                      data: {type: array, items: {$ref: "#/components/schemas/Rule"}}
                      next_page: {type: object, nullable: true, properties: {offset: {type: string}, path: {type: string}, uri: {type: string}}}
        post:
          requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Rule"}}}}
          responses: {"201": {description: made, content: {application/json: {schema: {$ref: "#/components/schemas/Rule"}}}}}
      /channels/{channelId}/rules/{ruleId}:
        parameters:
          - {name: channelId, in: path, required: true, schema: {type: string}}
          - {name: ruleId, in: path, required: true, schema: {type: string}}
        get: {responses: {"200": {description: ok, content: {application/json: {schema: {$ref: "#/components/schemas/Rule"}}}}}}
    components:
      schemas:
        Channel: {type: object, required: [id], properties: {id: {type: string}}}
        Rule:
          discriminator: {propertyName: type}
          oneOf: [{$ref: "#/components/schemas/Mail"}, {$ref: "#/components/schemas/Hook"}]
        Mail: {type: object, required: [type], properties: {type: {enum: [Mail]}, id: {type: string, readOnly: true}, to: {type: string}}}
        Hook: {type: object, required: [type], properties: {type: {enum: [Hook]}, id: {type: string, readOnly: true}, url: {type: string}}}
        Failure: {type: object, required: [message, statusCode], properties: {message: {type: string}, statusCode: {type: integer}}}
    """

  @Test func aParentThatNoRequestCreatesMayBeMissing() async throws {
    let client = try Client(Self.channels)
    let rule = try await client.create("channels/foo/rules", ["type": "Mail", "to": "ada"])
    let id = try #require(rule["id"].string)
    #expect(try await client.send(.get("channels/foo/rules/\(id)")).json == rule)
    #expect(try await client.send(.get("channels/bar/rules/\(id)")).status == 404)
    #expect(try await client.send(.get("channels/foo")).status == 404)
  }

  @Test func aCollectionThatNoRequestChangesIsNotSaidToKeepChanges() throws {
    let operations = try Contract(text: Self.channels).operationSummaries
    let kept = operations.filter(\.isOfCollection).map(\.path)
    #expect(Set(kept) == ["/channels/{channelId}/rules", "/channels/{channelId}/rules/{ruleId}"])
  }

  @Test func anErrorMadeFromItsSchemaHasItsStatusAndItsReason() async throws {
    let failure = try await Client(Self.channels).send(.get("channels/foo"))
    let reason = "there is no item with the id \"foo\""
    #expect(failure.json == ["message": .string(reason), "statusCode": 404])
  }

  @Test(arguments: ["me", "self"])
  func anAliasOfTheClientHasTheResponseOfTheDocument(alias: String) async throws {
    let channel = try await Client(Self.channels).send(.get("channels/\(alias)"))
    #expect(channel.status == 200 && channel.json["id"].string != nil)
  }

  @Test func theNextPageOfAListLeadsToIt() async throws {
    let client = try Client(Self.channels)
    for name in ["a", "b", "c"] {
      _ = try await client.create("channels/foo/rules", ["type": "Mail", "to": .string(name)])
    }
    let first = try await client.send(.get("channels/foo/rules", parameters: ["limit": 2])).json
    let next: JSON = [
      "offset": "2", "path": "/channels/foo/rules?limit=2&offset=2",
      "uri": "http://parking.example/channels/foo/rules?limit=2&offset=2",
    ]
    #expect(first["data"].array?.count == 2 && first["next_page"] == next)
    let last = try await client.send(
      .get("channels/foo/rules", parameters: ["limit": 2, "offset": "2"])
    ).json
    #expect(last["data"].array?.map { $0["to"] } == ["c"])
    #expect(last.dictionary?["next_page"] == .null)
  }

  @Test func aLocationWithoutAnExampleIsBelowThePathOfTheRequest() async throws {
    let contract = try Contract(
      text: """
        openapi: 3.1.0
        info: {title: Jobs, version: "1"}
        paths:
          /jobs:
            post:
              responses:
                "201": {description: made, headers: {Location: {schema: {type: string}}}}
          /links:
            post:
              responses:
                "201": {description: made, headers: {Location: {schema: {type: string, format: uri}}}}
        """)
    let transport = MockTransport(contract: contract)
    for (url, location) in [
      (URL.of("http://h/jobs"), "/jobs/1"), (URL.of("http://h/links"), "http://h/links/1"),
    ] {
      let record = await transport.perform(HTTPRequest(method: .post, url: url))
      #expect(record.head?.headers["Location"] == location)
    }
  }
}
