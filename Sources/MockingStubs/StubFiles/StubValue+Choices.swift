import Foundation
import Mocking
import MockingDocuments
import MockingTemplates
import Networking

extension StubValue {
  /// Parses the defaults of a file for all responses.
  func defaults(in folder: URL) throws(JSONDocumentError) -> Mock {
    let others = ["status"] + Self.bodyKeys + Self.streamOptionKeys + Self.templateKeys
    let keys = Self.responseKeys.filter { !others.contains($0) } + ["rateLimit"]
    let object = try object(keys, "defaults, such as {\"delay\": \"80 ms\"}")
    let mock = try object.response(in: folder)
    if let headers = object.headersWithTemplates {
      throw JSONDocumentError(
        path: headers.path, refersToName: true,
        text: "the defaults of a file cannot have templates; write them in the routes")
    }
    return mock
  }

  /// Parses a limit for the number of requests of each client.
  func rateLimit() throws(JSONDocumentError) -> RateLimit {
    // The routes of a list of paths, and those of a resource, have one quota.
    if let limit = context.rateLimits.limits[path] { return limit }
    let object = try object(
      ["requests", "per", "by"],
      "a limit, such as {\"requests\": 10, \"per\": \"1 min\", \"by\": {\"header\": \"Authorization\"}}"
    )
    let count = try object.required("requests", "a number").int(
      0...1_000_000_000, "a number of requests")
    let limit = RateLimit(
      count, per: try object.required("per", "a time").duration(),
      by: try object["by"]?.limitedClient() ?? .address)
    context.rateLimits.limits[path] = limit
    return limit
  }

  /// Parses the limit for all routes of a file.
  func limitOfDefaults() throws(JSONDocumentError) -> RateLimit? {
    try members("an object").first { $0.name == "rateLimit" }?.value.rateLimit()
  }

  private func limitedClient() throws(JSONDocumentError) -> RateLimit.Client {
    let expectation = "\"address\" or {\"header\": \"Authorization\"}"
    if case .string("address") = json { return .address }
    let header = try object(["header"], expectation).required("header", "the name of a field")
    let name = try header.string("the name of a header field")
    guard name.isToken else { throw header.expected("the name of a header field") }
    return .header(name)
  }

  /// Parses the seed of random numbers.
  func seed() throws(JSONDocumentError) -> UInt64 {
    UInt64(try int(0...Int.max, "a whole number, 0 or more"))
  }

  /// Parses a probability.
  func chance() throws(JSONDocumentError) -> Double {
    guard let chance = json.double, (0...1).contains(chance) else {
      throw expected("a number from 0 to 1")
    }
    return chance
  }

  /// Parses the variables that a route sets, whose values may have templates.
  ///
  /// - Parameters:
  ///   - route: The route.
  ///   - constants: The values of `let`, which the templates can use.
  /// - Throws: ``JSONDocumentError`` for the first error.
  func addAssignments(
    to route: inout Route, constants: StubValue?
  ) throws(JSONDocumentError) {
    let expectation = "an object of variables, such as {\"user\": {\"id\": 7}}"
    let references = TemplateReferences()
    let constants = try constants?.constants(in: context.scope) ?? []
    var scope = context.scope
    scope.references = references
    scope.constants = constants.map(\.name)
    for (name, value) in try variables(expectation) {
      guard Template.isTemplate(value.json) else {
        route = route.set(name, to: value.json == .null ? JSON?.none : value.json)
        continue
      }
      route = route.set(name, to: try value.jsonTemplate(in: scope))
    }
    for path in references.paths { context.references.insert(path) }
    // The response uses the same values.
    if !references.constants.isEmpty { route = route.defining(constants.map(\.value)) }
  }

  /// Parses the numbers that a route adds to variables.
  func addIncrements(to route: inout Route) throws(JSONDocumentError) {
    for (name, value) in try variables("an object of numbers, such as {\"visits\": 1}") {
      route = route.increment(name, by: try value.int(Int.min...Int.max, "a whole number"))
    }
  }

