import Foundation
import Networking

/// The OpenAPI document of the admin API.
///
/// The paths and the schemas are JSON texts. The responses that all operations have in common, such as
/// 401 and 405, are added to each operation.
///
/// Source: OpenAPI Specification 3.1.
enum OpenAPIDocument {
  /// The document of a server without a token.
  static let open = text(requiresToken: false)
  /// The document of a server with a token.
  static let protected = text(requiresToken: true)

  private static func text(requiresToken: Bool) -> Data {
    (try? document(requiresToken: requiresToken).data()) ?? Data("{}".utf8)
  }

  /// Returns the document.
  static func document(requiresToken: Bool) -> JSON {
    var document = json(root)
    var paths: JSON = [:]
    for text in [informationPaths, stubPaths, requestPaths, statePaths] {
      for (path, item) in json(text).dictionary ?? [:] { paths[path] = completed(item, path) }
    }
    document["paths"] = paths
    for text in [commonSchemas, stubSchemas, requestSchemas] {
      for (name, schema) in json(text).dictionary ?? [:] {
        document["components"]["schemas"][name] = schema
      }
    }
    guard requiresToken else { return document }
    document["components"]["securitySchemes"] = [
      "bearer": ["type": "http", "scheme": "bearer"]
    ]
    document["security"] = [["bearer": []]]
    return document
  }

  /// Returns a path with the common responses of its operations.
  private static func completed(_ item: JSON, _ path: String) -> JSON {
    var item = item
    for (method, operation) in item.dictionary ?? [:] where methods.contains(method) {
      var statuses = ["400", "401", "403", "405"]
      if path.contains("{") { statuses.append("404") }
      if operation["requestBody"] != .null { statuses += ["413", "415", "422"] }
      for status in statuses where item[method]["responses"][status] == .null {
        item[method]["responses"][status] = ["$ref": .string("#/components/responses/\(status)")]
      }
    }
    return item
  }

  private static let methods: Set<String> = ["get", "put", "post", "patch", "delete"]

  private static func json(_ text: String) -> JSON {
    (try? JSON(parsing: Data(text.utf8))) ?? .null
  }

  private static let root = #"""
    {
      "openapi": "3.1.0",
      "info": {
        "title": "Admin API of the mock server",
        "version": "1.0.0",
        "description": "Reads and changes a mocked backend while it runs. Secrets in responses are masked. Bodies have at most 8 MiB."
      },
      "servers": [{ "url": "/" }],
      "tags": [
        { "name": "server", "description": "The server itself" },
        { "name": "stubs", "description": "The routes, in the format of stub files" },
        { "name": "requests", "description": "The journal of received requests" },
        { "name": "state", "description": "Scenarios, variables, resources and settings" }
      ],
      "components": {
        "responses": {
          "400": {
            "description": "The query or the body is malformed.",
            "content": { "application/problem+json": {
              "schema": { "$ref": "#/components/schemas/Problem" } } }
          },
          "401": {
            "description": "The token is missing or wrong.",
            "headers": { "WWW-Authenticate": { "schema": { "type": "string" } } },
            "content": { "application/problem+json": {
              "schema": { "$ref": "#/components/schemas/Problem" } } }
          },
          "403": {
            "description": "The request comes from a page of another origin, or has a wrong Host.",
            "content": { "application/problem+json": {
              "schema": { "$ref": "#/components/schemas/Problem" } } }
          },
          "404": {
            "description": "There is no such object.",
            "content": { "application/problem+json": {
              "schema": { "$ref": "#/components/schemas/Problem" } } }
          },
          "405": {
            "description": "The path has no such method.",
            "headers": { "Allow": { "required": true, "schema": { "type": "string" } } },
            "content": { "application/problem+json": {
              "schema": { "$ref": "#/components/schemas/Problem" } } }
          },
          "409": {
            "description": "The change contradicts the current state.",
            "content": { "application/problem+json": {
              "schema": { "$ref": "#/components/schemas/Problem" } } }
          },
          "413": {
            "description": "The body has more than 8 MiB.",
            "content": { "application/problem+json": {
              "schema": { "$ref": "#/components/schemas/Problem" } } }
          },
          "415": {
            "description": "The body is not JSON.",
            "content": { "application/problem+json": {
              "schema": { "$ref": "#/components/schemas/Problem" } } }
          },
          "422": {
            "description": "A value in the body is invalid.",
            "content": { "application/problem+json": {
              "schema": { "$ref": "#/components/schemas/Problem" } } }
          },
          "503": {
            "description": "There are too many streams of events.",
            "headers": { "Retry-After": { "schema": { "type": "string" } } },
            "content": { "application/problem+json": {
              "schema": { "$ref": "#/components/schemas/Problem" } } }
          }
        },
        "parameters": {
          "RequestID": { "name": "id", "in": "path", "required": true,
            "schema": { "type": "integer", "minimum": 1 } },
          "SnapshotID": { "name": "id", "in": "path", "required": true,
            "schema": { "type": "integer", "minimum": 1 } }
        },
        "schemas": {}
      }
    }
    """#

  // MARK: The server

  private static let informationPaths = #"""
    {
      "/__mock/": {
        "get": {
          "operationId": "getInspector", "tags": ["server"],
          "summary": "The inspector page",
          "parameters": [
            { "name": "token", "in": "query", "schema": { "type": "string" },
              "description": "The token, which the response stores in a cookie." }
          ],
          "responses": {
            "200": { "description": "The page.",
              "content": { "text/html": { "schema": { "type": "string" } } } },
            "303": { "description": "The address without the token.",
              "headers": { "Location": { "required": true, "schema": { "type": "string" } } } }
          }
        }
      },
      "/__mock/openapi.json": {
        "get": {
          "operationId": "getDocument", "tags": ["server"],
          "summary": "This document",
          "responses": {
            "200": { "description": "The document.",
              "content": { "application/json": { "schema": { "type": "object" } } } }
          }
        }
      },
      "/__mock/info": {
        "get": {
          "operationId": "getInfo", "tags": ["server"],
          "summary": "The properties of the server",
          "responses": {
            "200": { "description": "The properties.",
              "content": { "application/json": {
                "schema": { "$ref": "#/components/schemas/Info" } } } }
          }
        }
      },
      "/__mock/shutdown": {
        "post": {
          "operationId": "shutDown", "tags": ["server"],
          "summary": "Ends the program",
          "description": "The body names the instance of /__mock/info, so that no other server ends.",
          "requestBody": { "required": true, "content": { "application/json": { "schema": {
            "type": "object", "additionalProperties": false, "required": ["instance"],
            "properties": { "instance": { "type": "string" } } } } } },
          "responses": {
            "202": { "description": "The program ends after this response.",
              "content": { "application/json": { "schema": {
                "type": "object", "additionalProperties": false, "required": ["instance"],
                "properties": { "instance": { "type": "string" } } } } } },
            "409": { "$ref": "#/components/responses/409" }
          }
        }
      }
    }
    """#
}
