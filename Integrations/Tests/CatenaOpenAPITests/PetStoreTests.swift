import CatenaOpenAPI
import Foundation
import HTTPTypes
import Mocking
import MockingContracts
import MockingResources
import OpenAPIRuntime
import Testing

/// A client in the shape of a generated one, over an OpenAPI document that keeps changes.
struct PetStoreTests {
  struct Pet: Codable, Hashable, Sendable {
    var id: Int?
    var name: String
  }

  /// The operations of the document.
  struct Client {
    let transport: any ClientTransport
    let url = ("https://pets.example.com/v1" as BaseURL).url

    func listPets() async throws -> [Pet] {
      try await decoded([Pet].self, send(.get, "/pets", "listPets"))
    }

    func createPet(_ pet: Pet) async throws -> Pet {
      try await decoded(Pet.self, send(.post, "/pets", "createPet", pet))
    }

    func getPet(_ id: Int) async throws -> HTTPResponse.Status {
      try await send(.get, "/pets/\(id)", "getPet").0.status
    }

    func deletePet(_ id: Int) async throws -> HTTPResponse.Status {
      try await send(.delete, "/pets/\(id)", "deletePet").0.status
    }

    private func send(
      _ method: HTTPTypes.HTTPRequest.Method, _ path: String, _ operation: String, _ pet: Pet? = nil
    ) async throws -> (HTTPResponse, OpenAPIRuntime.HTTPBody?) {
      var request = HTTPTypes.HTTPRequest(method: method, scheme: nil, authority: nil, path: path)
      request.headerFields[.accept] = "application/json"
      let body = try pet.map { OpenAPIRuntime.HTTPBody(try JSONEncoder().encode($0)) }
      if body != nil { request.headerFields[.contentType] = "application/json; charset=utf-8" }
      return try await transport.send(
        request, body: body, baseURL: url, operationID: operation)
    }

    private func decoded<Value: Decodable>(
      _: Value.Type, _ response: (HTTPResponse, OpenAPIRuntime.HTTPBody?)
    ) async throws -> Value {
      let data = try await Data(collecting: #require(response.1), upTo: 10_000)
      return try JSONDecoder().decode(Value.self, from: data)
    }
  }

  private static let document = """
    openapi: 3.1.0
    info: {title: Pets, version: "1"}
    servers: [{url: https://pets.example.com/v1}]
    paths:
      /pets:
        get:
          operationId: listPets
          responses:
            "200":
              description: All pets
              content:
                application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Pet"}}}
        post:
          operationId: createPet
          requestBody:
            required: true
            content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}
          responses:
            "201":
              description: The pet
              content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}
      /pets/{id}:
        parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
        get:
          operationId: getPet
          responses:
            "200":
              description: The pet
              content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}
            "404": {description: There is no such pet}
        delete:
          operationId: deletePet
          responses:
            "204": {description: Deleted}
            "404": {description: There is no such pet}
    components:
      schemas:
        Pet:
          type: object
          required: [name]
          properties: {id: {type: integer}, name: {type: string}}
    """

  @Test func documentKeepsTheChangesOfTheClient() async throws {
    let contract = try Contract(text: Self.document)
    let provider = MockProvider<Request>(contract: contract, store: ResourceStore())
    let client = Client(transport: CatenaTransport(Networking<Request>(mockProvider: provider)))
    let before = try await client.listPets()
    let rex = try await client.createPet(Pet(name: "Rex"))
    let id = try #require(rex.id)
    #expect(try await client.listPets() == before + [rex])
    #expect(try await client.getPet(id) == .ok)
    #expect(try await client.deletePet(id) == .noContent)
    #expect(try await client.getPet(id) == .notFound)
    #expect(try await client.listPets() == before)
  }

  @Test func requestThatBreaksTheDocumentIsRefused() async throws {
    let contract = try Contract(text: Self.document)
    let mock = MockTransport(contract: contract)
    let transport = CatenaTransport(Networking<Request>(transport: mock))
    let request = HTTPTypes.HTTPRequest(
      method: .get, scheme: nil, authority: nil, path: "/pets/rex")
    let (head, _) = try await transport.send(
      request, body: nil, baseURL: ("https://pets.example.com/v1" as BaseURL).url,
      operationID: "getPet")
    #expect(head.status.code == 422)
  }
}
