import Mocking
import MockingContracts
import MockingDocuments
import MockingTemplates
import Networking

extension StubValue {
  /// The limit for the nesting of conditions, which bounds the recursion.
  private static let maximumDepth = 32

  private static let conditionKeys = [
    "query", "headers", "form", "cookies", "text", "json", "jsonEquals", "jsonPath", "jsonSchema",
    "parts", "variables", "if", "any", "all", "not",
  ]

  /// Parses the conditions of a route, all of which a request must meet.
  func conditions(depth: Int = 0) throws(JSONDocumentError) -> [RequestCondition] {
    guard depth < Self.maximumDepth else {
      throw JSONDocumentError(
        path: path, text: "conditions are nested more than \(Self.maximumDepth) levels deep")
    }
    let object = try object(
      Self.conditionKeys, "conditions, such as {\"query\": {\"page\": \"2\"}}")
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
    for (name, value) in try object["cookies"]?.members("an object of cookies") ?? [] {
      conditions.append(.cookie(name, try value.textPattern()))
    }
    if let value = object["text"] { conditions.append(.text(try value.textPattern())) }
    if let value = object["json"] { conditions.append(value.bodyCondition(isPart: true)) }
    if let value = object["jsonEquals"] { conditions.append(value.bodyCondition(isPart: false)) }
    for (name, value) in try object["jsonPath"]?.members("an object of values by path") ?? [] {
      conditions.append(try value.jsonPathCondition(name))
    }
    if let value = object["jsonSchema"] { conditions.append(try value.schemaCondition()) }
    for (name, value) in try object["parts"]?.members("an object of parts by name") ?? [] {
      conditions.append(try value.partCondition(name))
    }
    for (name, value) in try object["variables"]?.members("an object of variables") ?? [] {
      conditions.append(.variable(name, try value.jsonPattern()))
    }
    if let value = object["if"] { conditions.append(try value.expressionCondition()) }
    if let value = object["any"] { conditions.append(.any(try value.alternatives(depth))) }
    if let value = object["all"] { conditions.append(.all(try value.alternatives(depth))) }
    if let value = object["not"] {
      conditions.append(.not(.all(try value.conditions(depth: depth + 1))))
    }
    return conditions
  }

  private func alternatives(_ depth: Int) throws(JSONDocumentError) -> [RequestCondition] {
    let expectation = "an array of conditions, such as [{\"query\": {\"page\": \"2\"}}]"
    let values = try elements(expectation)
    guard !values.isEmpty else { throw expected(expectation) }
    var conditions: [RequestCondition] = []
    for value in values { conditions.append(.all(try value.conditions(depth: depth + 1))) }
    return conditions
  }

  // MARK: Values

  private static let operators = ["equals", "contains", "matches", "exists"]
  private static let valueOperators = operators + ["atLeast", "atMost"]

  /// Parses a pattern for a text.
  private func textPattern() throws(JSONDocumentError) -> TextPattern {
    let expectation =
      "a string, true, false, {\"contains\": a string} or {\"matches\": a regular expression}"
    switch json {
    case .string: return try operandText(isExplicit: false)
    case .bool(let isPresent): return isPresent ? .present : .absent
    default:
      let object = try object(Self.operators, expectation)
      guard object.members.count == 1 else { throw expected(expectation) }
      if let text = object["equals"] { return try text.operandText() }
      if let part = object["contains"] { return try part.operandText(isPart: true) }
      if let exists = object["exists"] { return try exists.bool() ? .present : .absent }
      let value = try object.required("matches", "a regular expression")
      return .matching(try value.regularExpression())
    }
  }

  /// Parses a pattern for a JSON value: the value itself, or an object with an operator.
  private func jsonPattern() throws(JSONDocumentError) -> JSONPattern {
    guard case .dictionary = json else { return try operandValue(isExplicit: false) }
    let expectation =
      "a value that is not an object, or an object with one of equals, contains, matches, exists, "
      + "atLeast and atMost, or with both of the last two"
    let object = try object(Self.valueOperators, expectation)
    if object.members.count == 2, let least = object["atLeast"], let most = object["atMost"] {
      let (lower, upper) = (try least.number(), try most.number())
      guard lower <= upper else { throw most.expected("a number of at least \"atLeast\"") }
      return .between(lower...upper)
    }
    guard object.members.count == 1 else { throw expected(expectation) }
    if let value = object["equals"] { return try value.operandValue() }
    if let part = object["contains"] { return try part.operandValue(isPart: true) }
    if let exists = object["exists"] { return try exists.bool() ? .present : .absent }
    if let least = object["atLeast"] { return .atLeast(try least.number()) }
    if let most = object["atMost"] { return .atMost(try most.number()) }
    let value = try object.required("matches", "a regular expression")
    return .matching(try value.regularExpression())
  }

