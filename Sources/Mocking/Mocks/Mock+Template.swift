import Foundation
public import Networking

/// The parsed templates of a response.
///
/// The values of `let` are evaluated first, once, so that the status, the header fields, the body
/// and the webhooks have the same values. Then resources are changed. Both are one atomic step, and
/// the rest of the response reads the items after it.
struct ResponseTemplate: Sendable {
  enum Body: Sendable {
    case json(TemplateJSON)
    case text(TemplateText)
    case stream(StreamTemplate)
    /// The body of the mock, without templates.
    case unchanged
  }

  /// The expressions of `let` in the order of the constants of the scope.
  var constants: [TemplateJSON] = []
  /// The changes of resources in order.
  var changes: [ResponseChange] = []
  var status: TemplateExpression?
  /// The header fields with templates.
  var headers: [(name: String, value: TemplateText)] = []
  var body = Body.unchanged
  /// The detail of a problem document in place of the body, whose status is that of the response.
  var problem: TemplateText?
  /// The webhooks, which may use the response.
  var webhooks: [WebhookTemplate] = []

  /// Returns a mock whose response is rendered from this template.
  ///
  /// - Parameter mock: The parts of the response that have no templates. Delays, pacing and faults
  ///   apply to the rendered response.
  /// - Returns: The mock.
  func mock(basedOn mock: Mock) -> Mock {
    var base = mock
    base.delay = nil
    base.bodyDelay = nil
    base.pace = nil
    base.interruption = nil
    base.webhooks = []
    var outer = mock
    outer.headers = [:]
    outer.source = .template { [base] request, values in
      try response(to: request, values, basedOn: base)
    }
    return outer
  }

  private func response(
    to request: ReceivedRequest, _ values: TemplateValues, basedOn base: Mock
  ) throws -> Mock {
    var rendering = TemplateRendering(request, values)
    guard changes.isEmpty else { return try changedResponse(&rendering, basedOn: base) }
    try evaluateConstants(&rendering)
    return try response(&rendering, basedOn: base)
  }

  private func evaluateConstants(
    _ rendering: inout TemplateRendering
  ) throws(TemplateRenderError) {
    if let values = rendering.request.session.constants {
      rendering.constants = values
      return
    }
    for constant in constants { rendering.constants.append(try constant.value(&rendering)) }
  }

  /// Changes resources, and returns the response, or the reason why a change is refused.
  private func changedResponse(
    _ rendering: inout TemplateRendering, basedOn base: Mock
  ) throws -> Mock {
    guard let resources = rendering.request.session.resources as? any ChangeableResources else {
      throw TemplateRenderError.unknownResource(changes[0].path)
    }
    let start = rendering
    do {
      return try resources.change(for: start.request, start.values) { items in
        var rendering = start
        rendering.items = items
        try evaluateConstants(&rendering)
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
      mock.headers.add(Self.fieldValue(try value.render(&rendering)), for: name)
    }
    switch body {
    case .json(let template): mock.body = .data(Data(try template.render(&rendering)))
    case .text(let template): mock.body = .data(Data(try template.render(&rendering).utf8))
    case .stream(let template): mock.body = .stream(try template.stream(&rendering))
    case .unchanged: break
    }
    if let problem {
      mock.body = Mock.problem(mock.status, try problem.render(&rendering)).body
    }
    mock.webhooks += webhooks.map { $0.source(constants: rendering.constants) }
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

extension Mock {
  /// Returns a mock that creates its response from the request and from generated values.
  ///
  /// ```swift
  /// Route(.post, "/orders", .template { request, values in
  ///   .json(["id": .int(values.counter("orders")), "name": request.json["name"]], status: 201)
  /// })
  /// ```
  ///
  /// - Parameter make: A closure that creates the response. It runs once for each request, on the
  ///   thread that serves the request, and must not block. If it throws, the response is a 500 with
  ///   the description of the error.
  /// - Returns: The mock. Its delays, pacing, fault and header fields are defaults for the
  ///   response.
  public static func template(
    _ make:
      @escaping @Sendable (_ request: ReceivedRequest, _ values: TemplateValues) throws -> Mock
  ) -> Mock {
    Mock().template(make)
  }

  /// Returns a copy that creates its response for each request.
  ///
  /// - Parameter make: A closure that creates the response, as that of the static method.
  /// - Returns: The mock, whose delays, pacing, fault and header fields are defaults for the response.
  package func template(
    _ make:
      @escaping @Sendable (_ request: ReceivedRequest, _ values: TemplateValues) throws -> Mock
  ) -> Mock {
    var mock = self
    mock.source = .template(make)
    return mock
  }

  /// Returns a response with a JSON body whose strings contain templates.
  ///
  /// ```swift
  /// Route(.get, "/users/{id}", .template(json: ["id": "{{ path.id | int }}", "at": "{{ now }}"]))
  /// ```
  ///
  /// The syntax is that of stub files, which the guide "Dynamic responses" describes. A string that
  /// is exactly one expression becomes the value of the expression. The template is parsed by this
  /// call.
  ///
  /// - Parameters:
  ///   - json: The value.
  ///   - status: The status code.
  /// - Returns: The mock, of the type `application/json`. If the template is malformed, each
  ///   request fails in memory, and on a socket the response is a 500 with the position of the
  ///   error.
  public static func template(json: JSON, status: Int = 200) -> Mock {
    template(of: .data(Data(), contentType: "application/json", status: status)) {
      () throws(TemplateSyntaxError) in .json(try TemplateJSON(json))
    }
  }

  /// Returns a response with a text body that contains templates.
  ///
  /// ```swift
  /// Route(.get, "/hello", .template(text: "Hello {{ query.name | default(\"you\") }}"))
  /// ```
  ///
  /// See ``template(json:status:)``.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - contentType: The content type.
  ///   - status: The status code.
  /// - Returns: The mock.
  public static func template(
    text: String, contentType: String = "text/plain; charset=utf-8", status: Int = 200
  ) -> Mock {
    template(of: .data(Data(), contentType: contentType, status: status)) {
      () throws(TemplateSyntaxError) in .text(try TemplateText(text))
    }
  }

  private static func template(
    of mock: Mock, _ body: () throws(TemplateSyntaxError) -> ResponseTemplate.Body
  ) -> Mock {
    do throws(TemplateSyntaxError) {
      return ResponseTemplate(body: try body()).mock(basedOn: mock)
    } catch {
      var mock = Mock()
      mock.source = .invalid("the template is malformed: \(error)")
      return mock
    }
  }
}
