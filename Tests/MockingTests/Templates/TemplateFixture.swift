import Foundation
import Networking
import TestSupport
import Testing

@testable import Mocking
@testable import MockingTemplates

/// A request and generated values for the rendering of templates.
struct TemplateFixture {
  /// The names that are known besides those of the request.
  var scope = TemplateScope()
  var constants: [JSON] = []
  let request: ReceivedRequest
  let values: TemplateValues

  init(
    _ target: String = "/", body: String = "", headers: HTTPHeaders = [:],
    path: [String: String] = [:], seed: UInt64 = 1, scheduler: any Scheduler = TestScheduler(),
    variables: [String: JSON] = [:]
  ) throws {
    var request = try HTTPRequest(
      method: .post, url: try #require(URL(string: "http://a.test:8080\(target)")),
      headers: headers,
      body: .data(Data(body.utf8))
    ).received(ReceivedPath(text: "/", [], path), number: 0, at: .zero)
    request.variables = variables
    self.request = request
    values = TemplateValues(random: SeededRandom(seed: seed), scheduler: scheduler)
  }

  var rendering: TemplateRendering {
    var rendering = TemplateRendering(request, values)
    rendering.constants = constants
    return rendering
  }

  /// Returns the rendered text.
  func text(_ template: String) throws -> String {
    var rendering = rendering
    return try TemplateText(template, in: scope).render(&rendering)
  }

  /// Returns the rendered JSON text.
  func json(_ template: JSON) throws -> String {
    var rendering = rendering
    return String(
      decoding: try TemplateJSON(template, in: scope).render(&rendering), as: UTF8.self)
  }
}
