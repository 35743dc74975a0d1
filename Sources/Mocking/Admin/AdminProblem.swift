import Foundation
import Networking

/// The reason why the admin API refuses a request, sent as problem details.
///
/// Source: RFC 9457.
struct AdminProblem: Error {
  let status: Int
  let detail: String
  /// The place of the error in the body.
  var place: TextPosition?
  /// The JSON Pointer of the value with the error.
  var pointer: String?
  var headers: HTTPHeaders = [:]

  init(_ status: Int, _ detail: String) {
    self.status = status
    self.detail = detail
  }

  /// Creates the problem of an error that a handler has thrown.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - body: The body of the request, for the place of an error in it.
  init(_ error: any Error, body: Data) {
    switch error {
    case let problem as AdminProblem: self = problem
    case let error as JSONDocumentError:
      self.init(error.offset == nil ? 422 : 400, error.text)
      place = error.place(in: JSONDocumentError.text(of: body))
      pointer = error.offset == nil ? error.path.pointer : nil
    case let error as MockServerError: self.init(Self.status(of: error), "\(error)")
    default: self.init(500, "\(type(of: error))")
    }
  }

  private static func status(of error: MockServerError) -> Int {
    switch error {
    case .unknownRoute: 404
    case .duplicateRoute, .reservedPath, .noRoutes, .stopped: 409
    case .invalidTemplate, .invalidPattern, .invalidJSONPath, .cannotListen, .forgotten: 422
    }
  }

  static func missing(_ kind: String, _ id: String) -> AdminProblem {
    AdminProblem(404, "there is no \(kind) \(ReportFormatter.quoted(id))")
  }

  /// The response, of the type `application/problem+json`, with secrets masked.
  var response: ReservedPathResponse {
    var members: [String: JSON] = [
      "type": "about:blank", "title": .string(ReasonPhrase.of(status)), "status": .int(status),
      "detail": .string(String(Redactor.standard.maskedText(detail).prefix(1_000))),
    ]
    if let place {
      members["line"] = .int(place.line)
      members["column"] = .int(place.column)
    }
    if let pointer { members["pointer"] = .string(ReportFormatter.bounded(pointer)) }
    var response = ReservedPathResponse.json(.dictionary(members), status: status)
    for field in headers { response.mock.headers.add(field.value, for: field.name) }
    response.mock.headers["Content-Type"] = "application/problem+json"
    return response
  }
}

extension JSONValuePath {
  /// The path as a JSON Pointer.
  ///
  /// Source: RFC 6901.
  var pointer: String {
    steps.map { step in
      switch step {
      case .member(let name): JSONPointer.escaped(name)
      case .element(let index): "/\(index)"
      }
    }.joined()
  }
}

extension ReservedPathResponse {
  /// Returns a response with a JSON body.
  static func json(_ json: JSON, status: Int = 200) -> ReservedPathResponse {
    let data = (try? json.data()) ?? Data("null".utf8)
    return ReservedPathResponse(mock: .data(data, contentType: "application/json", status: status))
  }

  /// Returns a response with a text.
  static func text(_ text: String) -> ReservedPathResponse {
    ReservedPathResponse(mock: .data(Data(text.utf8), contentType: "text/plain; charset=utf-8"))
  }

  static func redirect(to location: String, status: Int) -> ReservedPathResponse {
    ReservedPathResponse(mock: Mock(status: status, headers: ["Location": location]))
  }

  static let noContent = ReservedPathResponse(mock: Mock(status: 204))
}
