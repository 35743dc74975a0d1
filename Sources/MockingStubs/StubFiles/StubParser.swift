import Foundation
import Mocking
import MockingDocuments
import MockingResources
import MockingTemplates
import Networking

/// The parsed content of a stub file, without the files that it includes.
struct StubDocument {
  let stubs: [Stub]
  private(set) var connectionFaults: [Int?: MockFault] = [:]
  private(set) var seed: UInt64?
  /// The file for the items of the resources.
  private(set) var storeFile: URL?
  /// The entries of `include`.
  private(set) var includes: [StubValue] = []
  /// The path before the paths of all routes of the file and of the files that it includes.
  let basePath: String
  /// The files with templates that the routes use.
  private(set) var templateFiles: [URL] = []
  let file: URL
  private let data: Data
  /// The base path of the file that includes this one.
  private let outerBase: String
  /// The resources that the templates of the file use.
  private let references: TemplateReferences

  /// Parses the content of a file.
  ///
  /// - Parameters:
  ///   - data: The content.
  ///   - file: The location of the file, for error messages and relative file names.
  ///   - base: The base path of the file that includes this one.
  ///   - resources: The draft of the resources of all files.
  ///   - paths: The paths of all resources. `nil` if they are not known yet.
  /// - Throws: ``StubFileError/malformed(file:line:column:path:problem:)``.
  init(
    _ data: Data, _ file: URL, base: String = "",
    resources: ResourceDraft = ResourceDraft(of: ResourceStore()), paths: [String]? = nil
  ) throws(StubFileError) {
    outerBase = base
    let data = JSONDocumentError.text(of: data)
    self.data = data
    self.file = file
    do throws(JSONDocumentError) {
      let json = try JSONDocumentError.json(in: data)
      let name = file.lastPathComponent
      let folder = file.deletingLastPathComponent()
      var context = StubContext()
      context.resources = paths
      references = context.references
      let root = StubValue(json: json, path: JSONValuePath(), context: context)
      let object = try root.object(
        [
          "$schema", "comment", "include", "basePath", "routes", "defaults", "seed",
          "connectionFaults", "store", "isolation",
        ],
        "an object with a member \"routes\"")
      includes = try object["include"]?.includes() ?? []
      basePath = base + (try object["basePath"]?.basePath() ?? "")
      let values =
        includes.isEmpty || object["routes"] != nil
        ? try object.required("routes", "an array").elements("an array of routes") : []
      let offsets = JSONLocator.elementOffsets(of: ["routes"], in: data)
      let places = TextPosition.positions(of: offsets, in: data)
      let defaults = try object["defaults"]?.defaults(in: folder)
      seed = try object["seed"]?.seed()
      storeFile = try object["store"]?.storeFile(in: folder)
      if let (isolation, clients) = try object["isolation"]?.isolation() {
        resources.isolate(by: isolation, maximumClients: clients)
      }
      var stubs: [Stub] = []
      for (index, (value, place)) in zip(values, places).enumerated() {
        let source = RouteSource(file: name, line: place.line, column: place.column)
        var value = value.prefixed(with: basePath)
        let end = index + 1 < offsets.count ? offsets[index + 1] : data.count
        let text = data.dropFirst(offsets[index]).prefix(end - offsets[index])
        value.context.basePath = basePath
        if value.isResource {
          stubs += try value.resource(
            in: folder, defaults: defaults, to: resources, text: text
          ).map { $0.with(source) }
          continue
        }
        value.context.text = Data(text)
        value.context.routePath = value.path
        for value in try value.combinations() {
          stubs.append(
            try value.stub(
              in: folder, defaults: defaults, at: source
            ).with(source).with(definition: value.json))
        }
      }
      self.stubs = stubs
      templateFiles = context.templateFiles.urls
      for value in try object["connectionFaults"]?.elements("an array of faults") ?? [] {
        let (connection, fault) = try value.connectionFault()
        connectionFaults[connection] = fault
      }
    } catch {
      throw Self.located(error, in: data, file)
    }
  }

  /// Checks that the resources that the templates of the file use exist.
  ///
  /// - Parameter paths: The paths of the resources of all files.
  /// - Throws: ``StubFileError`` for the first unknown resource.
  func checkReferences(to paths: [String]) throws(StubFileError) {
    let isKnown = references.paths.allSatisfy { path in
      paths.contains { $0.isResourcePath(path) }
    }
    // Parsing again finds the position of the error.
    if !isKnown { _ = try StubDocument(data, file, base: outerBase, paths: paths) }
  }

