import Foundation
import Mocking
import MockingTemplates
import Networking

/// The parsed templates of a webhook.
struct WebhookTemplate: Sendable {
  /// The parts without templates.
  var webhook: Webhook
  var url: Template
  var headers: [(name: String, value: Template)] = []
  /// The body, or `nil` for an empty one.
  var body: Template?
  /// The condition under which the webhook is sent.
  ///
  /// `nil` sends it always.
  var condition: Template?

  /// Returns a mock after whose response the webhook is sent.
  ///
  /// - Parameters:
  ///   - mock: The mock.
  ///   - constants: The values of `let` in the response.
  /// - Returns: The mock.
  func added(to mock: Mock, constants: [JSON]) -> Mock {
    mock.callingBack { request, values, response in
      var rendering = TemplateRendering(request, values)
      rendering.constants = constants
      rendering.response = response
      if let condition, !(try condition.holds(&rendering)) { return nil }
      var webhook = webhook
      webhook.url = try url.text(&rendering)
      for (name, value) in headers {
        webhook.headers.add(ResponseTemplate.fieldValue(try value.text(&rendering)), for: name)
      }
      if let body { webhook.body = try body.data(&rendering) }
      return webhook
    }
  }
}
