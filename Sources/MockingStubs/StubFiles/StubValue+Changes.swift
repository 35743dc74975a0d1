import Foundation
import Mocking
import MockingDocuments
import MockingResources
import MockingTemplates
import Networking

extension StubObject {
  /// The order of the members of the body `json` in the file.
  ///
  /// Empty if there is no such body, or if its text is not known.
  var memberOrder: MemberOrder {
    var order = MemberOrder()
    guard let json = self["json"], let text = context.text else { return order }
    let steps = json.path.steps.dropFirst(context.routePath.steps.count)
    let offset = JSONLocator.offset(of: JSONValuePath(steps: Array(steps)), in: text)
    order.learn(from: text.dropFirst(offset))
    return order
  }

  /// Parses the changes of resources that a response makes.
  ///
  /// - Parameter scope: The names that the templates of the response can use. The names of changed
  ///   items are added, which later changes and the rest of the response can use.
  /// - Returns: The changes in order.
  /// - Throws: ``JSONDocumentError`` for the first error.
  func changes(in scope: inout TemplateScope) throws(JSONDocumentError) -> [ResponseChange] {
    guard let value = self["changes"] else { return [] }
    var changes: [ResponseChange] = []
    for element in try value.elements("an array of changes") {
      changes.append(try element.change(in: &scope))
    }
    return changes
  }
}

extension StubValue {
  private static let changeKeys = [
    "resource", "create", "update", "with", "delete", "each", "if", "as", "comment",
  ]

  fileprivate func change(
    in scope: inout TemplateScope
  ) throws(JSONDocumentError) -> ResponseChange {
    let object = try object(
      Self.changeKeys,
      "a change, such as {\"resource\": \"/carts\", \"delete\": \"{{ body.cart }}\"}")
    let resource = try object.required("resource", "such as \"/carts\"")
    let path = try resource.resourcePath(in: scope)
    var inner = scope
    var list: Template?
    if let each = object["each"] {
      let header = try each.loopHeader(in: inner)
      list = header.list
      inner.loops.append(header.name)
    }
    let condition = try object["if"]?.condition(in: inner)
    var change = ResponseChange(path: path, action: try object.action(in: inner, at: self.path))
    change.list = list
    change.condition = condition
    if let name = object["as"] {
      let text = try name.string("a name, such as \"order\"")
      if let problem = Self.nameProblem(text) ?? Self.conflict(of: text, in: scope) {
        throw JSONDocumentError(path: name.path, text: problem)
      }
      change.hasName = true
      scope.constants.append(text)
    }
    return change
  }

  private static func conflict(of name: String, in scope: TemplateScope) -> String? {
    scope.constants.contains(name)
      ? "the name \"\(name)\" is already in use; choose another one" : nil
  }

  /// Parses the path of a resource of the file.
  private func resourcePath(in scope: TemplateScope) throws(JSONDocumentError) -> String {
    let text = PathTemplate.rooted(try string("the path of a resource, such as \"/carts\""))
    return try parsing { () throws(TemplateSyntaxError) in try scope.resourcePath(text, at: 0) }
  }

  /// Parses the header of a loop, such as `item in body.items`, with or without braces.
  private func loopHeader(
    in scope: TemplateScope
  ) throws(JSONDocumentError) -> (name: String?, list: Template) {
    let text = try string("a list, such as \"item in body.items\"")
    return try parsing { () throws(TemplateSyntaxError) in
      try Template.loopHeader(text, in: scope)
    }
  }

  static let conditionExpectation = "a condition, such as \"body.total > 100\""
  static let singleConditionExpectation = "one condition, such as \"{{ body.total > 100 }}\""

  /// Parses a condition, with or without braces.
  func condition(in scope: TemplateScope) throws(JSONDocumentError) -> Template {
    let text = try string(Self.conditionExpectation)
    let condition = try parsing { () throws(TemplateSyntaxError) in
      try Template(condition: text, in: scope)
    }
    guard let condition else { throw expected(Self.singleConditionExpectation) }
    return condition
  }

  /// Parses the items to change: an id, or an object with values of members.
  fileprivate func changeTarget(
    in scope: TemplateScope
  ) throws(JSONDocumentError) -> ResponseChange.Target {
    let expectation =
      "an id, such as \"{{ body.cart }}\", or members, such as {\"cartId\": \"{{ body.cart }}\"}"
    switch json {
    case .dictionary:
      var wanted: [(name: String, value: Template)] = []
      for (name, value) in try members(expectation) {
        wanted.append((name, try value.jsonTemplate(in: scope)))
      }
      return .members(wanted)
    case .string, .int: return .id(try jsonTemplate(in: scope))
    default: throw expected(expectation)
    }
  }

