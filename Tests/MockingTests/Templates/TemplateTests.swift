import Foundation
import Networking
import TestGate
import Testing

@testable import Mocking
@testable import MockingTemplates

/// The seam to the template language for modules that read routes from files.
@Suite(.gated)
struct TemplateTests {
  private let scope = TemplateScope(pathVariables: ["id"])

  private func rendering() -> TemplateRendering {
    TemplateRendering(.of("POST", "/orders/7?page=2"), TemplateValues())
  }

  @Test func aTextIsRenderedAsTextAndAJSONValueAsJSONText() throws {
    var rendering = rendering()
    let text = try Template(text: "page {{ query.page }}", in: scope)
    let json = try Template(json: ["page": "{{ query.page | int }}"], in: scope)
    #expect(try text.text(&rendering) == "page 2")
    #expect(try text.value(&rendering) == "page 2")
    #expect(try json.text(&rendering) == #"{"page":2}"#)
    #expect(try json.value(&rendering) == ["page": 2])
    for template in [text, json] {
      #expect(try template.data(&rendering) == Data(try template.text(&rendering).utf8))
    }
  }

  @Test func onlyATextThatIsOneExpressionHasAnExpression() throws {
    var rendering = rendering()
    let expression = try Template(text: "{{ query.page | int }}", in: scope).expression
    #expect(try expression?.value(&rendering) == 2)
    #expect(try Template(text: "page {{ query.page }}", in: scope).expression == nil)
    #expect(try Template(json: "{{ query.page }}", in: scope).expression == nil)
    #expect(Template(literal: "{{ query.page }}").literal == "{{ query.page }}")
    #expect(try Template(text: "a {{ query.page }}", in: scope).literal == nil)
  }

  @Test(arguments: ["query.page == '2'", "{{ query.page == '2' }}"])
  func aConditionHasBracesOrNone(text: String) throws {
    var rendering = rendering()
    #expect(try Template(condition: text, in: scope)?.holds(&rendering) == true)
  }

  @Test func severalExpressionsAreNoCondition() throws {
    #expect(try Template(condition: "{{ method }}{{ method }}", in: scope) == nil)
    #expect(try RequestCondition.expression("{{ method }} or not", in: scope) == nil)
  }

  @Test func theErrorOfALoopHeaderCountsItsBraces() {
    for (text, offset) in [("item in nothing", 8), ("{{item in nothing}}", 10)] {
      let error = #expect(throws: TemplateSyntaxError.self) {
        try Template.loopHeader(text, in: scope)
      }
      #expect(error?.offset == offset)
    }
  }

  @Test func aRouteHasTheVariablesOfItsTemplates() throws {
    let constant = try Template(json: "{{ query.page | int }}", in: scope)
    var names = scope
    names.constants = ["page"]
    let route = Route(.post, "/orders/{id}", .status(201))
      .defining([constant]).set("last", to: try Template(json: "{{ page }}", in: names))
    var request = ReceivedRequest.of("POST", "/orders/7?page=2")
    #expect(try route.variableChanges.apply(to: &request, TemplateValues()) == [2])
    #expect(request.variables["last"] == 2)
  }
}
