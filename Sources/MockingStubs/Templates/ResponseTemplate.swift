import Foundation
import Mocking
import MockingResources
import MockingTemplates
import Networking

/// The parsed templates of a response.
///
/// The values of `let` are evaluated first, once, so that the status, the header fields, the body
/// and the webhooks have the same values. Then resources are changed. Both are one atomic step, and
/// the rest of the response reads the items after it.
struct ResponseTemplate: Sendable {
  enum Body: Sendable {
    /// The text, or the JSON text of the value.
    case content(Template)
    case stream(StreamTemplate)
    /// The body of the mock, without templates.
    case unchanged
  }

  /// The expressions of `let` in the order of the constants of the scope.
  var constants: [Template] = []
  /// The changes of resources in order.
  var changes: [ResponseChange] = []
  var status: Template?
  /// The header fields with templates.
  var headers: [(name: String, value: Template)] = []
  var body = Body.unchanged
  /// The detail of a problem document in place of the body, whose status is that of the response.
  var problem: Template?
  /// The webhooks, which may use the response.
  var webhooks: [WebhookTemplate] = []

  /// Returns a mock whose response is rendered from this template.
  ///
  /// - Parameter mock: The parts of the response that have no templates. Delays, pacing and faults
  ///   apply to the rendered response.
  /// - Returns: The mock.
  func mock(basedOn mock: Mock) -> Mock {
    mock.completed { [self] mock, request, values in
      try response(to: request, values, basedOn: mock)
    }
  }

  private func response(
    to request: ReceivedRequest, _ values: TemplateValues, basedOn base: Mock
  ) throws -> Mock {
    var rendering = TemplateRendering(request, values)
    guard changes.isEmpty else { return try changedResponse(&rendering, basedOn: base) }
    try rendering.define(constants)
    return try response(&rendering, basedOn: base)
  }

  /// Changes resources, and returns the response, or the reason why a change is refused.
  private func changedResponse(
    _ rendering: inout TemplateRendering, basedOn base: Mock
  ) throws -> Mock {
    guard let resources = rendering.resources as? ResourceStore else {
      throw TemplateRenderError.unknownResource(changes[0].path)
    }
    let start = rendering
    do {
      return try resources.change(for: start.request, start.values) { items in
        var rendering = start
        rendering.items = items
        try rendering.define(constants)
        try ResponseChange.apply(changes, to: items, &rendering)
        return try response(&rendering, basedOn: base)
      }
    } catch let refusal as ChangeRefusal {
      return refusal.mock
    }
  }

  private func response(
    _ rendering: inout TemplateRendering, basedOn base: Mock
  ) throws(TemplateRenderError) -> Mock {
    var mock = base
    if let status {
      let value = try status.value(&rendering)
      guard let number = value.asInteger, (200...599).contains(number) else {
        throw .invalidStatus(value.templateText)
      }
      mock.status = number
    }
    for (name, value) in headers {
      mock.headers.add(Self.fieldValue(try value.text(&rendering)), for: name)
    }
    switch body {
    case .content(let template): mock.body = .data(try template.data(&rendering))
    case .stream(let template): mock.body = .stream(try template.stream(&rendering))
    case .unchanged: break
    }
    if let problem {
      mock.body = Mock.problem(mock.status, try problem.text(&rendering)).body
    }
    for webhook in webhooks { mock = webhook.added(to: mock, constants: rendering.constants) }
    return mock
  }

  /// Returns a text without the characters that a field value must not have.
  ///
  /// A value of a request therefore cannot add a line to the head of a response.
  ///
  /// Source: RFC 9110 section 5.5.
  static func fieldValue(_ text: String) -> String {
    func isAllowed(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F || byte == 0x09 }
    guard !text.utf8.allSatisfy(isAllowed) else { return text }
    return String(decoding: text.utf8.filter(isAllowed), as: UTF8.self)
  }
}
