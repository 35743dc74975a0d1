@testable import Mocking
@testable import MockingContracts

/// An OpenAPI document for tests.
enum ContractFixture {
  static let pets = """
    openapi: 3.1.0
    info: {title: Pets, version: "2"}
    servers:
      - url: https://api.example.com/{stage}
        variables: {stage: {default: v1}}
    security: [{key: []}]
    paths:
      /pets:
        get:
          operationId: listPets
          parameters:
            - {name: limit, in: query, schema: {type: integer, minimum: 1, maximum: 100}}
            - {name: tags, in: query, explode: false, schema: {type: array, items: {type: string}}}
            - {name: filter, in: query, style: deepObject, schema: {type: object, properties: {age: {type: integer}}}}
            - {name: X-Trace, in: header, schema: {type: string, format: uuid}}
          responses:
            "200":
              description: The pets
              headers:
                X-Total: {schema: {type: integer, minimum: 0}}
              content:
                application/json: {schema: {type: array, minItems: 2, items: {$ref: "#/components/schemas/Pet"}}}
                text/csv: {example: "id,name\\n"}
        post:
          operationId: createPet
          requestBody:
            required: true
            content:
              application/json: {schema: {$ref: "#/components/schemas/NewPet"}}
          responses:
            "201":
              description: The new pet
              content:
                application/json:
                  schema: {$ref: "#/components/schemas/Pet"}
                  examples:
                    cat: {value: {id: 7, name: Tom, kind: cat}}
                    wrong: {value: {id: x}}
            "409":
              description: Exists
              content: {application/problem+json: {schema: {type: object}}}
      /pets/{id}:
        parameters:
          - {name: id, in: path, required: true, schema: {type: integer}}
        get:
          operationId: getPet
          security: []
          responses:
            "200":
              description: A pet
              content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}
            4XX: {description: Not there}
      /pets/mine:
        get:
          security: []
          responses: {"204": {description: None}}
      /reports/{year}-{month}.pdf:
        get:
          security: []
          parameters:
            - {name: year, in: path, required: true, schema: {type: integer}}
            - {name: month, in: path, required: true, schema: {type: integer, maximum: 12}}
          responses: {"204": {description: None}}
    components:
      securitySchemes:
        key: {type: apiKey, in: header, name: X-Key}
      schemas:
        NewPet:
          type: object
          required: [name]
          properties:
            name: {type: string, minLength: 2}
            kind: {enum: [cat, dog]}
            born: {type: string, format: date}
          unevaluatedProperties: false
        Pet:
          type: object
          required: [id, name]
          properties:
            id: {type: integer, readOnly: true}
            name: {type: string, minLength: 2}
            kind: {enum: [cat, dog]}
            createdAt: {type: string, format: date-time}
            owner: {type: object, required: [firstName, city], properties: {firstName: {type: string}, city: {type: string}}}
            code: {type: string, pattern: "^[A-Z]{3}-\\\\d{4}$"}
            friends: {type: array, items: {$ref: "#/components/schemas/Pet"}}
    """

  static func contract() throws -> Contract { try Contract(text: pets) }
}
