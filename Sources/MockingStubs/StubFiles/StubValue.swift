import Foundation
import Mocking
import MockingDocuments
import Networking

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

  /// Adds a warning about the value to those of the file.
  func warn(_ text: String) {
    context.warnings.append(JSONDocumentError(path: path, text: text))
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
        ?? Self.hint(for: name, among: names)
      throw JSONDocumentError(
        path: value.path, refersToName: true, text: "unknown key \"\(name)\"; \(hint)")
    }
    return StubObject(
      path: path, members: Dictionary(members) { first, _ in first }, context: context)
  }

  /// Returns the names that are known, or the nearest ones of many.
  private static func hint(for name: String, among names: [String]) -> String {
    guard names.count > 12 else { return "known keys: \(names.joined(separator: ", "))" }
    let nearest = NameSuggestion.nearest(5, to: name, among: names).joined(separator: ", ")
    return "the nearest of \(names.count) keys: \(nearest); all of them are in the article "
      + "\"Stub file reference\" and in Examples/MockServer/stubs.schema.json"
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
        "id", "method", "path", "sequence", "afterLast", "oneOf", "proxy", "comment",
      ]
        + StubObject.conditionKeys + Self.responseKeys,
      "a route, such as {\"path\": \"/boards\", \"json\": []}")
    var mock = try object.mock(in: folder, at: location)
    if let defaults { mock = mock.inheriting(defaults) }
    let method = try object["method"]?.httpMethod()
    let template = try object.required("path", "such as \"/boards/{id}\"").template()
    var route = Route(method, template, mock)
    let proxy = try object["proxy"]?.proxy(in: folder, of: object, at: template, mock)
    if let proxy { route = proxy.route(method, template) }
    try object.addConditions(to: &route)
    if let id = object["id"] {
      let text = try id.string("a text, such as \"login\"")
      guard !text.isEmpty else { throw id.expected("a text, such as \"login\"") }
      route = route.id(RouteID(rawValue: text))
    }
    return Stub(path: path, route: route, mock: mock, origin: proxy?.origin)
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
  static let conditionKeys = [
    "when", "scenario", "set", "increment", "priority", "times", "rateLimit",
  ]

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
    if let limit = try self["rateLimit"]?.rateLimit() { route = route.limited(by: limit) }
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
