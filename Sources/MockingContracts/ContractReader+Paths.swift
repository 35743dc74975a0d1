import Mocking
import Networking

/// The paths of a document, with their operations.
extension ContractReader {
  /// A path to read.
  struct PathEntry {
    /// The path of the operations.
    let path: String
    /// The place of the path item.
    let place: SchemaPlace
    /// The path as the document has it.
    let text: String
  }

  private static let methods = [
    "get", "put", "post", "delete", "options", "head", "patch", "trace",
  ]

  /// Returns the paths of a document.
  ///
  /// Paths that match the same requests follow each other in the order of the document, and have the path
  /// of the first one.
  mutating func readPaths(_ place: SchemaPlace) -> [PathEntry] {
    let texts = Set(names(at: place))
    var groups: [String: [(path: String, text: String)]] = [:]
    for text in names(place) where texts.contains(text) {
      guard let path = path(text, place.appending(text)) else { continue }
      groups[ContractPath(path).shape, default: []].append((path, text))
    }
    return groups.values.sorted { $0[0].path < $1[0].path }.flatMap { group in
      group.enumerated().map { index, entry in
        let place = place.appending(entry.text)
        if index > 0 {
          assume(
            place, "the path matches the same requests as \(group[0].text)",
            "they are one path, and the first one's operations precede")
        }
        return PathEntry(path: group[0].path, place: place, text: entry.path)
      }
    }
  }

  /// Returns a path that begins with a slash and has no fragment, or `nil` if it is left out.
  private mutating func path(_ text: String, _ place: SchemaPlace) -> String? {
    guard text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
      assume(place, "a path has no control characters", "left out")
      return nil
    }
    // Source: RFC 6570, sections 3.2.8 and 3.2.9.
    let expressions = text.ranges(of: /\{[?&][^}]*\}/).map { text[$0] }
    if !expressions.isEmpty {
      let list = expressions.prefix(10).joined(separator: ", ")
      assume(place, "a path has no query", "\(list) is left out of it")
    }
    var path = expressions.isEmpty ? text : text.replacing(/\{[?&][^}]*\}/, with: "")
    if let fragment = path.firstIndex(of: "#") {
      assume(place, "a path has no fragment", "\(path[fragment...]) is left out of it")
      path = String(path[..<fragment])
    }
    if path.hasSuffix("?") {
      path.removeLast()
      assume(place, "a path has no query", "the ? is left out of it")
    }
    if path.contains("?") {
      assume(place, "a path has no query", "requests are matched by \(path.drop { $0 != "?" })")
    }
    if !path.hasPrefix("/") {
      path = PathTemplate.rooted(PathTemplate.pathOfURL(path) ?? path)
      assume(place, "a path begins with a slash", "read as \(path)")
    }
    return path
  }

  /// Reads the operations of a path.
  mutating func readPath(_ entry: PathEntry, _ global: [[ContractSecurity]]) {
    guard let (item, itemPlace) = object(at: entry.place, else: "left out") else { return }
    let shared = parameters(item["parameters"], itemPlace.appending("parameters"))
    let itemServers = serverURLs(item, itemPlace)
    checkNames(item, itemPlace)
    for name in Self.methods where item[name] != nil {
      let method = HTTPMethod(rawValue: name.uppercased())
      guard let (operation, place) = object(at: itemPlace.appending(name), else: "left out") else {
        continue
      }
      let servers =
        (serverURLs(operation, place) ?? itemServers).map(Self.basePaths) ?? basePaths
      let routes = Set(servers.map { "\(method) \($0)\(entry.path)" })
      guard served.isDisjoint(with: routes) else {
        assume(entry.place.appending(name), "\(method) of the same path is above", "left out")
        continue
      }
      served.formUnion(routes)
      var id = operation["operationId"]?.string
      if let text = id {
        let other = operationIDs[text]
        if other == nil { operationIDs[text] = place }
        if let other, other != place {
          assume(place.appending("operationId"), "the operationId \(text) occurs twice")
          id = nil
        }
      }
      let own = parameters(operation["parameters"], place.appending("parameters"))
      let inherited = shared.filter { parameter in
        !own.contains { $0.name == parameter.name && $0.location == parameter.location }
      }
      operations.append(
        ContractOperation(
          method: method, path: entry.path, basePaths: servers, id: id,
          summary: operation["summary"]?.string, place: place,
          parameters: pathParameters(inherited + own, entry, place),
          body: operation["requestBody"] == nil ? nil : body(place.appending("requestBody")),
          responses: responses(operation, place),
          security: security(operation["security"], place.appending("security")) ?? global))
    }
  }

  /// Reports the members of a path that are neither methods nor known, such as `gett`.
  private mutating func checkNames(_ item: [String: JSON], _ place: SchemaPlace) {
    let known = Self.methods + ["$ref", "summary", "description", "servers", "parameters"]
    for name in item.keys.sorted() where !known.contains(name) && !name.hasPrefix("x-") {
      let method = name.lowercased()
      assume(
        place.appending(name),
        Self.methods.contains(method)
          ? "a method has small letters, such as \(method)"
          : "\(name) is neither a method nor another member of a path")
    }
  }

  /// Returns the parameters of an operation, with those of its path as the path has them.
  private mutating func pathParameters(
    _ all: [ContractParameter], _ entry: PathEntry, _ place: SchemaPlace
  ) -> [ContractParameter] {
    let own = ContractPath(entry.text)
    var names = Dictionary(
      zip(own.names, ContractPath(entry.path).names), uniquingKeysWith: { first, _ in first })
    var parameters: [ContractParameter] = []
    for var parameter in all {
      if parameter.location == .path {
        if let name = names.removeValue(forKey: parameter.name) {
          parameter.name = name
        } else if let item = own.query.first(where: { $0.variable == parameter.name }) {
          parameter = ContractParameter(
            name: item.name, location: .query, isRequired: true, style: .form, explodes: true,
            schema: parameter.schema)
        } else {
          warn(place, "the path parameter \(parameter.name) does not occur in the path; ignored")
          continue
        }
      }
      parameters.append(parameter)
    }
    for name in names.keys.sorted() {
      assume(place, "the parameter {\(name)} of the path is not declared", "it is a string")
      parameters.append(
        ContractParameter(
          name: names[name] ?? name, location: .path, isRequired: true, style: .simple,
          explodes: false, schema: nil))
    }
    return parameters
  }
}
