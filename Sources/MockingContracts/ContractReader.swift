import Foundation
import Mocking
import Networking

/// A reader of OpenAPI 3.0 and 3.1 documents, which collects all errors.
///
/// Source: OpenAPI 3.0.4 and 3.1.1.
struct ContractReader {
  var compiler: SchemaCompiler
  private(set) var problems: [SchemaProblem] = []
  private(set) var operations: [ContractOperation] = []
  /// The URLs of the servers, with the defaults of their variables.
  private(set) var servers: [String] = []
  /// The paths of the servers, without a slash at the end.
  private(set) var basePaths: [String] = [""]
  private(set) var title = ""
  private(set) var version = ""
  private var securitySchemes: [String: ContractSecurity.Kind] = [:]
  let dialect: SchemaDialect
  private var operationIDs: [String: SchemaPlace] = [:]

  init(_ compiler: SchemaCompiler, dialect: SchemaDialect) {
    self.compiler = compiler
    self.dialect = dialect
  }

  // MARK: Values

  mutating func fail(_ place: SchemaPlace, _ reason: String) {
    problems.append(SchemaProblem(place: place, reason: reason))
  }

  mutating func warn(_ place: SchemaPlace, _ reason: String) {
    problems.append(SchemaProblem(place: place, reason: reason, isWarning: true))
  }

  /// Returns the value at a place after its references.
  ///
  /// - Returns: The object and its place. `nil` if it is not an object or a reference leads nowhere,
  ///   which is a problem.
  mutating func object(
    at place: SchemaPlace
  ) -> (members: [String: JSON], place: SchemaPlace)? {
    var place = place
    // A chain of references that is longer is a circle.
    for _ in 0..<100 {
      guard case .dictionary(let members)? = compiler.documents.value(at: place) else {
        fail(place, "expected an object")
        return nil
      }
      guard let reference = members["$ref"] else { return (members, place) }
      guard let text = reference.string,
        let target = compiler.documents.target(of: text, at: place)
      else {
        fail(place.appending("$ref"), "the reference \(reference.string ?? "") leads nowhere")
        return nil
      }
      place = target.place
    }
    fail(place, "the references form a circle")
    return nil
  }

  /// Returns the names of an object, sorted, and its place.
  ///
  /// Empty if there is no object.
  private mutating func names(at place: SchemaPlace) -> [String] {
    guard let value = compiler.documents.value(at: place) else { return [] }
    guard case .dictionary(let members) = value else {
      fail(place, "expected an object")
      return []
    }
    return members.keys.filter { !$0.hasPrefix("x-") }.sorted()
  }

  private mutating func text(_ members: [String: JSON], _ name: String, _ place: SchemaPlace)
    -> String
  {
    guard let value = members[name] else {
      fail(place, "the member \(name) is missing")
      return ""
    }
    guard let text = value.string else {
      fail(place.appending(name), "expected a string")
      return ""
    }
    return text
  }

  // MARK: Document

  mutating func read(_ root: SchemaPlace) {
    guard let (members, _) = object(at: root) else { return }
    if let info = object(at: root.appending("info")) {
      title = text(info.members, "title", info.place)
      version = text(info.members, "version", info.place)
    }
    basePaths = basePaths(members, root) ?? [""]
    servers = (members["servers"]?.array ?? []).compactMap { server in
      server["url"].string.map { url in
        (server["variables"].dictionary ?? [:]).reduce(url) { url, variable in
          url.replacing("{\(variable.key)}", with: variable.value["default"].string ?? "")
        }
      }
    }
    readSecuritySchemes(root)
    readSchemas(root)
    guard members["paths"] != nil || !dialect.isOpenAPI30 else {
      return fail(root, "the member paths is missing")
    }
    let global = security(members["security"], root.appending("security")) ?? []
    for path in names(at: root.appending("paths")) {
      readPath(path, root.appending("paths", path), global)
    }
    checkPaths(root)
  }

  /// Returns the paths of the servers of an object, or `nil` if it has none.
  private mutating func basePaths(_ members: [String: JSON], _ place: SchemaPlace) -> [String]? {
    guard let servers = members["servers"]?.array, !servers.isEmpty else { return nil }
    var paths: [String] = []
    for (index, server) in servers.enumerated() {
      guard let path = basePath(of: server, place.appending("servers", "\(index)")) else {
        continue
      }
      if !paths.contains(path) { paths.append(path) }
    }
    return paths
  }

  /// Returns the path of a server, with the defaults of its variables.
  private mutating func basePath(of server: JSON, _ place: SchemaPlace) -> String? {
    guard var url = server["url"].string else {
      fail(place, "expected the member url")
      return nil
    }
    for (name, variable) in server["variables"].dictionary ?? [:] {
      guard let value = variable["default"].string else {
        fail(place.appending("variables", name), "expected the member default")
        continue
      }
      url = url.replacing("{\(name)}", with: value)
    }
    var path = PathTemplate.pathOfURL(url) ?? url
    if let end = path.firstIndex(where: { "?#".contains($0) }) { path = String(path[..<end]) }
    while path.hasSuffix("/") { path.removeLast() }
    return path.isEmpty || path.hasPrefix("/") ? path : "/" + path
  }

