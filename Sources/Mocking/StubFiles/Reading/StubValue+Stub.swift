import Foundation
import Networking

extension StubValue {
  /// One of a file's routes.
  func stub(in folder: URL, at place: Mock.Sequence.Place) throws(JSONProblem) -> Stub {
    let object = try object(
      [
        "method", "path", "when", "scenario", "priority", "times", "sequence", "afterLast",
        "comment",
      ]
        + Self.answerNames, "a route, such as {\"path\": \"/boards\", \"json\": []}")
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

  private func method() throws(JSONProblem) -> HTTPMethod? {
    let name = try string("a method, such as \"GET\"")
    guard name.isToken, name == name.uppercased() else {
      throw expected("a method in capitals, such as \"GET\"")
    }
    return HTTPMethod(rawValue: name)
  }

  private func template() throws(JSONProblem) -> String {
    let text = try string("a path, such as \"/boards/{id}\"")
    do {
      return try PathTemplate(text).text
    } catch {
      let reason = if case .invalidTemplate(_, let reason) = error { reason } else { "\(error)" }
      throw JSONProblem(
        path: path,
        text: "expected a path, such as \"/boards/{id}\", found \"\(text)\": \(reason)")
    }
  }

  private func addSteps(to route: inout Route) throws(JSONProblem) {
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
  fileprivate func mock(in folder: URL, at place: Mock.Sequence.Place) throws(JSONProblem) -> Mock {
    let mock = try answer(in: folder)
    guard let sequence = self["sequence"] else {
      if let end = self["afterLast"] {
        throw JSONProblem(
          path: end.path, isAboutName: true, text: "\"afterLast\" goes with \"sequence\" only")
      }
      return mock
    }
    for name in ["status"] + StubValue.bodyNames {
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
