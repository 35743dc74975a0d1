import Networking

extension StubValue {
  /// What has to hold of a request.
  func conditions() throws(JSONProblem) -> [RequestCondition] {
    let object = try object(
      ["query", "headers", "form", "text", "json"],
      "conditions, such as {\"query\": {\"page\": \"2\"}}")
    var conditions: [RequestCondition] = []
    for (name, value) in try object["query"]?.members("an object of parameters") ?? [] {
      conditions.append(.query(name, try value.textPattern()))
    }
    for (name, value) in try object["headers"]?.members("an object of header fields") ?? [] {
      conditions.append(.header(name, try value.textPattern()))
    }
    for (name, value) in try object["form"]?.members("an object of form fields") ?? [] {
      conditions.append(.form(name, try value.textPattern()))
    }
    if let value = object["text"] { conditions.append(.text(try value.textPattern())) }
    if let value = object["json"] { conditions.append(.json(containing: value.json)) }
    return conditions
  }

  private func textPattern() throws(JSONProblem) -> TextPattern {
    let expectation =
      "a text, true, false, {\"contains\": a text} or {\"matches\": a regular expression}"
    switch json {
    case .string(let text): return .equal(text)
    case .bool(let isPresent): return isPresent ? .present : .absent
    default:
      let object = try object(["contains", "matches"], expectation)
      guard object.members.count == 1 else { throw expected(expectation) }
      if let part = object["contains"] { return .containing(try part.string()) }
      let value = try object.required("matches", "a regular expression")
      let pattern = TextPattern.matching(try value.string("a regular expression"))
      guard pattern.flaw == nil else { throw value.expected("a regular expression") }
      return pattern
    }
  }
}
