import Foundation
public import Mocking
public import Networking

extension Mock {
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
      scope throws(TemplateSyntaxError) in try Template(json: json, in: scope)
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
      scope throws(TemplateSyntaxError) in try Template(text: text, in: scope)
    }
  }

  private static func template(
    of mock: Mock, _ parse: (TemplateScope) throws(TemplateSyntaxError) -> Template
  ) -> Mock {
    do throws(TemplateSyntaxError) {
      let template = try parse(TemplateScope())
      return mock.completed { mock, request, values in
        var rendering = TemplateRendering(request, values)
        var mock = mock
        mock.body = .data(try template.data(&rendering))
        return mock
      }
    } catch {
      return .invalid("the template is malformed: \(error)")
    }
  }
}
