import Foundation

@testable import Mocking
@testable import MockingStubs
@testable import MockingTemplates
@testable import Networking

extension FuzzTarget {
  /// Templates of responses.
  ///
  /// The first line of an input is the body of the request, and the rest is the template.
  static let templates = FuzzTarget("templates", maximumLength: 2_048) { input in
    let scope = TemplateScope(constants: ["id"], hasResponse: true)
    Growth.checkLinear(input) { bytes in
      _ = try? TemplateText(String(decoding: bytes, as: UTF8.self), in: scope)
    }
    let (body, rest) = input.firstLine
    let text = String(decoding: rest, as: UTF8.self)
    let template: TemplateText
    do throws(TemplateSyntaxError) {
      template = try TemplateText(text, in: scope)
    } catch {
      expect((0...text.utf8.count).contains(error.offset), "the error is in the text: \(error)")
      expect(!error.text.isEmpty, "an error has a reason")
      return
    }
    if !TemplateText.isTemplate(text) {
      expect(template.literal == text, "a text without braces is unchanged")
    }
    let values = TemplateValues(random: SeededRandom(seed: 1))
    guard let url = URL(string: "http://h/a?b=c"),
      let request = try? HTTPRequest(
        method: .post, url: url, headers: ["Cookie": "c=d"], body: .data(Data(body.utf8))
      ).received(ReceivedPath(text: "/a", ["a"], ["id": "a"]), number: 0, at: .zero)
    else { return }
    var rendering = TemplateRendering(request, values)
    rendering.constants = [.int(1)]
    if let rendered = try? template.render(&rendering) {
      expect(rendered.utf8.count <= TemplateRendering.outputLimit + 1, "the output is limited")
      let field = ResponseTemplate.fieldValue(rendered)
      expect(!field.utf8.contains { $0 == 0x0D || $0 == 0x0A || $0 == 0 }, "a field is one line")
    }
    expect(rendering.loops.isEmpty || rendering.loops.count < 33, "loops are limited")
    checkJSON(text, request, values, scope)
  }

  /// Checks that a template in a JSON value renders JSON.
  private static func checkJSON(
    _ text: String, _ request: ReceivedRequest, _ values: TemplateValues, _ scope: TemplateScope
  ) {
    let value: JSON = ["a": .string(text), "b": ["$each": "body", "$item": .string(text)]]
    guard let template = try? TemplateJSON(value, in: scope) else { return }
    var rendering = TemplateRendering(request, values)
    rendering.constants = [.int(1)]
    guard let rendered = try? template.render(&rendering) else { return }
    expect((try? JSON(parsing: Data(rendered))) != nil, "a template of JSON renders JSON")
  }
}