  /// Returns the error with its position in the file.
  func located(_ error: JSONDocumentError) -> StubFileError { Self.located(error, in: data, file) }

  private static func located(
    _ error: JSONDocumentError, in data: Data, _ file: URL
  ) -> StubFileError {
    let place = error.place(in: data)
    return .malformed(
      file: file, line: place.line, column: place.column, path: "\(error.path)",
      problem: error.text)
  }
}

/// A JSON value of a stub file with its location.
struct StubValue {
  let json: JSON
  let path: JSONValuePath
  /// The properties of the file and the route that contain the value.
  var context = StubContext()

  /// Returns an error that names the expected value and the value found.
  func expected(_ expectation: String) -> JSONDocumentError {
    JSONDocumentError(path: path, text: "expected \(expectation), found \(found)")
  }

  /// A short description of the value.
  private var found: String {
    switch json {
    case .array(let values): return values.isEmpty ? "an empty array" : "an array"
    case .dictionary: return "an object"
    default:
      let text = json.description
      return text.count > 40 ? "\(text.prefix(40))..." : text
    }
  }

  // MARK: Types

  func string(_ expectation: String = "a string") throws(JSONDocumentError) -> String {
    guard case .string(let text) = json else { throw expected(expectation) }
    return text
  }

  func int(_ range: ClosedRange<Int>, _ expectation: String) throws(JSONDocumentError) -> Int {
    guard let number = json.int, range.contains(number) else { throw expected(expectation) }
    return number
  }

  func elements(_ expectation: String) throws(JSONDocumentError) -> [StubValue] {
    guard case .array(let values) = json else { throw expected(expectation) }
    return values.enumerated().map { index, value in
      StubValue(json: value, path: path.appending(.element(index)), context: context)
    }
  }

  /// Returns the members of an object, sorted by name.
  func members(_ expectation: String) throws(JSONDocumentError) -> [(
    name: String, value: StubValue
  )] {
    guard case .dictionary(let members) = json else { throw expected(expectation) }
    return members.sorted { $0.key < $1.key }.map { name, value in
      (name, StubValue(json: value, path: path.appending(.member(name)), context: context))
    }
  }

  /// Returns the value as an object, and throws if it has a member whose name is not in `names`.
  func object(_ names: [String], _ expectation: String) throws(JSONDocumentError) -> StubObject {
    let members = try members(expectation)
    for (name, value) in members where !names.contains(name) {
      let hint =
        NameSuggestion.of(name, among: names).map { "did you mean \"\($0)\"?" }
        ?? "known keys: \(names.joined(separator: ", "))"
      throw JSONDocumentError(
        path: value.path, refersToName: true, text: "unknown key \"\(name)\"; \(hint)")
    }
    return StubObject(
      path: path, members: Dictionary(members) { first, _ in first }, context: context)
  }

  /// Returns the value as a string, and throws if it is not in `names`.
  func name(of names: [String]) throws(JSONDocumentError) -> String {
    let list = names.map { "\"\($0)\"" }.joined(separator: ", ")
    let name = try string("one of \(list)")
    guard !names.contains(name) else { return name }
    let hint = NameSuggestion.of(name, among: names).map { "; did you mean \"\($0)\"?" } ?? ""
    throw JSONDocumentError(path: path, text: expected("one of \(list)").text + hint)
  }
}

/// An object of a stub file, whose member names have been checked.
struct StubObject {
  let path: JSONValuePath
  let members: [String: StubValue]
  let context: StubContext

  subscript(name: String) -> StubValue? { members[name] }

  func required(_ name: String, _ expectation: String) throws(JSONDocumentError) -> StubValue {
    guard let value = members[name] else {
      throw JSONDocumentError(path: path, text: "expected a member \"\(name)\", \(expectation)")
    }
    return value
  }
}

