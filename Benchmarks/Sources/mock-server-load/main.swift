import CInstructions
import Dispatch
import Foundation
import LoadSupport
import Mocking
import MockingContracts
import MockingTemplates

// A MockServer that runs until the process is terminated. Its routes respond with a fixed mock, a template
// of five values, the example of a contract, and a value that is made from the schema of a contract.
// POST requests for /counter/start and /counter/stop delimit the requests whose instructions are counted.

let contract = try Contract(
  text: """
    openapi: 3.1.0
    info: {title: Boards, version: "1"}
    paths:
      /examples/{id}:
        get:
          parameters:
            - {name: id, in: path, required: true, schema: {type: integer}}
            - {name: page, in: query, schema: {type: integer, minimum: 1}}
          responses:
            "200":
              description: A board
              content:
                application/json:
                  schema: {$ref: "#/components/schemas/Board"}
                  example: {id: 7, title: Board of forty bytes!}
      /schemas/{id}:
        get:
          parameters:
            - {name: id, in: path, required: true, schema: {type: integer}}
          responses:
            "200":
              description: A board
              content:
                application/json:
                  schema: {$ref: "#/components/schemas/Board"}
      /boards:
        post:
          requestBody:
            required: true
            content:
              application/json:
                schema: {$ref: "#/components/schemas/Board"}
          responses:
            "201":
              description: A board
              content:
                application/json:
                  schema: {$ref: "#/components/schemas/Board"}
    components:
      schemas:
        Board:
          type: object
          required: [id, title]
          properties:
            id: {type: integer}
            title: {type: string, minLength: 1}
            stars: {type: integer, minimum: 0, maximum: 5}
            owner: {type: string, format: email}
    """)
let arguments = Arguments()
let response = Mock.data(Data(Board.json.utf8), contentType: "application/json")
let server = try MockServer(port: arguments.number("port", or: 0)) {
  Route(.get, "/boards/{id}") { _ in response }
  Route(
    .get, "/templates/{id}",
    .template(json: [
      "id": "{{ path.id | int }}", "title": "{{ query.title | default(\"Kite\") }}",
      "at": "{{ now }}", "token": "{{ uuid }}", "host": "{{ headers.Host }}",
    ]))
  contract.routes()
  Route(.post, "/counter/start") { _ in
    start_instruction_count()
    return .status(204)
  }
  Route(.post, "/counter/stop") { _ in .text("\(stop_instruction_count())") }
}
print(server.url)
// An asynchronous main program crashes in valgrind.
DispatchSemaphore(value: 0).wait()
