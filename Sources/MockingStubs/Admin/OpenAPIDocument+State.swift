extension OpenAPIDocument {
  static let statePaths = #"""
    {
      "/__mock/scenarios": {
        "get": {
          "operationId": "listScenarios", "tags": ["state"],
          "summary": "Lists the scenarios with their states, and the variables",
          "responses": {
            "200": { "description": "The scenarios.",
              "content": { "application/json": { "schema": {
                "type": "object", "required": ["scenarios", "variables"],
                "properties": {
                  "scenarios": { "type": "array",
                    "items": { "$ref": "#/components/schemas/Scenario" } },
                  "variables": { "type": "object" } } } } } }
          }
        }
      },
      "/__mock/scenarios/{name}": {
        "parameters": [ { "name": "name", "in": "path", "required": true,
          "schema": { "type": "string", "minLength": 1 } } ],
        "put": {
          "operationId": "setScenario", "tags": ["state"],
          "summary": "Sets the state of a scenario, and variables",
          "description": "All scenarios have the same variables. A variable that is null is removed.",
          "requestBody": { "required": true, "content": { "application/json": { "schema": {
            "type": "object", "additionalProperties": false,
            "properties": { "state": { "type": "string" },
              "variables": { "type": "object" } } } } } },
          "responses": {
            "200": { "description": "The scenario.", "content": { "application/json": {
              "schema": { "$ref": "#/components/schemas/Scenario" } } } },
            "409": { "$ref": "#/components/responses/409" }
          }
        },
        "delete": {
          "operationId": "restartScenario", "tags": ["state"],
          "summary": "Returns a scenario to its initial state",
          "responses": { "204": { "description": "The scenario is in its initial state." } }
        }
      },
      "/__mock/variables": {
        "get": {
          "operationId": "listVariables", "tags": ["state"],
          "summary": "Lists the variables",
          "responses": {
            "200": { "description": "The variables.", "content": { "application/json": {
              "schema": { "$ref": "#/components/schemas/Variables" } } } }
          }
        },
        "patch": {
          "operationId": "changeVariables", "tags": ["state"],
          "summary": "Sets variables; those that are null are removed",
          "requestBody": { "required": true, "content": {
            "application/json": { "schema": { "type": "object" } },
            "application/merge-patch+json": { "schema": { "type": "object" } } } },
          "responses": {
            "200": { "description": "The variables.", "content": { "application/json": {
              "schema": { "$ref": "#/components/schemas/Variables" } } } },
            "409": { "$ref": "#/components/responses/409" }
          }
        }
      },
      "/__mock/resources": {
        "get": {
          "operationId": "listResources", "tags": ["state"],
          "summary": "Lists the resources",
          "responses": {
            "200": { "description": "The resources.",
              "content": { "application/json": { "schema": {
                "type": "object", "required": ["resources"],
                "properties": { "resources": { "type": "array", "items": {
                  "type": "object", "required": ["name", "path", "count"],
                  "properties": { "name": { "type": "string" }, "path": { "type": "string" },
                    "count": { "type": "integer", "minimum": 0 } } } } } } } } }
          }
        }
      },
      "/__mock/resources/{name}": {
        "parameters": [ { "name": "name", "in": "path", "required": true,
          "description": "The path of the resource, with or without its first slash.",
          "schema": { "type": "string", "minLength": 1 } } ],
        "get": {
          "operationId": "getItems", "tags": ["state"],
          "summary": "Returns the items of a resource, with secrets masked",
          "responses": {
            "200": { "description": "The items.", "content": { "application/json": {
              "schema": { "$ref": "#/components/schemas/Items" } } } }
          }
        },
        "put": {
          "operationId": "replaceItems", "tags": ["state"],
          "summary": "Replaces the items of a resource",
          "description": "A masked value that is sent back unchanged keeps its secret.",
          "requestBody": { "required": true, "content": { "application/json": {
            "schema": { "$ref": "#/components/schemas/Items" } } } },
          "responses": {
            "200": { "description": "The new items.", "content": { "application/json": {
              "schema": { "$ref": "#/components/schemas/Items" } } } },
            "409": { "$ref": "#/components/responses/409" }
          }
        },
        "delete": {
          "operationId": "resetItems", "tags": ["state"],
          "summary": "Restores the initial items of a resource",
          "responses": { "204": { "description": "The resource has its initial items." } }
        }
      },
      "/__mock/snapshots": {
        "get": {
          "operationId": "listSnapshots", "tags": ["state"],
          "summary": "Lists the snapshots",
          "responses": {
            "200": { "description": "The snapshots, at most 50.",
              "content": { "application/json": { "schema": {
                "type": "object", "required": ["snapshots"],
                "properties": { "snapshots": { "type": "array",
                  "items": { "$ref": "#/components/schemas/Snapshot" } } } } } } }
          }
        },
        "post": {
          "operationId": "takeSnapshot", "tags": ["state"],
          "summary": "Takes a snapshot of resources, scenarios and variables",
          "responses": {
            "201": { "description": "The snapshot.", "content": { "application/json": {
              "schema": { "$ref": "#/components/schemas/Snapshot" } } } }
          }
        }
      },
      "/__mock/snapshots/{id}": {
        "parameters": [ { "$ref": "#/components/parameters/SnapshotID" } ],
        "delete": {
          "operationId": "removeSnapshot", "tags": ["state"],
          "summary": "Removes a snapshot",
          "responses": { "204": { "description": "The snapshot is removed." } }
        }
      },
      "/__mock/snapshots/{id}/restore": {
        "parameters": [ { "$ref": "#/components/parameters/SnapshotID" } ],
        "post": {
          "operationId": "restoreSnapshot", "tags": ["state"],
          "summary": "Restores a snapshot",
          "responses": { "204": { "description": "The snapshot is restored." } }
        }
      },
      "/__mock/settings": {
        "get": {
          "operationId": "getSettings", "tags": ["state"],
          "summary": "Returns the delay and the fault of all stubs",
          "responses": {
            "200": { "description": "The settings.", "content": { "application/json": {
              "schema": { "$ref": "#/components/schemas/Settings" } } } }
          }
        },
        "patch": {
          "operationId": "changeSettings", "tags": ["state"],
          "summary": "Changes the delay and the fault of all stubs",
          "requestBody": { "required": true, "content": {
            "application/json": { "schema": { "$ref": "#/components/schemas/SettingsChange" } },
            "application/merge-patch+json": {
              "schema": { "$ref": "#/components/schemas/SettingsChange" } } } },
          "responses": {
            "200": { "description": "The settings.", "content": { "application/json": {
              "schema": { "$ref": "#/components/schemas/Settings" } } } }
          }
        }
      },
      "/__mock/reset": {
        "post": {
          "operationId": "reset", "tags": ["state"],
          "summary": "Resets parts of the server, or all of them without a body",
          "requestBody": { "required": false, "content": { "application/json": { "schema": {
            "type": "object", "additionalProperties": false,
            "properties": { "stubs": { "type": "boolean" }, "requests": { "type": "boolean" },
              "scenarios": { "type": "boolean" }, "resources": { "type": "boolean" },
              "settings": { "type": "boolean" } } } } } },
          "responses": { "204": { "description": "The parts are reset." } }
        }
      }
    }
    """#

  static let commonSchemas = #"""
    {
      "Problem": {
        "type": "object", "additionalProperties": false,
        "required": ["type", "title", "status", "detail"],
        "properties": {
          "type": { "type": "string" }, "title": { "type": "string" },
          "status": { "type": "integer" }, "detail": { "type": "string" },
          "line": { "type": "integer", "minimum": 1 },
          "column": { "type": "integer", "minimum": 1 },
          "pointer": { "type": "string", "description": "A JSON Pointer to the value in the body." }
        }
      },
      "Info": {
        "type": "object", "required": ["name", "version", "url", "startedAt", "seed", "files",
          "proxy", "recording", "data", "instance"],
        "properties": {
          "name": { "type": "string" }, "version": { "type": "string" },
          "url": { "type": "string" }, "startedAt": { "$ref": "#/components/schemas/Date" },
          "seed": { "type": ["integer", "null"] },
          "files": { "type": "array", "items": { "type": "string" } },
          "proxy": { "type": ["string", "null"] }, "recording": { "type": ["string", "null"] },
          "data": { "type": "array", "items": { "$ref": "#/components/schemas/DataFile" } },
          "instance": { "type": "string" }
        }
      },
      "DataFile": {
        "type": "object", "required": ["file", "unsaved", "failure"],
        "description": "A file for the items of resources.",
        "properties": {
          "file": { "type": "string" },
          "unsaved": { "type": "integer", "minimum": 0,
            "description": "The number of changes that are not in the file." },
          "failure": { "type": ["string", "null"], "description": "The error of the last write." }
        }
      },
      "Date": { "type": "string", "description": "ISO 8601 in UTC, with milliseconds." },
      "Items": { "type": "array", "items": { "type": "object" } },
      "Scenario": {
        "type": "object", "required": ["name", "state", "states", "variables"],
        "properties": { "name": { "type": "string" }, "state": { "type": "string" },
          "states": { "type": "array", "items": { "type": "string" } },
          "variables": { "type": "object" } }
      },
      "Variables": {
        "type": "object", "required": ["variables"],
        "properties": { "variables": { "type": "object" } }
      },
      "Snapshot": {
        "type": "object", "required": ["id", "time"],
        "properties": { "id": { "type": "integer", "minimum": 1 },
          "time": { "$ref": "#/components/schemas/Date" } }
      },
      "Settings": {
        "type": "object", "required": ["delay", "fault", "faultChance"],
        "properties": {
          "delay": { "anyOf": [ { "type": "null" }, { "type": "string" }, { "type": "object" } ] },
          "fault": { "anyOf": [ { "type": "null" }, { "type": "string" }, { "type": "object" } ] },
          "faultChance": { "type": ["number", "null"] }
        }
      },
      "SettingsChange": {
        "description": "A stub with a delay or a fault of its own at run time keeps it.",
        "type": "object", "additionalProperties": false,
        "properties": {
          "delay": { "anyOf": [ { "type": "null" }, { "$ref": "#/components/schemas/Delay" } ] },
          "fault": { "anyOf": [ { "type": "null" }, { "const": "none" },
            { "$ref": "#/components/schemas/Fault" } ] },
          "faultChance": { "anyOf": [ { "type": "null" },
            { "type": "number", "minimum": 0, "maximum": 1 } ] }
        }
      }
    }
    """#
}