extension StubValue {
  /// Parses a route.
  func stub(
    in folder: URL, defaults: Mock?, at location: RouteSource
  ) throws(JSONDocumentError) -> Stub {
    let object = try withPathVariables.object(
      [
        "id", "method", "path", "sequence", "afterLast", "oneOf", "comment",
      ]
        + StubObject.conditionKeys + Self.responseKeys,
      "a route, such as {\"path\": \"/boards\", \"json\": []}")
    var mock = try object.mock(in: folder, at: location)
    if let defaults { mock = mock.inheriting(defaults) }
    var route = Route(
      try object["method"]?.httpMethod(),
      try object.required("path", "such as \"/boards/{id}\"").template(), mock)
    try object.addConditions(to: &route)
    if let id = object["id"] {
      let text = try id.string("a text, such as \"login\"")
      guard !text.isEmpty else { throw id.expected("a text, such as \"login\"") }
      route = route.id(RouteID(rawValue: text))
    }
    return Stub(path: path, route: route, mock: mock)
  }

  func httpMethod() throws(JSONDocumentError) -> HTTPMethod? {
    let name = try string("a method, such as \"GET\"")
    guard name.isToken, name == name.uppercased() else {
      throw expected("a method in capitals, such as \"GET\"")
    }
    return HTTPMethod(rawValue: name)
  }

  func template() throws(JSONDocumentError) -> String {
    let text = try string("a path, such as \"/boards/{id}\"")
    do {
      return try PathTemplate(text).text
    } catch {
      let reason = if case .invalidTemplate(_, let reason) = error { reason } else { "\(error)" }
      throw JSONDocumentError(
        path: path,
        text: "expected a path, such as \"/boards/{id}\", found \"\(text)\": \(reason)")
    }
  }

  fileprivate func addScenario(to route: inout Route) throws(JSONDocumentError) {
    let expectation = "a name, such as \"created\""
    let object = try object(
      ["name", "when", "then"], "an object such as {\"name\": \"boards\", \"when\": \"started\"}")
    let name = try object.required("name", "the name of the scenario").plainName(
      "the name of the scenario")
    let scenario = Scenario(name)
    if let state = try object["when"]?.plainName(expectation) {
      route = route.when(scenario, is: state)
    }
    if let next = try object["then"]?.plainName(expectation) {
      route = route.then(scenario, setTo: next)
    }
  }
}

extension StubObject {
  /// The members that ``addConditions(to:)`` parses.
  static let conditionKeys = ["when", "scenario", "set", "increment", "priority", "times"]

  /// Parses the conditions, the scenario, the priority and the limit of a route.
  func addConditions(to route: inout Route) throws(JSONDocumentError) {
    for condition in try self["when"]?.conditions() ?? [] { route = route.where(condition) }
    try self["scenario"]?.addScenario(to: &route)
    try self["set"]?.addAssignments(to: &route, constants: self["let"])
    try self["increment"]?.addIncrements(to: &route)
    if let priority = self["priority"] {
      route = route.priority(try priority.int(-1_000_000...1_000_000, "a whole number"))
    }
    if let times = self["times"] {
      route = route.times(try times.int(1...Int.max, "a number, 1 or more"))
    }
  }

  fileprivate func mock(
    in folder: URL, at location: RouteSource
  ) throws(JSONDocumentError) -> Mock {
    let mock = try response(in: folder)
    if let choices = self["oneOf"] { return try weighted(choices, mock, in: folder) }
    guard let sequence = self["sequence"] else {
      if let end = self["afterLast"] {
        throw JSONDocumentError(
          path: end.path, refersToName: true, text: "\"afterLast\" requires \"sequence\"")
      }
      return mock
    }
    for name in ["status", "let", "changes"] + StubValue.bodyKeys {
      if let value = self[name] { throw value.conflict(with: "sequence") }
    }
    if let headers = headersWithTemplates {
      throw JSONDocumentError(
        path: headers.path, refersToName: true,
        text: "templates in \"headers\" belong in the responses of the sequence")
    }
    let responses = try sequence.elements("an array of responses")
    guard !responses.isEmpty else { throw sequence.expected("an array of at least one response") }
    let fails = try self["afterLast"]?.name(of: ["repeats", "fails"]) == "fails"
    var mocks: [Mock] = []
    for response in responses { mocks.append(try response.response(in: folder)) }
    // The other members of the route are defaults for the responses of the sequence.
    return Mock.sequence(mocks, then: fails ? .fails : .repeatsLast, at: location)
      .inheriting(mock)
  }
}
