extension OpenAPIDocument {
  static let stubPaths = #"""
    {
      "/__mock/stubs": {
        "get": {
          "operationId": "listStubs", "tags": ["stubs"],
          "summary": "Lists the stubs in the order of precedence",
          "parameters": [
            { "name": "limit", "in": "query",
              "schema": { "type": "integer", "minimum": 1, "maximum": 10000, "default": 10000 } },
            { "name": "offset", "in": "query",
              "schema": { "type": "integer", "minimum": 0, "default": 0,
                "maximum": 9223372036854775807 } }
          ],
          "responses": {
            "200": { "description": "The stubs.",
              "content": { "application/json": { "schema": {
                "type": "object", "additionalProperties": false, "required": ["stubs", "total"],
                "properties": {
                  "stubs": { "type": "array", "items": { "$ref": "#/components/schemas/Stub" } },
                  "total": { "type": "integer", "minimum": 0 } } } } } }
          }
        },
        "post": {
          "operationId": "addStubs", "tags": ["stubs"],
          "summary": "Adds one stub or several",
          "description": "The stubs precede all others with the same priority. If one of them is invalid, none is added.",
          "requestBody": { "required": true, "content": { "application/json": { "schema": {
            "anyOf": [
              { "$ref": "#/components/schemas/StubDefinition" },
              { "type": "object", "additionalProperties": false, "required": ["routes"],
                "properties": { "routes": { "type": "array", "maxItems": 10000,
                  "items": { "$ref": "#/components/schemas/StubDefinition" } } } }
            ] } } } },
          "responses": {
            "201": { "description": "The added stubs.",
              "headers": { "Location": { "description": "The address of a single stub.",
                "schema": { "type": "string" } } },
              "content": { "application/json": { "schema": {
                "type": "object", "additionalProperties": false, "required": ["stubs"],
                "properties": {
                  "stubs": { "type": "array",
                    "items": { "$ref": "#/components/schemas/Stub" } } } } } } },
            "409": { "$ref": "#/components/responses/409" }
          }
        }
      },
      "/__mock/stubs/{id}": {
        "parameters": [
          { "name": "id", "in": "path", "required": true,
            "schema": { "type": "string", "minLength": 1 } }
        ],
        "get": {
          "operationId": "getStub", "tags": ["stubs"],
          "summary": "Returns a stub",
          "responses": {
            "200": { "description": "The stub.", "content": { "application/json": {
              "schema": { "$ref": "#/components/schemas/Stub" } } } }
          }
        },
        "put": {
          "operationId": "replaceStub", "tags": ["stubs"],
          "summary": "Replaces the definition of a stub",
          "description": "The stub keeps its place, delay and fault. A masked value that is sent back unchanged keeps its secret. The change is kept when the file of the stub is read again, until the stubs are reset or its definition in the file changes.",
          "requestBody": { "required": true, "content": { "application/json": {
            "schema": { "$ref": "#/components/schemas/StubDefinition" } } } },
          "responses": {
            "200": { "description": "The new stub.", "content": { "application/json": {
              "schema": { "$ref": "#/components/schemas/Stub" } } } },
            "409": { "$ref": "#/components/responses/409" }
          }
        },
        "patch": {
          "operationId": "changeStub", "tags": ["stubs"],
          "summary": "Changes parts of a stub",
          "requestBody": { "required": true, "content": {
            "application/json": { "schema": { "$ref": "#/components/schemas/StubChange" } },
            "application/merge-patch+json": {
              "schema": { "$ref": "#/components/schemas/StubChange" } } } },
          "responses": {
            "200": { "description": "The new stub.", "content": { "application/json": {
              "schema": { "$ref": "#/components/schemas/Stub" } } } },
            "409": { "$ref": "#/components/responses/409" }
          }
        },
        "delete": {
          "operationId": "removeStub", "tags": ["stubs"],
          "summary": "Removes a stub",
          "description": "The stub stays removed when its file is read again, until the stubs are reset or its definition in the file changes.",
          "responses": { "204": { "description": "The stub is removed." } }
        }
      }
    }
    """#

  static let stubSchemas = #"""
    {
      "Stub": {
        "type": "object", "additionalProperties": false,
        "required": ["id", "method", "path", "description", "priority", "source", "hits", "enabled",
          "delay", "fault", "definition", "origin"],
        "properties": {
          "id": { "type": "string" },
          "origin": { "enum": ["initial", "added", "changed"],
            "description": "Whether requests have added the stub or replaced its definition. Such a change is kept when the file is read again, until the stubs are reset." },
          "method": { "type": ["string", "null"], "description": "null is every method." },
          "path": { "type": "string" },
          "description": { "type": "string" },
          "priority": { "type": "integer" },
          "source": { "anyOf": [ { "type": "null" },
            { "type": "object", "additionalProperties": false,
              "required": ["file", "line", "column"],
              "properties": { "file": { "type": "string" },
                "line": { "type": "integer", "minimum": 1 },
                "column": { "type": "integer", "minimum": 1 } } } ] },
          "hits": { "type": "integer", "minimum": 0 },
          "enabled": { "type": "boolean" },
          "delay": { "description": "A delay in place of that of the stub; null is none.",
            "anyOf": [ { "type": "null" }, { "type": "string" }, { "type": "object" } ] },
          "fault": { "description": "A fault in place of that of the stub; null is none.",
            "anyOf": [ { "type": "null" }, { "type": "string" }, { "type": "object" } ] },
          "definition": { "description": "The object of a stub file, with secrets masked; null for a stub of Swift code, of a recording or of a resource.",
            "type": ["object", "null"] }
        }
      },
      "StubChange": {
        "type": "object", "additionalProperties": false,
        "properties": {
          "enabled": { "type": "boolean" },
          "delay": { "description": "A delay in place of that of the stub; null removes it.",
            "anyOf": [ { "type": "null" }, { "$ref": "#/components/schemas/Delay" } ] },
          "fault": { "description": "A fault in place of that of the stub; null removes it, none prevents the fault of the stub.",
            "anyOf": [ { "type": "null" }, { "const": "none" },
              { "$ref": "#/components/schemas/Fault" } ] },
          "definition": { "$ref": "#/components/schemas/StubDefinition" }
        }
      },
      "StubDefinition": {
        "description": "A route of a stub file. The guide of stub files describes the further members base64, file, folder, problem, events, lines, oneOf, webhook, let, template, dribble, interim and trailers, the form from and to of a delay, and resources.",
        "type": "object", "additionalProperties": false, "required": ["path"],
        "properties": {
          "id": { "type": "string", "pattern": "^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$" },
          "method": { "$ref": "#/components/schemas/Method" },
          "path": { "type": "string", "pattern": "^/[^{}*?#%]*(/\\{[a-z]+\\})?$",
            "description": "A path such as /boards/{id}." },
          "status": { "type": "integer", "minimum": 200, "maximum": 599 },
          "headers": { "$ref": "#/components/schemas/Headers" },
          "json": { "description": "The body, as a JSON value." },
          "text": { "type": "string", "description": "The body, as UTF-8 text." },
          "delay": { "$ref": "#/components/schemas/Delay" },
          "bodyDelay": { "$ref": "#/components/schemas/Delay" },
          "bytesPerSecond": { "$ref": "#/components/schemas/Positive" },
          "fault": { "$ref": "#/components/schemas/Fault" },
          "sequence": { "type": "array", "minItems": 1,
            "items": { "$ref": "#/components/schemas/StubResponse" } },
          "when": { "$ref": "#/components/schemas/Conditions" },
          "scenario": { "type": "object", "additionalProperties": false, "required": ["name"],
            "properties": { "name": { "type": "string" }, "when": { "type": "string" },
              "then": { "type": "string" } } },
          "set": { "type": "object", "propertyNames": { "minLength": 1 } },
          "increment": { "type": "object", "propertyNames": { "minLength": 1 },
            "additionalProperties": { "type": "integer", "minimum": -9223372036854775808,
              "maximum": 9223372036854775807 } },
          "priority": { "type": "integer", "minimum": -1000000, "maximum": 1000000 },
          "times": { "$ref": "#/components/schemas/Positive" },
          "comment": {}
        },
        "allOf": [
          { "not": { "required": ["json", "text"] } },
          { "not": { "required": ["sequence", "json"] } },
          { "not": { "required": ["sequence", "text"] } },
          { "not": { "required": ["sequence", "status"] } }
        ]
      },
      "StubResponse": {
        "type": "object", "additionalProperties": false,
        "properties": {
          "status": { "type": "integer", "minimum": 200, "maximum": 599 },
          "headers": { "$ref": "#/components/schemas/Headers" },
          "json": {}, "text": { "type": "string" },
          "delay": { "$ref": "#/components/schemas/Delay" },
          "bodyDelay": { "$ref": "#/components/schemas/Delay" },
          "bytesPerSecond": { "$ref": "#/components/schemas/Positive" },
          "fault": { "$ref": "#/components/schemas/Fault" }
        },
        "not": { "required": ["json", "text"] }
      },
      "Method": { "type": "string", "pattern": "^[!#$%&'*+.^_`|~0-9A-Z-]+$" },
      "Headers": {
        "type": "object",
        "propertyNames": { "pattern": "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$" },
        "additionalProperties": { "anyOf": [
          { "$ref": "#/components/schemas/HeaderValue" },
          { "type": "array", "items": { "$ref": "#/components/schemas/HeaderValue" } } ] }
      },
      "HeaderValue": { "type": "string",
        "pattern": "^[^\\u0000-\\u0008\\u000a-\\u001f\\u007f]*$" },
      "Positive": { "type": "integer", "minimum": 1, "maximum": 9223372036854775807 },
      "Time": { "type": "string", "description": "A time with its unit, such as 80 ms.",
        "pattern": "^([0-9]{1,4}([.][0-9]{1,3})? ?(us|ms|s)|[0-9]{1,3} ?min)$" },
      "Delay": { "anyOf": [
        { "$ref": "#/components/schemas/Time" },
        { "type": "object", "additionalProperties": false,
          "required": ["median", "sigma", "cap"],
          "properties": { "median": { "$ref": "#/components/schemas/Time" },
            "sigma": { "type": "number", "minimum": 0, "maximum": 10 },
            "cap": { "$ref": "#/components/schemas/Time" },
            "seed": { "type": "integer", "minimum": 0, "maximum": 9223372036854775807 } } } ] },
      "FaultType": { "enum": ["close", "reset", "stall", "garbage", "malformedChunk"] },
      "Fault": { "anyOf": [
        { "$ref": "#/components/schemas/FaultType" },
        { "type": "object", "additionalProperties": false, "required": ["type"],
          "properties": { "type": { "$ref": "#/components/schemas/FaultType" },
            "at": { "enum": ["request", "end"] },
            "chance": { "type": "number", "minimum": 0, "maximum": 1 },
            "text": { "type": "string" } } },
        { "type": "object", "additionalProperties": false, "required": ["type", "at"],
          "properties": { "type": { "$ref": "#/components/schemas/FaultType" },
            "at": { "enum": ["head", "body"] },
            "afterBytes": { "type": "integer", "minimum": 0, "maximum": 9223372036854775807 },
            "chance": { "type": "number", "minimum": 0, "maximum": 1 },
            "text": { "type": "string" } } } ] }
    }
    """#
}