  private func variables(
    _ expectation: String
  ) throws(JSONDocumentError) -> [(name: String, value: StubValue)] {
    let members = try members(expectation)
    if let nameless = members.first(where: { $0.name.isEmpty }) {
      throw JSONDocumentError(
        path: nameless.value.path, refersToName: true,
        text: "expected the name of a variable, found \"\"")
    }
    if let (name, value) = members.first(where: { Template.isTemplate(.string($0.name)) }) {
      throw JSONDocumentError(
        path: value.path, refersToName: true,
        text: "the name of a variable cannot be a template, found \(name.debugDescription)")
    }
    return members
  }
}

extension StubObject {
  /// Parses the responses of which one is drawn for each request.
  ///
  /// - Parameters:
  ///   - choices: The member `oneOf`.
  ///   - defaults: The other members of the route, which are defaults for the responses.
  ///   - folder: The folder of the stub file.
  /// - Returns: The mock.
  /// - Throws: ``JSONDocumentError``.
  func weighted(
    _ choices: StubValue, _ defaults: Mock, in folder: URL
  ) throws(JSONDocumentError) -> Mock {
    for name in ["sequence", "afterLast", "status", "let", "changes"] + StubValue.bodyKeys {
      if let value = self[name] { throw value.conflict(with: "oneOf") }
    }
    var mocks: [(weight: Double, mock: Mock)] = []
    for choice in try choices.elements("an array of responses") {
      let object = try choice.object(
        ["weight"] + StubValue.responseKeys,
        "a response with a weight, such as {\"weight\": 3, \"status\": 503}")
      let weight = try object["weight"]?.weight() ?? 1
      mocks.append((weight, try object.response(in: folder)))
    }
    guard mocks.contains(where: { $0.weight > 0 }) else {
      throw choices.expected("an array with at least one response with a weight above 0")
    }
    return Mock.weighted(mocks).inheriting(defaults)
  }
}

extension StubValue {
  fileprivate func weight() throws(JSONDocumentError) -> Double {
    guard let weight = json.double, (0...1e9).contains(weight) else {
      throw expected("a number from 0 to 1000000000")
    }
    return weight
  }
}

extension StubValue {
  /// Parses a name, which cannot be a template.
  func plainName(_ expectation: String) throws(JSONDocumentError) -> String {
    let text = try string(expectation)
    guard !context.hasTemplates || !Template.isTemplate(json) else {
      throw JSONDocumentError(
        path: path,
        text: "a scenario and its states cannot be templates, found \(text.debugDescription); "
          + "\"set\" and \"variables\" have values with templates")
    }
    return text
  }

  /// Returns the routes of a list of methods or paths, one for each combination.
  ///
  /// - Throws: ``JSONDocumentError`` for a malformed list, and for lists with an identifier.
  func combinations() throws(JSONDocumentError) -> [StubValue] {
    guard case .dictionary(let members) = json else { return [self] }
    func list(_ name: String) -> StubValue? {
      guard let value = members[name], case .array = value else { return nil }
      return StubValue(json: value, path: path.appending(.member(name)), context: context)
    }
    let (methodList, pathList) = (list("method"), list("path"))
    guard methodList != nil || pathList != nil else { return [self] }
    if members["id"] != nil {
      throw JSONDocumentError(
        path: path.appending(.member("id")), refersToName: true,
        text: "\"id\" cannot be combined with a list of methods or paths, "
          + "which is several routes")
    }
    let methods = try methodList?.elements("methods") ?? []
    let paths = try pathList?.elements("paths") ?? []
    for value in [methodList, pathList] {
      if let value, value.json == [] { throw value.expected("an array with at least one element") }
    }
    guard max(methods.count, 1) * max(paths.count, 1) <= 1_000 else {
      throw JSONDocumentError(path: path, text: "the lists have more than 1000 combinations")
    }
    for method in methods { _ = try method.httpMethod() }
    for path in paths { _ = try path.template() }
    var values = [self]
    for (name, elements) in [("method", methods), ("path", paths)] where !elements.isEmpty {
      values = values.flatMap { value in
        elements.map { element in
          var value = value
          if case .dictionary(var members) = value.json {
            members[name] = element.json
            value = StubValue(json: .dictionary(members), path: path, context: context)
          }
          return value
        }
      }
    }
    return values
  }
}
