import Foundation
import Mocking
import Networking

/// A reader of OpenAPI 3.0 and 3.1 documents, which collects all errors.
///
/// Source: OpenAPI 3.0.4 and 3.1.1.
struct ContractReader {
  var compiler: SchemaCompiler
  private(set) var problems: [SchemaProblem] = []
  var operations: [ContractOperation] = []
  /// The URLs of the servers, with the defaults of their variables.
  private(set) var servers: [String] = []
  /// The paths of the servers, without a slash at the end.
  private(set) var basePaths: [String] = [""]
  private(set) var title = ""
  private(set) var version = ""
  private var securitySchemes: [String: ContractSecurity.Kind] = [:]
  let dialect: SchemaDialect
  var operationIDs: [String: SchemaPlace] = [:]
  /// The methods and paths of the operations, with the paths of their servers.
  var served: Set<String> = []
  /// Returns the names of an object in the order of the text.
  let names: (SchemaPlace) -> [String]

  init(
    _ compiler: SchemaCompiler, dialect: SchemaDialect, names: @escaping (SchemaPlace) -> [String]
  ) {
    self.compiler = compiler
    self.dialect = dialect
    self.names = names
  }

  // MARK: Values

  mutating func warn(_ place: SchemaPlace, _ reason: String) {
    problems.append(SchemaProblem(place: place, reason: reason, severity: .limitation))
  }

  /// Reports a mistake, and the assumption with which the document is served all the same.
  mutating func assume(
    _ place: SchemaPlace, _ mistake: String, _ assumption: String = "ignored"
  ) {
    problems.append(
      SchemaProblem(place: place, reason: "\(mistake); \(assumption)", severity: .mistake))
  }

  /// Returns the value at a place after its references.
  ///
  /// - Parameters:
  ///   - place: The place.
  ///   - assumption: The assumption without an object, for the report of the mistake.
  /// - Returns: The object and its place. `nil` if it is not an object or a reference leads nowhere.
  mutating func object(
    at place: SchemaPlace, else assumption: String = "ignored"
  ) -> (members: [String: JSON], place: SchemaPlace)? {
    var place = place
    // A chain of references that is longer is a circle.
    for _ in 0..<100 {
      guard case .dictionary(let members)? = compiler.documents.value(at: place) else {
        assume(place, "expected an object", assumption)
        return nil
      }
      guard let reference = members["$ref"] else { return (members, place) }
      guard let text = reference.string,
        let target = compiler.documents.target(of: text, at: place)
      else {
        assume(
          place.appending("$ref"), SchemaDocuments.deadEnd(reference.string ?? ""), assumption)
        return nil
      }
      place = target.place
    }
    assume(place, "the references form a circle", assumption)
    return nil
  }

  /// Returns the names of an object, sorted, and its place.
  ///
  /// Empty if there is no object.
  mutating func names(at place: SchemaPlace) -> [String] {
    guard let value = compiler.documents.value(at: place) else { return [] }
    guard case .dictionary(let members) = value else {
      assume(place, "expected an object")
      return []
    }
    return members.keys.filter { !$0.hasPrefix("x-") && $0 != "$ref" }.sorted()
  }

  /// Returns the place of an object that should have no reference, after its references.
  mutating func followed(_ place: SchemaPlace) -> SchemaPlace {
    guard compiler.documents.value(at: place)?["$ref"].string != nil else { return place }
    assume(
      place.appending("$ref"), "a $ref must not stand in \(place.path.last ?? "")",
      "it is followed")
    return object(at: place)?.place ?? place
  }

  /// Returns the text of a member, also of one that is a number.
  private mutating func text(
    _ members: [String: JSON], _ name: String, _ place: SchemaPlace, else standard: String
  ) -> String {
    switch members[name] {
    case .string(let text)?: return text
    case .int?, .double?, .decimal?, .bool?:
      let text = members[name]?.description ?? standard
      assume(place.appending(name), "expected a string", "read as \"\(text)\"")
      return text
    case nil:
      assume(place, "the member \(name) is missing", "\"\(standard)\" is assumed")
    default: assume(place.appending(name), "expected a string", "\"\(standard)\" is assumed")
    }
    return standard
  }

  // MARK: Document

