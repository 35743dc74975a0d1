extension OpenAPIDocument {
  static let requestPaths = #"""
    {
      "/__mock/requests": {
        "get": {
          "operationId": "listRequests", "tags": ["requests"],
          "summary": "Lists the received requests in the order of arrival",
          "parameters": [
            { "name": "limit", "in": "query",
              "schema": { "type": "integer", "minimum": 1, "maximum": 500, "default": 100 } },
            { "name": "after", "in": "query",
              "description": "The id after which the list begins, such as next of the page before.",
              "schema": { "type": "integer", "minimum": 0, "maximum": 9223372036854775807 } },
            { "name": "method", "in": "query", "schema": { "type": "string" } },
            { "name": "path", "in": "query", "description": "A part of the path.",
              "schema": { "type": "string" } },
            { "name": "status", "in": "query",
              "schema": { "type": "integer", "minimum": 100, "maximum": 999 } },
            { "name": "unmatched", "in": "query",
              "description": "Whether no stub responded.", "schema": { "type": "boolean" } }
          ],
          "responses": {
            "200": { "description": "A page of requests.",
              "content": { "application/json": { "schema": {
                "type": "object", "additionalProperties": false, "required": ["requests", "next"],
                "properties": {
                  "requests": { "type": "array",
                    "items": { "$ref": "#/components/schemas/Summary" } },
                  "next": { "type": ["integer", "null"],
                    "description": "The value of after for the next page." } } } } } }
          }
        },
        "delete": {
          "operationId": "removeRequests", "tags": ["requests"],
          "summary": "Discards all requests",
          "responses": { "204": { "description": "The journal is empty." } }
        }
      },
      "/__mock/requests/count": {
        "post": {
          "operationId": "countRequests", "tags": ["requests"],
          "summary": "Counts the requests that match a pattern",
          "requestBody": { "required": true, "content": { "application/json": {
            "schema": { "$ref": "#/components/schemas/Pattern" } } } },
          "responses": {
            "200": { "description": "The number, and the ids of the last 1,000.",
              "content": { "application/json": { "schema": {
                "type": "object", "additionalProperties": false,
                "required": ["count", "requests", "undecided"],
                "properties": {
                  "count": { "type": "integer", "minimum": 0 },
                  "undecided": { "type": "integer", "minimum": 0,
                    "description": "The number of further requests that may match, but whose bodies have not been kept." },
                  "requests": { "type": "array", "items": { "type": "integer" } } } } } } }
          }
        }
      },
      "/__mock/requests/{id}": {
        "parameters": [ { "$ref": "#/components/parameters/RequestID" } ],
        "get": {
          "operationId": "getRequest", "tags": ["requests"],
          "summary": "Returns a request with its response and the nearest stubs",
          "responses": {
            "200": { "description": "The request.", "content": { "application/json": {
              "schema": { "$ref": "#/components/schemas/RequestRecord" } } } }
          }
        }
      },
      "/__mock/requests/{id}/curl": {
        "parameters": [ { "$ref": "#/components/parameters/RequestID" } ],
        "get": {
          "operationId": "getCurlCommand", "tags": ["requests"],
          "summary": "Returns a curl command that sends the request again",
          "responses": {
            "200": { "description": "The command.",
              "content": { "text/plain": { "schema": { "type": "string" } } } }
          }
        }
      },
      "/__mock/requests/{id}/stub": {
        "parameters": [ { "$ref": "#/components/parameters/RequestID" } ],
        "post": {
          "operationId": "makeStub", "tags": ["requests"],
          "summary": "Makes a stub that responds to the request, and adds it on demand",
          "parameters": [
            { "name": "add", "in": "query", "schema": { "type": "boolean", "default": false } }
          ],
          "responses": {
            "200": { "description": "The definition.", "content": { "application/json": {
              "schema": { "$ref": "#/components/schemas/MadeStub" } } } },
            "201": { "description": "The definition and the added stub.",
              "headers": { "Location": { "required": true, "schema": { "type": "string" } } },
              "content": { "application/json": {
                "schema": { "$ref": "#/components/schemas/MadeStub" } } } },
            "409": { "$ref": "#/components/responses/409" }
          }
        }
      },
      "/__mock/verifications": {
        "post": {
          "operationId": "verify", "tags": ["requests"],
          "summary": "Verifies the number of requests that match a pattern",
          "requestBody": { "required": true, "content": { "application/json": {
            "schema": { "$ref": "#/components/schemas/Verification" } } } },
          "responses": {
            "200": { "description": "The result.", "content": { "application/json": {
              "schema": { "$ref": "#/components/schemas/VerificationResult" } } } }
          }
        }
      },
      "/__mock/webhooks": {
        "get": {
          "operationId": "listWebhooks", "tags": ["requests"],
          "summary": "Lists the webhooks in the order of the responses that caused them",
          "responses": {
            "200": { "description": "At least the latest 1,000 webhooks.",
              "content": { "application/json": { "schema": {
                "type": "object", "additionalProperties": false, "required": ["webhooks"],
                "properties": { "webhooks": { "type": "array",
                  "items": { "$ref": "#/components/schemas/Webhook" } } } } } } }
          }
        }
      },
      "/__mock/har": {
        "get": {
          "operationId": "getArchive", "tags": ["requests"],
          "summary": "Returns the journal as an HTTP archive (HAR 1.2)",
          "responses": {
            "200": { "description": "The archive, with at most 10,000 requests.",
              "content": { "application/json": { "schema": {
                "type": "object", "required": ["log"],
                "properties": { "log": { "type": "object" } } } } } }
          }
        }
      },
      "/__mock/events": {
        "get": {
          "operationId": "followEvents", "tags": ["requests"],
          "summary": "Follows the changes as server-sent events",
          "description": "A client that accepts text/event-stream receives the events until it disconnects; another one receives those so far. The events are request (with a Summary), stubs, scenarios, resources, settings and reset.",
          "parameters": [
            { "name": "Last-Event-ID", "in": "header", "schema": { "type": "string" },
              "description": "The id of the last event received. Later events are sent first." }
          ],
          "responses": {
            "200": { "description": "The events.",
              "content": { "text/event-stream": {} } },
            "503": { "$ref": "#/components/responses/503" }
          }
        }
      }
    }
    """#

  static let requestSchemas = #"""
    {
      "Summary": {
        "type": "object", "required": ["id", "time", "method", "url", "path", "status",
          "duration", "bytesIn", "bytesOut", "stub", "state"],
        "properties": {
          "id": { "type": "integer", "minimum": 1 },
          "time": { "$ref": "#/components/schemas/Date" },
          "method": { "type": "string" }, "url": { "type": "string" },
          "path": { "type": "string" },
          "status": { "type": ["integer", "null"] },
          "duration": { "type": ["number", "null"], "description": "In milliseconds." },
          "bytesIn": { "type": "integer" }, "bytesOut": { "type": "integer" },
          "stub": { "type": ["string", "null"] },
          "state": { "enum": ["received", "answering", "done", "aborted"] }
        }
      },
      "Webhook": {
        "type": "object", "additionalProperties": false,
        "required": ["id", "cause", "method", "url", "outcome", "reason", "attempts"],
        "properties": {
          "id": { "type": "integer", "minimum": 0 },
          "cause": { "type": "string",
            "description": "The method and the path of the request that caused the webhook." },
          "method": { "type": "string" }, "url": { "type": "string" },
          "outcome": { "enum": ["pending", "delivered", "failed", "refused", "cancelled"] },
          "reason": { "type": ["string", "null"],
            "description": "Why the webhook was refused." },
          "attempts": { "type": "array", "items": {
            "type": "object", "additionalProperties": false,
            "required": ["time", "status", "failure"],
            "properties": {
              "time": { "$ref": "#/components/schemas/Date" },
              "status": { "type": ["integer", "null"] },
              "failure": { "type": ["string", "null"],
                "description": "The code of the error without a response." } } } }
        }
      },
      "RequestRecord": {
        "allOf": [ { "$ref": "#/components/schemas/Summary" } ],
        "type": "object", "required": ["request", "response", "timings", "nearMisses"],
        "properties": {
          "request": { "$ref": "#/components/schemas/Message" },
          "response": { "anyOf": [ { "type": "null" },
            { "$ref": "#/components/schemas/Message" } ] },
          "timings": { "type": "object", "description": "In milliseconds since time.",
            "required": ["received", "matched", "delayed", "sent"],
            "properties": { "received": { "type": "number" },
              "matched": { "type": ["number", "null"] },
              "delayed": { "type": ["number", "null"] },
              "sent": { "type": ["number", "null"] } } },
          "nearMisses": { "type": "array", "items": {
            "type": "object", "required": ["stub", "method", "path", "conditions"],
            "properties": { "stub": { "type": "string" },
              "method": { "type": ["string", "null"] }, "path": { "type": "string" },
              "conditions": { "type": "array",
                "items": { "$ref": "#/components/schemas/ConditionResult" } } } } }
        }
      },
      "ConditionResult": {
        "type": "object", "required": ["name", "matched", "expected", "actual"],
        "properties": { "name": { "type": "string" }, "matched": { "type": "boolean" },
          "expected": { "type": ["string", "null"] },
          "actual": { "type": ["string", "null"] } }
      },
      "Message": {
        "type": "object", "required": ["headers", "body"],
        "properties": {
          "headers": { "type": "array", "items": {
            "type": "object", "required": ["name", "value"],
            "properties": { "name": { "type": "string" }, "value": { "type": "string" } } } },
          "body": { "type": "object", "required": ["type", "size", "truncated", "text", "base64"],
            "properties": { "type": { "type": ["string", "null"] },
              "size": { "type": "integer" }, "truncated": { "type": "boolean" },
              "text": { "type": ["string", "null"] },
              "base64": { "type": ["string", "null"] } } }
        }
      },
      "MadeStub": {
        "type": "object", "required": ["definition", "stub"],
        "properties": { "definition": { "type": "object" },
          "stub": { "anyOf": [ { "type": "null" },
            { "$ref": "#/components/schemas/Stub" } ] } }
      },
      "Pattern": {
        "type": "object", "additionalProperties": false,
        "properties": {
          "method": { "$ref": "#/components/schemas/Method" },
          "path": { "$ref": "#/components/schemas/PatternPath" },
          "when": { "$ref": "#/components/schemas/Conditions" },
          "comment": {}
        }
      },
      "PatternPath": { "type": "string", "pattern": "^/?[^{}*?#%]*(/\\{[a-z]+\\})?$",
        "description": "A path as in a stub. Without a slash at its beginning, it is the end of a path." },
      "Verification": { "oneOf": [
        { "type": "object", "additionalProperties": false, "required": ["times"],
          "properties": { "times": { "$ref": "#/components/schemas/Count" },
            "method": { "$ref": "#/components/schemas/Method" },
            "path": { "$ref": "#/components/schemas/PatternPath" },
            "when": { "$ref": "#/components/schemas/Conditions" }, "comment": {} } },
        { "type": "object", "additionalProperties": false, "required": ["atLeast"],
          "properties": { "atLeast": { "$ref": "#/components/schemas/Count" },
            "method": { "$ref": "#/components/schemas/Method" },
            "path": { "$ref": "#/components/schemas/PatternPath" },
            "when": { "$ref": "#/components/schemas/Conditions" }, "comment": {} } },
        { "type": "object", "additionalProperties": false, "required": ["atMost"],
          "properties": { "atMost": { "$ref": "#/components/schemas/Count" },
            "method": { "$ref": "#/components/schemas/Method" },
            "path": { "$ref": "#/components/schemas/PatternPath" },
            "when": { "$ref": "#/components/schemas/Conditions" }, "comment": {} } } ] },
      "Count": { "type": "integer", "minimum": 0, "maximum": 9223372036854775807 },
      "VerificationResult": {
        "type": "object", "required": ["passed", "count", "undecided", "message", "nearMisses"],
        "properties": { "passed": { "type": "boolean" }, "count": { "type": "integer" },
          "undecided": { "type": "integer", "minimum": 0,
            "description": "The number of further requests that may match, but whose bodies have not been kept." },
          "message": { "type": "string" },
          "nearMisses": { "type": "array", "items": {
            "type": "object", "required": ["request", "conditions"],
            "properties": { "request": { "type": "integer" },
              "conditions": { "type": "array",
                "items": { "$ref": "#/components/schemas/ConditionResult" } } } } } }
      },
      "Conditions": {
        "description": "The guide of stub files describes the further members jsonPath and parts.",
        "type": "object", "additionalProperties": false,
        "properties": {
          "query": { "$ref": "#/components/schemas/NamedConditions" },
          "headers": { "$ref": "#/components/schemas/NamedConditions" },
          "form": { "$ref": "#/components/schemas/NamedConditions" },
          "cookies": { "$ref": "#/components/schemas/NamedConditions" },
          "text": { "$ref": "#/components/schemas/Condition" },
          "json": { "description": "The members that a JSON body must have." },
          "jsonEquals": { "description": "The whole JSON body." },
          "variables": { "type": "object",
            "additionalProperties": { "$ref": "#/components/schemas/ValueCondition" } },
          "any": { "type": "array", "minItems": 1,
            "items": { "$ref": "#/components/schemas/Conditions" } },
          "all": { "type": "array", "minItems": 1,
            "items": { "$ref": "#/components/schemas/Conditions" } },
          "not": { "$ref": "#/components/schemas/Conditions" }
        }
      },
      "NamedConditions": { "type": "object",
        "additionalProperties": { "$ref": "#/components/schemas/Condition" } },
      "Condition": { "anyOf": [
        { "type": "string" }, { "type": "boolean" },
        { "type": "object", "additionalProperties": false, "required": ["equals"],
          "properties": { "equals": { "type": "string" } } },
        { "type": "object", "additionalProperties": false, "required": ["contains"],
          "properties": { "contains": { "type": "string" } } },
        { "type": "object", "additionalProperties": false, "required": ["matches"],
          "properties": { "matches": { "type": "string", "format": "regex" } } },
        { "type": "object", "additionalProperties": false, "required": ["exists"],
          "properties": { "exists": { "type": "boolean" } } } ] },
      "ValueCondition": { "anyOf": [
        { "type": ["string", "number", "boolean", "null", "array"] },
        { "type": "object", "additionalProperties": false, "required": ["equals"],
          "properties": { "equals": {} } },
        { "type": "object", "additionalProperties": false, "required": ["contains"],
          "properties": { "contains": {} } },
        { "type": "object", "additionalProperties": false, "required": ["exists"],
          "properties": { "exists": { "type": "boolean" } } },
        { "type": "object", "additionalProperties": false, "required": ["atLeast"],
          "properties": { "atLeast": { "type": "number" } } },
        { "type": "object", "additionalProperties": false, "required": ["atMost"],
          "properties": { "atMost": { "type": "number" } } } ] }
    }
    """#
}
