import Foundation
import Mocking
import MockingDocuments
import MockingTemplates
import Networking

extension StubObject {
  /// Parses the webhooks of a response.
  ///
  /// - Parameters:
  ///   - isTemplate: Whether strings with braces are templates.
  ///   - scope: The names that the templates of the response can use.
  /// - Returns: The webhooks. Empty if the response has none.
  /// - Throws: ``JSONDocumentError`` for the first error.
  func webhooks(
    isTemplate: Bool, in scope: TemplateScope
  ) throws(JSONDocumentError) -> [WebhookTemplate] {
    guard let value = self["webhook"] else { return [] }
    var scope = scope
    scope.hasResponse = true
    let values: [StubValue] =
      if case .array = value.json { try value.elements("an array of webhooks") } else { [value] }
    var webhooks: [WebhookTemplate] = []
    for value in values {
      webhooks.append(try value.webhook(isTemplate: isTemplate, in: scope))
    }
    return webhooks
  }
}

extension StubValue {
  fileprivate func webhook(
    isTemplate: Bool, in scope: TemplateScope
  ) throws(JSONDocumentError) -> WebhookTemplate {
    let object = try object(
      [
        "url", "method", "headers", "json", "text", "after", "retries", "backoff", "secret", "hmac",
        "allow", "if", "comment",
      ],
      "a webhook, such as {\"url\": \"{{ body.callbackUrl }}\", \"json\": {}, \"after\": \"2 s\"}")
    var webhook = Webhook(to: "")
    if let method = object["method"] {
      let name = try method.string("a method, such as \"POST\"")
      guard name.isToken, name == name.uppercased() else {
        throw method.expected("a method in capitals, such as \"POST\"")
      }
      webhook.method = HTTPMethod(rawValue: name)
    }
    webhook.delay = try object["after"]?.duration() ?? .zero
    webhook.retries = try object["retries"]?.int(0...100, "a number from 0 to 100") ?? 0
    if let backoff = object["backoff"] { webhook.backoff = try backoff.duration() }
    webhook.signature = try object.signature()
    if let targets = object["allow"] { webhook.targets = try targets.webhookTargets() }
    let url = try object.required("url", "such as \"http://127.0.0.1:9000/hook\"")
    var template = WebhookTemplate(
      webhook: webhook, url: try url.webhookText(isTemplate, in: scope))
    if let literal = template.url.literal {
      template.webhook.url = literal
      if let problem = template.webhook.problem {
        throw JSONDocumentError(
          path: url.path, text: "\(problem); \"allow\" lists further hosts, or is \"any\"")
      }
    }
    if let json = object["json"] {
      if let text = object["text"] { throw text.conflict(with: "json") }
      template.webhook.headers["Content-Type"] = "application/json"
      template.body =
        isTemplate
        ? try json.jsonTemplate(in: scope)
        : Template(literal: String(decoding: (try? json.json.data()) ?? Data(), as: UTF8.self))
    } else if let text = object["text"] {
      template.webhook.headers["Content-Type"] = "text/plain; charset=utf-8"
      template.body = try text.webhookText(isTemplate, in: scope)
    }
    for (name, value) in try object["headers"]?.members("an object of header fields") ?? [] {
      guard name.isToken else {
        throw JSONDocumentError(
          path: value.path, refersToName: true,
          text: "expected the name of a header field, found \(name.debugDescription)")
      }
      template.webhook.headers.remove(name)
      template.headers.append((name, try value.webhookText(isTemplate, in: scope)))
    }
    if let condition = object["if"] {
      template.condition = try condition.condition(in: scope)
    }
    return template
  }

  /// Parses a string, with templates if they are turned on.
  private func webhookText(
    _ isTemplate: Bool, in scope: TemplateScope
  ) throws(JSONDocumentError) -> Template {
    let text = try string()
    return isTemplate ? try template(in: scope) : Template(literal: text)
  }

  private func webhookTargets() throws(JSONDocumentError) -> Webhook.Targets {
    if case .string("any") = json { return .any }
    var hosts: Set<String> = []
    for value in try elements("\"any\" or an array of host names") {
      hosts.insert(try value.string("the name of a host, such as \"hooks.example.com\""))
    }
    return .hosts(hosts)
  }
}

extension StubObject {
  /// Parses the signature of a webhook: `secret` for the defaults, or `hmac`.
  fileprivate func signature() throws(JSONDocumentError) -> Webhook.Signature? {
    if let secret = self["secret"] {
      if let other = self["hmac"] { throw other.conflict(with: "secret") }
      return Webhook.Signature(secret: try secret.string("a secret"))
    }
    guard let value = self["hmac"] else { return nil }
    let object = try value.object(
      ["secret", "header", "format", "payload", "timestampHeader"],
      "an object such as {\"secret\": \"s3cret\", \"header\": \"X-Signature\"}")
    var signature = Webhook.Signature(
      secret: try object.required("secret", "a string").string("a secret"))
    if let header = try object.fieldName("header") { signature.header = header }
    if let format = object["format"] {
      signature.format = try format.string("a format, such as \"sha256={hex}\"")
      guard signature.format.contains("{hex}") || signature.format.contains("{base64}"),
        signature.format.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
      else { throw format.expected("a text with {hex} or {base64}") }
    }
    if let payload = object["payload"] {
      signature.payload = try payload.string("a text, such as \"{timestamp}.{body}\"")
      guard signature.payload.contains("{body}") else {
        throw payload.expected("a text with {body}")
      }
    }
    signature.timestampHeader = try object.fieldName("timestampHeader")
    return signature
  }

  private func fieldName(_ name: String) throws(JSONDocumentError) -> String? {
    guard let value = self[name] else { return nil }
    let field = try value.string("the name of a header field")
    guard field.isToken else { throw value.expected("the name of a header field") }
    return field
  }
}