  mutating func read(_ root: SchemaPlace) {
    guard let (members, _) = object(at: root) else { return }
    let name = URL(reference: root.document)?.deletingPathExtension().lastPathComponent ?? "API"
    if members["info"] == nil {
      assume(root, "the member info is missing", "the title is \(name), and the version 1")
      (title, version) = (name, "1")
    } else {
      let info = object(at: root.appending("info")) ?? ([:], root.appending("info"))
      title = text(info.members, "title", info.place, else: name)
      version = text(info.members, "version", info.place, else: "1")
    }
    servers = serverURLs(members, root) ?? []
    basePaths = Self.basePaths(of: servers)
    readSecuritySchemes(root)
    readSchemas(root)
    if members["paths"] == nil, dialect.isOpenAPI30 {
      assume(root, "the member paths is missing", "there are no operations")
    }
    let global = security(members["security"], root.appending("security")) ?? []
    let count = problems.count
    let places = readPaths(followed(root.appending("paths")))
    for path in places { readPath(path, global) }
    if operations.isEmpty, problems.dropFirst(count).contains(where: { $0.severity == .mistake }) {
      problems.append(
        SchemaProblem(place: root.appending("paths"), reason: "no operation can be served"))
    }
  }

  /// Returns the URLs of the servers of an object, or `nil` if it has none.
  mutating func serverURLs(
    _ members: [String: JSON], _ place: SchemaPlace
  ) -> [String]? {
    var urls: [String] = []
    for (index, server) in (members["servers"]?.array ?? []).enumerated() {
      let place = place.appending("servers", "\(index)")
      guard var url = server["url"].string else {
        assume(place, "expected the member url")
        continue
      }
      for (name, variable) in server["variables"].dictionary ?? [:] {
        let value = variable["default"].string ?? variable["enum"].array?.first?.string
        if variable["default"].string == nil {
          assume(
            place.appending("variables", name), "expected the member default",
            "the value is \"\(value ?? "")\"")
        }
        url = url.replacing("{\(name)}", with: value ?? "")
      }
      urls.append(url)
    }
    return urls.isEmpty ? nil : urls
  }

  /// Returns the paths of servers without a slash at the end.
  static func basePaths(of urls: [String]) -> [String] {
    var paths: [String] = []
    for url in urls {
      var path = PathTemplate.pathOfURL(url) ?? url
      if let end = path.firstIndex(where: { "?#".contains($0) }) { path = String(path[..<end]) }
      while path.hasSuffix("/") { path.removeLast() }
      if !path.isEmpty, !path.hasPrefix("/") { path = "/" + path }
      if !paths.contains(path) { paths.append(path) }
    }
    return paths.isEmpty ? [""] : paths
  }

  /// Compiles the named schemas, so that their errors are found even if no operation uses them.
  private mutating func readSchemas(_ root: SchemaPlace) {
    let place = followed(root.appending("components", "schemas"))
    for name in names(at: place) { _ = compiler.compile(place.appending(name)) }
  }

  // MARK: Security

  private mutating func readSecuritySchemes(_ root: SchemaPlace) {
    let schemes = followed(root.appending("components", "securitySchemes"))
    for name in names(at: schemes) {
      guard let (scheme, place) = object(at: schemes.appending(name)) else { continue }
      switch scheme["type"]?.string {
      case "apiKey":
        guard let field = scheme["name"]?.string,
          let location = scheme["in"]?.string.flatMap(ContractParameter.Location.init),
          location != .path
        else {
          assume(place, "expected the members name and in", "its credentials are not checked")
          securitySchemes[name] = .other
          continue
        }
        securitySchemes[name] = .apiKey(location, name: field)
      case "http":
        let scheme = text(scheme, "scheme", place, else: "bearer")
        securitySchemes[name] = .http(scheme.lowercased())
      case "oauth2", "openIdConnect": securitySchemes[name] = .http("bearer")
      case "mutualTLS": securitySchemes[name] = .other
      default:
        assume(
          place, "expected the type apiKey, http, oauth2, openIdConnect or mutualTLS",
          "its credentials are not checked")
        securitySchemes[name] = .other
      }
    }
  }

  mutating func security(_ value: JSON?, _ place: SchemaPlace) -> [[ContractSecurity]]? {
    guard let value else { return nil }
    guard let alternatives = value.array else {
      assume(place, "expected an array")
      return nil
    }
    return alternatives.enumerated().map { index, alternative in
      (alternative.dictionary ?? [:]).keys.sorted().map { name in
        if securitySchemes[name] == nil {
          assume(
            place.appending("\(index)", name), "there is no security scheme \(name)",
            "its credentials are not checked")
          // Most operations may need it, and one warning is sufficient.
          securitySchemes[name] = .other
        }
        return ContractSecurity(name: name, kind: securitySchemes[name] ?? .other)
      }
    }
  }
}