  /// Compiles the named schemas, so that their errors are found even if no operation uses them.
  private mutating func readSchemas(_ root: SchemaPlace) {
    let place = root.appending("components", "schemas")
    for name in names(at: place) { _ = compiler.compile(place.appending(name)) }
  }

  // MARK: Security

  private mutating func readSecuritySchemes(_ root: SchemaPlace) {
    let schemes = root.appending("components", "securitySchemes")
    for name in names(at: schemes) {
      guard let (scheme, place) = object(at: schemes.appending(name)) else { continue }
      switch scheme["type"]?.string {
      case "apiKey":
        guard let field = scheme["name"]?.string,
          let location = scheme["in"]?.string.flatMap(ContractParameter.Location.init),
          location != .path
        else {
          fail(place, "expected the members name and in")
          continue
        }
        securitySchemes[name] = .apiKey(location, name: field)
      case "http":
        securitySchemes[name] = .http(text(scheme, "scheme", place).lowercased())
      case "oauth2", "openIdConnect": securitySchemes[name] = .http("bearer")
      case "mutualTLS": securitySchemes[name] = .other
      default: fail(place, "expected the type apiKey, http, oauth2, openIdConnect or mutualTLS")
      }
    }
  }

  private mutating func security(_ value: JSON?, _ place: SchemaPlace) -> [[ContractSecurity]]? {
    guard let value else { return nil }
    guard let alternatives = value.array else {
      fail(place, "expected an array")
      return nil
    }
    return alternatives.enumerated().map { index, alternative in
      (alternative.dictionary ?? [:]).keys.sorted().compactMap { name in
        guard let kind = securitySchemes[name] else {
          fail(place.appending("\(index)", name), "there is no security scheme \(name)")
          return nil
        }
        return ContractSecurity(name: name, kind: kind)
      }
    }
  }

  // MARK: Operations

  private static let methods = [
    "get", "put", "post", "delete", "options", "head", "patch", "trace",
  ]

  private mutating func readPath(
    _ path: String, _ place: SchemaPlace, _ global: [[ContractSecurity]]
  ) {
    guard path.hasPrefix("/") else { return fail(place, "a path begins with a slash") }
    guard !path.contains("?"), !path.contains("#") else {
      return warn(place, "left out: a path has no query and no fragment; write parameters")
    }
    guard path.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
      return fail(place, "a path has no control characters")
    }
    guard let (item, itemPlace) = object(at: place) else { return }
    let shared = parameters(item["parameters"], itemPlace.appending("parameters"))
    for name in Self.methods where item[name] != nil {
      let method = HTTPMethod(rawValue: name.uppercased())
      guard let (operation, place) = object(at: itemPlace.appending(name)) else { continue }
      let id = operation["operationId"]?.string
      if let id, let other = operationIDs.updateValue(place, forKey: id), other != place {
        fail(place.appending("operationId"), "the operationId \(id) occurs twice")
      }
      let own = parameters(operation["parameters"], place.appending("parameters"))
      let inherited = shared.filter { parameter in
        !own.contains { $0.name == parameter.name && $0.location == parameter.location }
      }
      let all = inherited + own
      checkPathParameters(path, all, place)
      let servers = basePaths(operation, place) ?? basePaths(item, itemPlace) ?? self.basePaths
      operations.append(
        ContractOperation(
          method: method, path: path, basePaths: servers, id: id,
          summary: operation["summary"]?.string, place: place,
          parameters: all,
          body: operation["requestBody"] == nil ? nil : body(place.appending("requestBody")),
          responses: responses(operation, place),
          security: security(operation["security"], place.appending("security")) ?? global))
    }
  }

  private mutating func checkPathParameters(
    _ path: String, _ parameters: [ContractParameter], _ place: SchemaPlace
  ) {
    let declared = Set(parameters.filter { $0.location == .path }.map(\.name))
    let used = Set(ContractPath(path).names)
    for name in used.subtracting(declared).sorted() {
      fail(place, "the parameter {\(name)} of the path is not declared")
    }
    for name in declared.subtracting(used).sorted() {
      warn(place, "the path parameter \(name) does not occur in the path")
    }
  }

  /// Reports paths that differ in the names of their parameters only.
  private mutating func checkPaths(_ root: SchemaPlace) {
    var known: [String: String] = [:]
    for path in Set(operations.map(\.path)).sorted() {
      let shape = ContractPath(path).shape
      if let other = known.updateValue(path, forKey: shape) {
        fail(root.appending("paths", path), "the path matches the same requests as \(other)")
      }
    }
  }
}
