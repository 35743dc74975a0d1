import CatenaSystem
import Foundation
import Mocking
import MockingDocuments
import MockingResources
import MockingTemplates
import Networking

extension StubValue {
  static let templateKeys = ["template", "let", "webhook", "changes"]

  /// This route with the variables of its path, and whether it has templates, in the context.
  var withPathVariables: StubValue {
    guard let template = json["path"].string.flatMap({ try? PathTemplate($0) }) else { return self }
    func variable(_ segment: PathTemplate.Segment) -> String? {
      switch segment {
      case .variable(let name), .rest(let name): name
      case .literal: nil
      }
    }
    var value = self
    value.context.pathVariables = template.segments.compactMap(variable)
    value.context.lastVariable = template.segments.last.flatMap(variable)
    value.context.hasTemplates = json["template"] != false
    return value
  }

  /// Parses a text with templates.
  func template(in scope: TemplateScope) throws(JSONDocumentError) -> Template {
    guard case .string(let text) = json else {
      throw JSONDocumentError(path: path, text: "expected a string")
    }
    return try parsing { () throws(TemplateSyntaxError) in try Template(text: text, in: scope) }
  }

  /// Parses a JSON value with templates.
  func jsonTemplate(in scope: TemplateScope) throws(JSONDocumentError) -> Template {
    try parsing { () throws(TemplateSyntaxError) in try Template(json: json, in: scope) }
  }

  /// Parses a template, and adds the location of this value to an error.
  func parsing<Result>(
    _ parse: () throws(TemplateSyntaxError) -> Result
  ) throws(JSONDocumentError) -> Result {
    do throws(TemplateSyntaxError) {
      return try parse()
    } catch {
      throw located(error)
    }
  }

  /// Returns the error of a template in this value.
  ///
  /// - Parameter error: The error.
  /// - Returns: The error with its location.
  func located(_ error: TemplateSyntaxError) -> JSONDocumentError {
    JSONDocumentError(
      path: JSONValuePath(steps: path.steps + error.path.steps), refersToName: error.isInName,
      stringOffset: error.offset == 0 ? nil : error.offset,
      text: error.text + error.hint)
  }
}

extension StubObject {
  /// Returns whether a member is a string with a template, and templates are not turned off.
  func isTemplate(_ value: StubValue) -> Bool {
    guard case .string = value.json, members["template"]?.json != false else { return false }
    return Template.isTemplate(value.json)
  }

  /// The header fields, if some of them have templates.
  var headersWithTemplates: StubValue? {
    guard let headers = self["headers"], members["template"]?.json != false,
      Template.isTemplate(headers.json)
    else { return nil }
    return headers
  }

  /// Returns a mock whose response is rendered from the templates of this object.
  ///
  /// - Parameters:
  ///   - mock: The mock of the other members.
  ///   - folder: The folder of the stub file.
  /// - Returns: The mock itself if the object has no templates, which then cost nothing.
  /// - Throws: ``JSONDocumentError`` with the position of an error inside the string.
  func applyingTemplates(
    to mock: Mock, in folder: URL
  ) throws(JSONDocumentError) -> Mock {
    var scope = context.scope
    scope.ranks = memberOrder.ranks
    var isEnabled = true
    if let option = self["template"] {
      guard case .bool(let value) = option.json else { throw option.expected("true or false") }
      isEnabled = value
    }
    var mock = mock
    var template = ResponseTemplate()
    var isUsed = false
    if let constants = self["let"] {
      guard isEnabled else { throw constants.conflict(with: "template") }
      for (name, value) in try constants.constants(in: scope) {
        scope.constants.append(name)
        template.constants.append(value)
      }
      isUsed = true
    }
    if let changes = self["changes"] {
      guard isEnabled else { throw changes.conflict(with: "template") }
      template.changes = try self.changes(in: &scope)
      isUsed = true
    }
    if isEnabled {
      if try addStatus(to: &template, scope) { isUsed = true }
      if try addHeaders(to: &template, &mock, scope) { isUsed = true }
      if try addBody(to: &template, scope, folder) { isUsed = true }
    }
    let webhooks = try webhooks(isTemplate: isEnabled, in: scope)
    guard isUsed else {
      return webhooks.reduce(mock) { $1.added(to: $0, constants: []) }
    }
    template.webhooks = webhooks
    return template.mock(basedOn: mock)
  }

  private func addStatus(
    to template: inout ResponseTemplate, _ scope: TemplateScope
  ) throws(JSONDocumentError) -> Bool {
    guard let status = self["status"], isTemplate(status) else { return false }
    guard let expression = try status.template(in: scope).expression else {
      let error = status.expected(
        "a status, such as 201 or \"{{ query.status | default(200) }}\"")
      throw JSONDocumentError(
        path: status.path,
        text: error.text + "; for a condition, use two routes, of which the first has \"when\"")
    }
    template.status = expression
    return true
  }

  /// Moves the header fields with templates from a mock to a template.
  private func addHeaders(
    to template: inout ResponseTemplate, _ mock: inout Mock, _ scope: TemplateScope
  ) throws(JSONDocumentError) -> Bool {
    for (name, value) in try self["headers"]?.members("an object of header fields") ?? [] {
      let values: [StubValue] =
        if case .array = value.json { try value.elements("an array of strings") } else { [value] }
      guard values.contains(where: { isTemplate($0) }) else { continue }
      mock.headers.remove(name)
      for value in values {
        template.headers.append((name, try value.template(in: scope)))
      }
    }
    return !template.headers.isEmpty
  }

  private func addBody(
    to template: inout ResponseTemplate, _ scope: TemplateScope, _ folder: URL
  ) throws(JSONDocumentError) -> Bool {
    if let json = self["json"], Template.isTemplate(json.json) {
      template.body = .content(try json.jsonTemplate(in: scope))
    } else if let text = self["text"], isTemplate(text) {
      template.body = .content(try text.template(in: scope))
    } else if let problem = self["problem"],
      isTemplate(problem) || self["status"].map({ isTemplate($0) }) == true
    {
      template.problem = try problem.template(in: scope)
    } else if let stream = try streamTemplate(in: scope) {
      template.body = .stream(stream)
    } else if let file = self["file"], self["template"] != nil {
      template.body = .content(try fileTemplate(file, scope, folder))
    } else {
      return false
    }
    return true
  }

  /// Reads a file with templates.
  private func fileTemplate(
    _ value: StubValue, _ scope: TemplateScope, _ folder: URL
  ) throws(JSONDocumentError) -> Template {
    let file = MockFile(try value.string("the name of a file"), in: folder)
    let data: Data
    do throws(MockFile.ReadError) {
      data = try file.read()
    } catch {
      throw JSONDocumentError(path: value.path, text: error.reason)
    }
    guard let text = String(validUTF8: data) else {
      throw JSONDocumentError(
        path: value.path, text: "expected a template in UTF-8 in the file \"\(file.name)\"")
    }
    for url in file.candidates { context.templateFiles.append(url) }
    do throws(TemplateSyntaxError) {
      return try Template(text: text, in: scope)
    } catch {
      let place = TextPosition(error.offset, in: data)
      throw JSONDocumentError(
        path: value.path,
        text: "\(file.name):\(place.line):\(place.column): \(error.text)\(error.hint)")
    }
  }
}