  fileprivate func changedMembers(
    in scope: TemplateScope
  ) throws(JSONDocumentError) -> Template {
    switch json {
    case .dictionary: break
    case .string where Template.isTemplate(json): break
    default: throw expected("an object, such as {\"stock\": \"{{ current.stock - 1 }}\"}")
    }
    return try jsonTemplate(in: scope)
  }
}

extension StubObject {
  /// Parses the kind of a change.
  fileprivate func action(
    in scope: TemplateScope, at path: JSONValuePath
  ) throws(JSONDocumentError) -> ResponseChange.Action {
    let names = ["create", "update", "delete"].filter { self[$0] != nil }
    guard let name = names.first, let value = self[name] else {
      throw JSONDocumentError(
        path: path, text: "expected a member \"create\", \"update\" or \"delete\"")
    }
    if let second = names.dropFirst().first, let other = self[second] {
      throw other.conflict(with: name)
    }
    if name != "update", let other = self["with"] {
      throw JSONDocumentError(
        path: other.path, refersToName: true, text: "\"with\" requires \"update\"")
    }
    switch name {
    case "create": return .create(try value.changedMembers(in: scope))
    case "delete": return .delete(try value.changeTarget(in: scope))
    default:
      var current = scope
      current.loops.append("current")
      let members = try required("with", "the changed members")
      return .update(
        try value.changeTarget(in: scope), with: try members.changedMembers(in: current))
    }
  }
}

// MARK: - Values of `let`

extension StubValue {
  /// Returns the error in the name of a value, or `nil` if it is valid.
  static func nameProblem(_ name: String) -> String? {
    let isName =
      name.first.map { $0.isLetter || $0 == "_" } == true
      && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    guard isName else {
      return "expected a name of letters, digits and \"_\", found \(name.debugDescription)"
    }
    return TemplateScope.reservedNames.contains(name)
      ? "the name \"\(name)\" is already in use; choose another one" : nil
  }

  /// Parses the names and the values of `let`.
  ///
  /// - Parameter scope: The names that the values can use, besides each other.
  /// - Returns: The values, each after those that it uses.
  /// - Throws: ``JSONDocumentError`` for the first error, such as values that use each other in a
  ///   circle.
  func constants(
    in scope: TemplateScope
  ) throws(JSONDocumentError) -> [(name: String, value: Template)] {
    let members = try members("an object, such as {\"id\": \"{{ uuid }}\"}")
    var uses: [String: Set<String>] = [:]
    for (name, value) in members {
      if let problem = Self.nameProblem(name) {
        throw JSONDocumentError(path: value.path, refersToName: true, text: problem)
      }
      var own = scope
      let references = TemplateReferences()
      own.references = references
      own.constants = members.map(\.name)
      _ = try value.jsonTemplate(in: own)
      uses[name] = references.constants
    }
    var scope = scope
    var constants: [(name: String, value: Template)] = []
    for member in try Self.sorted(members, by: uses) {
      constants.append((member.name, try member.value.jsonTemplate(in: scope)))
      scope.constants.append(member.name)
    }
    return constants
  }

  /// Sorts values so that each one follows those that it uses.
  private static func sorted(
    _ members: [(name: String, value: StubValue)], by uses: [String: Set<String>]
  ) throws(JSONDocumentError) -> [(name: String, value: StubValue)] {
    var users: [String: [String]] = [:]
    for (name, used) in uses {
      for other in used { users[other, default: []].append(name) }
    }
    var missing = uses.mapValues(\.count)
    let values = Dictionary(members.map { ($0.name, $0.value) }) { first, _ in first }
    var ready = members.map(\.name).filter { missing[$0] == 0 }
    var position = 0
    while position < ready.count {
      for user in (users[ready[position]] ?? []).sorted() {
        missing[user, default: 1] -= 1
        if missing[user] == 0 { ready.append(user) }
      }
      position += 1
    }
    guard ready.count == members.count else {
      let rest = members.filter { missing[$0.name] != 0 }
      let names = rest.map { "\"\($0.name)\"" }.joined(separator: ", ")
      throw JSONDocumentError(
        path: rest[0].value.path, text: "the values of \"let\" use each other in a circle: \(names)"
      )
    }
    return ready.compactMap { name in values[name].map { (name, $0) } }
  }
}
