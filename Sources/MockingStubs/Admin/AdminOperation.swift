import Foundation
import Mocking
import MockingDocuments
import Networking

/// A request that the admin API accepts.
///
/// The table of all operations is the source of the responses 404 and 405. Tests compare it with the
/// OpenAPI document.
struct AdminOperation: Sendable {
  enum Body: Sendable {
    case none
    case optional
    case required
  }

  typealias Handler = @Sendable (AdminAPI, AdminCall) throws -> ReservedPathResponse

  let method: HTTPMethod
  /// The path below ``AdminAPI/path``, such as `stubs/{id}`.
  let path: String
  /// The segments of the path; `nil` in place of a variable.
  private let segments: [String?]
  private let variables: [String]
  /// The names of the parameters of the query.
  ///
  /// `nil` ignores the query.
  let parameters: Set<String>?
  let body: Body
  let handle: Handler

  init(
    _ method: HTTPMethod, _ path: String, query parameters: Set<String>? = [], body: Body = .none,
    _ handle: @escaping Handler
  ) {
    self.method = method
    self.path = path
    self.parameters = parameters
    self.body = body
    self.handle = handle
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    segments = parts.map { $0.hasPrefix("{") ? nil : $0 }
    variables = parts.filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
  }

  static let all =
    AdminAPI.informationOperations + AdminAPI.stubOperations
    + AdminAPI.requestOperations + AdminAPI.stateOperations

  /// The result of the search for an operation.
  enum Match {
    case operation(AdminOperation, variables: [String: String])
    /// The path has operations with these methods only.
    case allowed([String])
    case unknown
  }

  /// Finds the operation for a method and the segments of a path.
  ///
  /// The operation for GET also responds to HEAD.
  static func find(_ method: HTTPMethod, _ path: [String]) -> Match {
    var candidates = all.filter { $0.matches(path) }
    // `requests/count` is not the request with the id `count`.
    if candidates.contains(where: { $0.variables.isEmpty }) {
      candidates.removeAll { !$0.variables.isEmpty }
    }
    let wanted: HTTPMethod = method == .head ? .get : method
    if let operation = candidates.first(where: { $0.method == wanted }) {
      let values = zip(operation.segments, path).filter { $0.0 == nil }.map(\.1)
      let variables = Dictionary(zip(operation.variables, values)) { first, _ in first }
      return .operation(operation, variables: variables)
    }
    guard !candidates.isEmpty else { return .unknown }
    var methods = Set(candidates.map(\.method.rawValue))
    methods.insert("OPTIONS")
    if methods.contains("GET") { methods.insert("HEAD") }
    return .allowed(methods.sorted())
  }

  private func matches(_ path: [String]) -> Bool {
    path.count == segments.count
      && zip(segments, path).allSatisfy { segment, part in
        segment == nil ? !part.isEmpty : segment == part
      }
  }
}

/// A request to an operation, whose query and body have been checked.
struct AdminCall {
  let request: ReceivedRequest
  private let variables: [String: String]
  private let query: [String: String]
  /// The body, or `nil` if there is none.
  let body: StubValue?

  /// Checks a request.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - variables: The values of the variables of the path.
  ///   - operation: The operation.
  ///   - limit: The maximum size of a body.
  /// - Throws: ``AdminProblem`` with the status 400, 413 or 415, or `JSONDocumentError` for a body that
  ///   is not JSON.
  init(
    _ request: ReceivedRequest, _ variables: [String: String], _ operation: AdminOperation,
    limit: Int
  ) throws {
    self.request = request
    self.variables = variables
    var query: [String: String] = [:]
    for item in operation.parameters == nil ? [] : request.query.items {
      guard let parameters = operation.parameters, parameters.contains(item.name) else {
        let known = (operation.parameters ?? []).sorted().joined(separator: ", ")
        throw AdminProblem(
          400,
          "unknown parameter \(ReportFormatter.quoted(item.name)); "
            + (known.isEmpty ? "there are none" : "known are: \(known)"))
      }
      guard query.updateValue(item.value, forKey: item.name) == nil else {
        throw AdminProblem(400, "the parameter \(item.name) occurs twice")
      }
    }
    self.query = query
    body = try Self.body(of: request, operation, limit: limit)
  }

  private static func body(
    of request: ReceivedRequest, _ operation: AdminOperation, limit: Int
  ) throws -> StubValue? {
    guard request.bodyByteCount <= limit else {
      throw AdminProblem(413, "a body has at most \(limit >> 20) MiB")
    }
    guard !request.body.isEmpty else {
      if operation.body == .required { throw AdminProblem(400, "the request needs a JSON body") }
      return nil
    }
    guard operation.body != .none else { throw AdminProblem(400, "the request has no body") }
    let type = request.headers["Content-Type"].flatMap(MediaType.init(_:))
    let types = ["application/json"] + (operation.method == .patch ? [mergePatch] : [])
    guard let type, types.contains("\(type.type)/\(type.subtype)"),
      !request.headers.contains("Content-Encoding")
    else {
      throw AdminProblem(415, "the body must have the type \(types.joined(separator: " or "))")
    }
    let json = try JSONDocumentError.json(in: JSONDocumentError.text(of: request.body))
    return StubValue(json: json, path: JSONValuePath())
  }

  private static let mergePatch = "application/merge-patch+json"

  // MARK: Values

  /// The value of a variable of the path.
  subscript(variable: String) -> String { variables[variable] ?? "" }

  /// Returns the value of a parameter of the query, or `nil` if it is not given.
  func text(_ name: String) -> String? { query[name] }

  /// Returns a number of the query.
  func number(_ name: String, _ range: ClosedRange<Int>) throws(AdminProblem) -> Int? {
    guard let text = query[name] else { return nil }
    guard let number = Self.number(text), range.contains(number) else {
      let limits =
        range.upperBound == .max
        ? "\(range.lowerBound) or more" : "\(range.lowerBound) to \(range.upperBound)"
      throw AdminProblem(400, "the parameter \(name) is a number, \(limits)")
    }
    return number
  }

  /// Returns a number of the path, or `nil` for another text.
  func number(ofPath name: String) -> Int? { Self.number(self[name]) }

  /// Parses decimal digits.
  private static func number(_ text: String) -> Int? {
    text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(text) : nil
  }

  /// Returns a Boolean of the query.
  func flag(_ name: String) throws(AdminProblem) -> Bool? {
    switch query[name] {
    case nil: return nil
    case "true": return true
    case "false": return false
    default: throw AdminProblem(400, "the parameter \(name) is true or false")
    }
  }

  /// Returns the body as an object with known members.
  func object(_ names: [String], _ expectation: String) throws(JSONDocumentError) -> StubObject {
    try (body ?? StubValue(json: [:], path: JSONValuePath())).object(names, expectation)
  }
}

/// The reason why the admin API refuses a request, sent as problem details.
///
/// Source: RFC 9457.
struct AdminProblem: Error {
  let status: Int
  var detail: String
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
    case .invalidTemplate, .invalidPattern, .invalidJSONPath, .cannotListen, .forgotten, .tlsFailed:
      422
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
