import Foundation
import Networking

/// What stands in a file of stubs.
struct StubDocument {
  let stubs: [Stub]
  private(set) var connectionFaults: [Int?: MockFault] = [:]

  /// Reads the text of a file.
  ///
  /// - Throws: ``StubFileError/malformed(file:line:column:path:problem:)``.
  init(_ data: Data, _ file: URL) throws(StubFileError) {
    let data = JSONDocumentError.text(of: data)
    do throws(JSONDocumentError) {
      guard String(validating: data, as: UTF8.self) != nil, let json = try? JSON(parsing: data)
      else { throw JSONDocumentError.syntax(of: data) }
      let name = file.lastPathComponent
      let folder = file.deletingLastPathComponent()
      let root = StubValue(json: json, path: JSONValuePath())
      let object = try root.object(
        ["$schema", "comment", "routes", "connectionFaults"],
        "an object with a member \"routes\"")
      let values = try object.required("routes", "an array").elements("an array of routes")
      var stubs: [Stub] = []
      for value in values {
        let offset = JSONLocator.offset(of: value.path, in: data)
        let place = TextPosition(offset, in: data)
        stubs.append(
          try value.stub(
            in: folder,
            at: .init(file: name, line: UInt(place.line), column: UInt(place.column))))
      }
      self.stubs = stubs
      try Stub.checkStates(of: stubs)
      for value in try object["connectionFaults"]?.elements("an array of faults") ?? [] {
        let (connection, fault) = try value.connectionFault()
        connectionFaults[connection] = fault
      }
    } catch {
      let place = error.place(in: data)
      throw .malformed(
        file: file, line: place.line, column: place.column, path: "\(error.path)",
        problem: error.text)
    }
  }
}

/// A value of a file of stubs, and where it stands.
struct StubValue {
  let json: JSON
  let path: JSONValuePath

  /// Says that something else was expected here.
  func expected(_ expectation: String) -> JSONDocumentError {
    JSONDocumentError(path: path, text: "expected \(expectation), found \(found)")
  }

  /// The value in a few words.
  private var found: String {
    switch json {
    case .array(let values): return values.isEmpty ? "an empty array" : "an array"
    case .dictionary: return "an object"
    default:
      let text = json.description
      return text.count > 40 ? "\(text.prefix(40))…" : text
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
      StubValue(json: value, path: path.appending(.element(index)))
    }
  }

  /// The members of an object, sorted by name.
  func members(_ expectation: String) throws(JSONDocumentError) -> [(name: String, value: StubValue)] {
    guard case .dictionary(let members) = json else { throw expected(expectation) }
    return members.sorted { $0.key < $1.key }.map { name, value in
      (name, StubValue(json: value, path: path.appending(.member(name))))
    }
  }

  /// An object of certain members and no others.
  func object(_ names: [String], _ expectation: String) throws(JSONDocumentError) -> StubObject {
    let members = try members(expectation)
    for (name, value) in members where !names.contains(name) {
      let hint =
        NameSuggestion.of(name, among: names).map { "did you mean \"\($0)\"?" }
        ?? "known are \(names.joined(separator: ", "))"
      throw JSONDocumentError(
        path: value.path, refersToName: true, text: "\"\(name)\" is not known here; \(hint)")
    }
    return StubObject(path: path, members: Dictionary(members) { first, _ in first })
  }

  /// One of several names.
  func name(of names: [String]) throws(JSONDocumentError) -> String {
    let list = names.map { "\"\($0)\"" }.joined(separator: ", ")
    let name = try string("one of \(list)")
    guard !names.contains(name) else { return name }
    let hint = NameSuggestion.of(name, among: names).map { "; did you mean \"\($0)\"?" } ?? ""
    throw JSONDocumentError(path: path, text: expected("one of \(list)").text + hint)
  }
}

/// An object of a file of stubs, with no members but those it may have.
struct StubObject {
  let path: JSONValuePath
  let members: [String: StubValue]

  subscript(name: String) -> StubValue? { members[name] }

