import CCatenaAdmin
import Foundation
import Networking

/// The OpenAPI document of the admin API.
///
/// The paths and the schemas are a file of the module `CCatenaAdmin`. The responses that all operations
/// have in common, such as 401 and 405, are added to each operation.
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
    let text = Data(String(cString: catena_admin_openapi()).utf8)
    var document = (try? JSON(parsing: text)) ?? .null
    for (path, item) in document["paths"].dictionary ?? [:] {
      document["paths"][path] = completed(item, path)
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
}