  // MARK: Templates

  private func expressionCondition() throws(JSONDocumentError) -> RequestCondition {
    let text = try string(Self.conditionExpectation)
    let condition = try parsing { () throws(TemplateSyntaxError) in
      try RequestCondition.expression(text, in: context.scope)
    }
    guard let condition else { throw expected(Self.singleConditionExpectation) }
    return condition
  }

  /// Parses a text to compare with, which may be a template.
  ///
  /// A mistake in the template of an operator (`isExplicit`) is an error. Otherwise the text is then
  /// literal, because a text from a recorded request may have braces.
  private func operandText(
    isPart: Bool = false, isExplicit: Bool = true
  ) throws(JSONDocumentError) -> TextPattern {
    let text = try string()
    let literal = isPart ? TextPattern.containing(text) : .equal(text)
    guard context.hasTemplates, Template.isTemplate(json) else { return literal }
    do throws(TemplateSyntaxError) {
      return try TextPattern(template: text, in: context.scope, isPart: isPart)
    } catch {
      guard isExplicit else { return literal }
      throw located(error)
    }
  }

  /// Parses a JSON value to compare with, whose strings may be templates, like `operandText`.
  private func operandValue(
    isPart: Bool = false, isExplicit: Bool = true
  ) throws(JSONDocumentError) -> JSONPattern {
    let literal = isPart ? JSONPattern.containing(json) : .equal(json)
    guard context.hasTemplates, Template.isTemplate(json) else { return literal }
    do throws(TemplateSyntaxError) {
      return try JSONPattern(template: json, in: context.scope, isPart: isPart)
    } catch {
      guard isExplicit else { return literal }
      throw located(error)
    }
  }

  /// Parses the members of a JSON body, or the whole body.
  private func bodyCondition(isPart: Bool) -> RequestCondition {
    let literal = isPart ? RequestCondition.json(containing: json) : .json(json)
    guard context.hasTemplates, Template.isTemplate(json) else { return literal }
    return (try? .json(template: json, in: context.scope, isPart: isPart)) ?? literal
  }

  private func schemaCondition() throws(JSONDocumentError) -> RequestCondition {
    do throws(JSONSchemaError) {
      return try .jsonSchema(json)
    } catch {
      let place = JSONValuePath(steps: path.steps + JSONValuePath(tokens: error.path).steps)
      throw JSONDocumentError(path: place, text: "the JSON schema is invalid: \(error.reason)")
    }
  }

  private func number() throws(JSONDocumentError) -> Double {
    guard let number = json.double else { throw expected("a number") }
    return number
  }

  private func regularExpression() throws(JSONDocumentError) -> String {
    let text = try string("a regular expression")
    if context.hasTemplates, Template.isTemplate(json),
      let template = try? Template(text: text, in: context.scope.forCondition),
      template.literal == nil
    {
      throw JSONDocumentError(
        path: path,
        text: "a regular expression cannot have templates; use \"equals\" or \"contains\"")
    }
    if let reason = RegularExpression(text).validationError {
      throw JSONDocumentError(
        path: path, text: "\(expected("a regular expression").text): \(reason)")
    }
    return text
  }

  private func bool() throws(JSONDocumentError) -> Bool {
    guard let value = json.bool else { throw expected("true or false") }
    return value
  }

  private func jsonPathCondition(_ text: String) throws(JSONDocumentError) -> RequestCondition {
    let condition = RequestCondition.json(at: text, try jsonPattern())
    if case .invalidJSONPath(_, let reason)? = condition.validationError {
      throw JSONDocumentError(
        path: path, refersToName: true,
        text: "expected a JSON path, such as \"$.user.name\", found \(text.debugDescription): "
          + reason)
    }
    return condition
  }

  private func partCondition(_ name: String) throws(JSONDocumentError) -> RequestCondition {
    let keys = ["value", "fileName", "contentType"]
    guard case .dictionary(let members) = json, Self.operators.allSatisfy({ members[$0] == nil })
    else { return .part(name, try textPattern()) }
    let object = try object(
      keys, "a text, or an object such as {\"fileName\": {\"matches\": \"[.]png$\"}}")
    return .part(
      name, try object["value"]?.textPattern(), fileName: try object["fileName"]?.textPattern(),
      contentType: try object["contentType"]?.textPattern())
  }
}
