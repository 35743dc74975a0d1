import Foundation
import Networking
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingContracts

/// Swift code with the endpoints of a contract.
///
/// The comparison `contract` of Tests/Differential compiles the code of more documents.
@Suite(.gated)
struct EndpointSourceTests {
  @Test func endpointsAndTypesHaveTheNamesOfTheDocument() throws {
    let contract = try Contract(
      text: """
        openapi: 3.1.0
        info: {title: Pet shop, version: "2"}
        servers: [{url: "https://{region}.example.com/v1/", variables: {region: {default: eu}}}]
        paths:
          /pets/{pet-id}:
            get:
              operationId: getPet
              summary: A pet
              parameters:
                - {name: pet-id, in: path, required: true, schema: {type: integer}}
                - {name: tags, in: query, schema: {type: array, items: {type: string}}}
                - {name: limit, in: query, required: true, schema: {type: integer}}
                - {name: X-Trace, in: header, schema: {type: string}}
              responses:
                "200": {description: A pet, content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}}
          /pets:
            post:
              requestBody:
                required: true
                content: {application/json: {schema: {type: object, required: [name], properties: {name: {type: string}}}}}
              responses: {"201": {description: Created}}
          /report.csv:
            get: {operationId: report, responses: {"200": {description: Text, content: {text/csv: {}}}}}
        components:
          schemas:
            Pet:
              type: object
              description: An animal
              required: [id, default]
              properties:
                id: {type: integer}
                default: {type: boolean}
                created_at: {type: [string, "null"]}
                mother: {$ref: "#/components/schemas/Pet"}
                friends: {type: array, items: {$ref: "#/components/schemas/Pet"}}
                prices: {type: object, additionalProperties: {type: number}}
                owner: {type: object, properties: {name: {type: string}}}
                any: {oneOf: [{type: string}, {type: integer}]}
        """)
    #expect(
      EndpointSource(contract).text == """
        // The endpoints of Pet shop 2, made by mock-server endpoints.
        import Foundation
        import Networking

        /// Pet shop 2
        nonisolated enum PetShopAPI {
          /// The address of the server, for `networking.baseURL`.
          static let baseURL = URL(string: "https://eu.example.com/v1/")
        }

        /// `POST /pets`
        nonisolated struct PostPets: TypedEndpoint, Sendable {
          typealias ResponseType = EmptyResponse

          var body: PostPetsBody

          var request: Request {
            get throws {
              return try Request.post("pets", parameters: Parameters(encoding: body), contentType: .json)
            }
          }
        }

        /// `GET /report.csv`
        nonisolated struct Report: RequestConvertible, Sendable {
          var request: Request { Request.get("report.csv") }
        }

        /// A pet
        /// `GET /pets/{pet-id}`
        nonisolated struct GetPet: TypedEndpoint, Sendable {
          typealias ResponseType = Pet

          var petId: Int
          var limit: Int
          var tags: [String]?
          var xTrace: String?

          var request: Request {
            var parameters: Parameters = [:]
            parameters["tags"] = tags.map { .array($0.map { element in .string(element) }) }
            parameters["limit"] = .int(limit)
            var headers: HTTPHeaders = [:]
            headers["X-Trace"] = xTrace
            return Request.get("pets/\\(petId)", parameters: parameters, headers: headers, contentType: .query, .queryFormat(.form(explode: true)))
          }
        }

        nonisolated struct PostPetsBody: Codable, Hashable, Sendable {
          var name: String
        }

        nonisolated struct PetOwner: Codable, Hashable, Sendable {
          var name: String?
        }

        /// An animal
        nonisolated struct Pet: Codable, Hashable, Sendable {
          var `any`: JSON?
          var createdAt: String?
          var `default`: Bool
          var friends: [Pet]?
          var id: Int
          var mother: JSON?
          var owner: PetOwner?
          var prices: [String: Double]?

          enum CodingKeys: String, CodingKey {
            case `any`
            case createdAt = "created_at"
            case `default`
            case friends
            case id
            case mother
            case owner
            case prices
          }
        }

        """)
  }

  private static func source(_ server: String, _ operation: String) throws -> String {
    let contract = try Contract(
      text: """
        openapi: 3.1.0
        info: {title: A, version: "1"}
        servers: [{url: "\(server)"}]
        paths: {/a: {\(operation)}}
        """)
    return EndpointSource(contract).text
  }

  @Test(arguments: [
    ("/v1", "http://127.0.0.1:8080/v1"), ("v1/", "http://127.0.0.1:8080/v1/"),
    ("//a.test/v1", "http://a.test/v1"), ("https://a.test", "https://a.test"),
  ])
  func theAddressOfTheServerIsAbsolute(server: String, address: String) throws {
    #expect(
      try Self.source(server, "get: {}").contains(#"URL(string: "\#(address)")"#))
  }

  @Test(arguments: [
    ("Matomo API", "MatomoAPI"), ("Pet shop", "PetShopAPI"), ("Rest Api", "RestApi"),
    ("OpenAPI", "OpenAPI"), ("Okapi", "OkapiAPI"),
  ])
  func theWordAPIIsInTheNameOnce(title: String, name: String) throws {
    let contract = try Contract(
      text: """
        openapi: 3.1.0
        info: {title: \(title), version: "1"}
        paths: {/a: {get: {responses: {"200": {description: ok}}}}}
        """)
    #expect(EndpointSource(contract).text.contains("nonisolated enum \(name) {"))
  }

  @Test func aListHasTheStyleOfItsParameter() throws {
    let source = try Self.source(
      "/",
      "get: {parameters: [{name: a, in: query, required: true, style: pipeDelimited, explode: false, schema: {type: array, items: {type: integer}}}, {name: b, in: query, style: spaceDelimited, explode: false, schema: {type: array, items: {type: string}}}]}"
    )
    #expect(
      source.contains(
        #"parameters["a"] = .string(a.map { String(describing: $0) }.joined(separator: "|"))"#))
    #expect(
      source.contains(
        #"parameters["b"] = b.map { .string($0.map { String(describing: $0) }.joined(separator: " ")) }"#
      ))
    #expect(!source.contains("formatting"))
  }

  @Test func aFormBesideAQueryIsData() throws {
    let source = try Self.source(
      "/",
      "post: {parameters: [{name: q, in: query, schema: {type: string}}], requestBody: {required: true, content: {application/x-www-form-urlencoded: {schema: {type: object, properties: {a: {type: string}}}}}}}"
    )
    #expect(source.contains("var body: Data"))
    #expect(
      source.contains(
        #"Request.upload(data: body, to: "a", method: .post, contentType: "application/x-www-form-urlencoded", .parameters(parameters))"#
      ))
  }

  @Test(arguments: [
    ("pet", "Pet"), ("pet-owner", "PetOwner"), ("get_pet", "GetPet"), ("7up", "Value7up"),
    ("Error", "ErrorModel"), ("😀", "Value"), ("", "Value"), ("ResponseType", "ResponseTypeModel"),
    ("http method", "HttpMethod"), ("HTTPMethod", "HTTPMethodModel"), ("größe-ø", "GrößeØ"),
    ("名前", "名前"), ("a²", "A"),
  ])
  func aNameBecomesATypeName(text: String, name: String) {
    var names = SwiftNames()
    #expect(names.type(text) == name)
    #expect(names.type(text) == name + "_")
  }

  @Test(arguments: [
    ("created_at", "createdAt"), ("URL", "url"), ("petID", "petID"), ("X-Trace", "xTrace"),
    ("@type", "type"), ("1st", "value1st"), ("class", "class"),
    ("self", "selfValue"), ("é", "é"),
  ])
  func aNameBecomesAMemberName(text: String, name: String) {
    var names = SwiftNames()
    #expect(names.member(text) == name)
  }

  @Test func aTextBecomesALiteral() {
    #expect(SwiftNames.literal("a\"b\\(c)\n\u{2028}é") == #""a\"b\\(c)\u{a}\u{2028}é""#)
  }
}