  func required(_ name: String, _ expectation: String) throws(JSONDocumentError) -> StubValue {
    guard let value = members[name] else {
      throw JSONDocumentError(path: path, text: "expected a member \"\(name)\", \(expectation)")
    }
    return value
  }
}

extension StubValue {
  /// One of a file's routes.
  func stub(in folder: URL, at place: Mock.Sequence.Place) throws(JSONDocumentError) -> Stub {
    let object = try object(
      [
        "method", "path", "when", "scenario", "priority", "times", "sequence", "afterLast",
        "comment",
      ]
        + Self.responseKeys, "a route, such as {\"path\": \"/boards\", \"json\": []}")
    let mock = try object.mock(in: folder, at: place)
    var route = Route(
      try object["method"]?.method(),
      try object.required("path", "such as \"/boards/{id}\"").template(), mock)
    route.pattern = route.pattern.adding(try object["when"]?.conditions() ?? [])
    try object["scenario"]?.addSteps(to: &route)
    if let priority = object["priority"] {
      route = route.priority(try priority.int(-1_000_000...1_000_000, "a whole number"))
    }
    if let times = object["times"] {
      route = route.times(try times.int(1...Int.max, "a number, 1 or more"))
    }
    return Stub(path: path, route: route, mock: mock)
  }

  private func method() throws(JSONDocumentError) -> HTTPMethod? {
    let name = try string("a method, such as \"GET\"")
    guard name.isToken, name == name.uppercased() else {
      throw expected("a method in capitals, such as \"GET\"")
    }
    return HTTPMethod(rawValue: name)
  }

  private func template() throws(JSONDocumentError) -> String {
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

  private func addSteps(to route: inout Route) throws(JSONDocumentError) {
    let expectation = "a name, such as \"created\""
    let object = try object(
      ["name", "when", "then"], "an object such as {\"name\": \"boards\", \"when\": \"started\"}")
    let name = try object.required("name", "the scenario's").string("the scenario's name")
    let scenario = Scenario(name)
    if let state = try object["when"]?.string(expectation) {
      route = route.when(scenario, is: state)
    }
    if let next = try object["then"]?.string(expectation) {
      route = route.then(scenario, becomes: next)
    }
  }
}

extension StubObject {
  fileprivate func mock(in folder: URL, at place: Mock.Sequence.Place) throws(JSONDocumentError) -> Mock {
    let mock = try answer(in: folder)
    guard let sequence = self["sequence"] else {
      if let end = self["afterLast"] {
        throw JSONDocumentError(
          path: end.path, refersToName: true, text: "\"afterLast\" goes with \"sequence\" only")
      }
      return mock
    }
    for name in ["status"] + StubValue.bodyKeys {
      if let value = self[name] { throw value.conflict(with: "sequence") }
    }
    let answers = try sequence.elements("an array of answers")
    guard !answers.isEmpty else { throw sequence.expected("an array of at least one answer") }
    let fails = try self["afterLast"]?.name(of: ["repeats", "fails"]) == "fails"
    var mocks: [Mock] = []
    for answer in answers { mocks.append(try answer.answer(in: folder)) }
    var whole = Mock()
    whole.source = .sequence(Mock.Sequence(mocks, fails ? .fails : .repeatsLast, place))
    // What is said beside the sequence is for those of its answers that do not say it.
    whole.headers = mock.headers
    whole.delay = mock.delay
    whole.bodyDelay = mock.bodyDelay
    whole.pace = mock.pace
    whole.interruption = mock.interruption
    return whole
  }
}

/// Finds what somebody who mistyped a name has probably meant.
enum NameSuggestion {
  /// The nearest of the names, when it is near enough to be meant.
  static func of(_ name: String, among names: [String]) -> String? {
    let distances = names.map { (EditDistance.between(name.lowercased(), $0.lowercased()), $0) }
    guard let nearest = distances.min(by: { $0 < $1 }) else { return nil }
    return nearest.0 <= max(1, min(name.count, nearest.1.count) / 2) ? nearest.1 : nil
  }
}
