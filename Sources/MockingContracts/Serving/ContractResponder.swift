import CatenaSystem
import Foundation
import Mocking
import Networking

/// The responses of an operation of a contract.
final class ContractResponder: Sendable {
  private let content: Contract.Content
  private let operation: ContractOperation
  /// The path, with that of the server.
  private let path: ContractPath
  private let seed: UInt64
  private let validates: Bool
  /// The responses to GET, if the operation is that of HEAD.
  private let get: ContractResponder?
  /// The bodies that have been made.
  private let cache = Mutex<[BodyKey: Mock]>([:])
  /// The values for header fields and lists, of which the document bounds the number.
  private let samples = Mutex<[SampleKey: Sample]>([:])

  /// A body that is the same for all requests.
  private struct BodyKey: Hashable {
    let status: Int
    let type: String
    let example: String?
    let isDynamic: Bool
  }

  /// A value of a schema, and whether it keeps the schema.
  typealias Sample = (value: JSON, isValid: Bool)

  private struct SampleKey: Hashable {
    let schema: Int
    let seed: UInt64
  }

  init(
    _ operation: ContractOperation, at path: ContractPath, of content: Contract.Content,
    seed: UInt64, validates: Bool
  ) {
    self.content = content
    self.operation = operation
    self.path = path
    self.validates = validates
    // Each operation has numbers of its own, whatever the other operations are.
    self.seed = seed ^ Checksum("\(operation.method) \(operation.path)".utf8).value
    get =
      operation.method == .head
      ? content.operations.first { $0.method == .get && $0.path == operation.path }.map {
        ContractResponder($0, at: path, of: content, seed: seed, validates: false)
      } : nil
  }

  /// Returns the response to a request.
  func respond(to request: ReceivedRequest) -> Mock {
    if let problem = problem(of: request) { return problem }
    let preferences = RequestPreferences(request.headers)
    guard !operation.responses.isEmpty else {
      return Mock(status: preferences.status.flatMap { (200...599).contains($0) ? $0 : nil } ?? 200)
    }
    guard let (status, response) = choose(preferences) else {
      let codes = operation.responses.map(\.code.description).joined(separator: ", ")
      return .problem(
        404, "the operation has no response for the preferred code; it has \(codes)")
    }
    guard !response.content.isEmpty else {
      let mock = headers(of: response, Mock(status: status), request)
      return operation.method == .head ? head(mock, to: request) : mock
    }
    guard let media = preferences.choose(from: response.content) else {
      let types = response.content.map(\.text).joined(separator: ", ")
      return .problem(406, "the operation responds with \(types)")
    }
    return headers(of: response, body(media, status, preferences), request)
  }

  /// Returns the response to a request that does not keep the contract, or `nil` if it does.
  func problem(of request: ReceivedRequest) -> Mock? {
    guard validates else { return nil }
    return request.result(of: self) {
      let values = path.values(in: request.path.text[...])
      let checker = RequestChecker(contract: content, operation: operation)
      return checker.check(request, path: values).map(problem)
    }
  }

  private func problem(_ result: RequestChecker.Result) -> Mock {
    problem(result.status, result.detail, errors: result.violations.prefix(100).map(\.json))
  }

  /// Returns a response to HEAD with the length of the response to GET, or without a length if that is
  /// unknown.
  ///
  /// Source: RFC 9110 section 8.6.
  private func head(_ mock: Mock, to request: ReceivedRequest) -> Mock {
    var mock = mock
    let framing = ["Content-Length", "Transfer-Encoding"]
    guard !framing.contains(where: mock.headers.contains) else { return mock }
    if let response = get?.respond(to: request), response.status == mock.status,
      case .data = response.body
    {
      mock.body = response.body
      if !mock.headers.contains("Content-Type") {
        mock.headers["Content-Type"] = response.headers["Content-Type"]
      }
    } else {
      mock.body = .chunks([])
    }
    return mock
  }

  // MARK: Choosing

  private func choose(_ preferences: RequestPreferences) -> (Int, ContractResponse)? {
    if let status = preferences.status {
      guard (200...599).contains(status), let response = operation.response(for: status) else {
        return nil
      }
      return (status, response)
    }
    let exact = operation.responses.compactMap { response in
      // An interim response is none to a request.
      if case .status(let status) = response.code, status >= 200 { (status, response) } else { nil }
    }
    if let success = exact.first(where: { (200...299).contains($0.0) }) { return success }
    if let success = operation.responses.first(where: { $0.code == .class(2) }) {
      return (200, success)
    }
    if let other = operation.responses.first(where: { $0.code == .default }) { return (200, other) }
    if let first = exact.first { return first }
    for response in operation.responses {
      if case .class(let digit) = response.code, digit >= 2 { return (digit * 100, response) }
    }
    return nil
  }

  // MARK: Bodies

  /// Returns a response with a body, which is made for the first request that needs it.
  private func body(
    _ media: ContractMedia, _ status: Int, _ preferences: RequestPreferences
  ) -> Mock {
    let key = BodyKey(
      status: status, type: media.text, example: preferences.example,
      isDynamic: preferences.isDynamic ?? false)
    if let mock = cache.withLock({ $0[key] }) { return mock }
    let mock = makeBody(media, status, preferences)
    // A name comes from a request, so that unknown ones would fill the cache.
    let isKnown = preferences.example.map { name in media.examples.contains { $0.name == name } }
    if isKnown ?? true { cache.withLock { if $0.count < 64 { $0[key] = mock } } }
    return mock
  }

  private func makeBody(
    _ media: ContractMedia, _ status: Int, _ preferences: RequestPreferences
  ) -> Mock {
    guard let value = value(of: media, status, preferences) else {
      return .problem(
        404,
        "there is no example with the preferred name; there are "
          + media.examples.map { $0.name.isEmpty ? "example" : $0.name }.joined(separator: ", "))
    }
    let type = media.type.subtype == "*" || media.type.type == "*" ? "application/json" : media.text
    if media.isJSON || media.type.type == "*" || media.type.subtype == "*" {
      guard let data = try? value.data() else {
        return .problem(500, "the example of the response cannot be written as JSON")
      }
      return .data(data, contentType: type, status: status)
    }
    if case .string(let text) = value {
      return .data(Data(text.utf8), contentType: type, status: status)
    }
    if media.type.subtype == "x-www-form-urlencoded", case .dictionary(let members) = value {
      let fields = members.sorted { $0.key < $1.key }.map { name, value in
        [name, value.string ?? value.description].map(PercentEncoding.form.encoded).joined(
          separator: "=")
      }
      return .data(Data(fields.joined(separator: "&").utf8), contentType: type, status: status)
    }
    guard media.type.type == "text", case .some = try? value.data() else {
      return .problem(
        501,
        "a body of the type \(media.type) is not made from a schema; add an example that is a string"
      )
    }
    return .data(Data(value.description.utf8), contentType: type, status: status)
  }

  /// Returns the value of a body, or `nil` if there is no example with the preferred name.
  private func value(
    of media: ContractMedia, _ status: Int, _ preferences: RequestPreferences
  ) -> JSON? {
    if let name = preferences.example {
      return media.examples.first { $0.name == name }?.value
    }
    let isDynamic = preferences.isDynamic ?? false
    if !isDynamic, let example = media.examples.first(where: { isValid($0.value, media) }) {
      return example.value
    }
    guard let schema = media.schema else { return media.examples.first?.value ?? .string("") }
    let seed = seed &+ UInt64(status)
    let sample = SchemaSampler.sample(schema, of: content, seed: seed, usesExamples: !isDynamic)
    if !sample.isValid, let example = media.examples.first { return example.value }
    return sample.value
  }

  /// Returns a value of a schema, which is made for the first request that needs it.
  func sample(_ schema: Int, seed: UInt64) -> Sample {
    let key = SampleKey(schema: schema, seed: seed)
    if let sample = samples.withLock({ $0[key] }) { return sample }
    let sample = SchemaSampler.sample(schema, of: content, seed: seed)
    samples.withLock { $0[key] = sample }
    return sample
  }

  private func isValid(_ example: JSON, _ media: ContractMedia) -> Bool {
    guard let schema = media.schema else { return true }
    return content.violations(of: example, schema, .response).isEmpty
  }

  // MARK: Header fields

  /// Returns a mock with the header fields of a response that it does not have.
  ///
  /// - Parameters:
  ///   - response: The response of the document.
  ///   - mock: The mock.
  ///   - request: The request, below whose path the new resource of `Location` is.
  /// - Returns: The mock.
  func headers(of response: ContractResponse, _ mock: Mock, _ request: ReceivedRequest) -> Mock {
    var mock = mock
    for (index, header) in response.headers.enumerated() where !mock.headers.contains(header.name) {
      var value = header.example
      if value == nil, header.name.lowercased() == "location" {
        let path = request.path.text + "/1"
        let host = request.headers["Host"] ?? "127.0.0.1"
        value = [path, "http://\(host)\(path)"].map(JSON.string).first { location in
          let schema = header.schema
          return schema.map { content.violations(of: location, $0, .response).isEmpty } ?? true
        }
      }
      if value == nil, let schema = header.schema {
        let sample = sample(schema, seed: seed &+ UInt64(1_000 + index))
        if sample.isValid { value = sample.value }
      }
      guard let value else { continue }
      switch value {
      case .string(let text): mock.headers[header.name] = text
      case .array(let values):
        mock.headers[header.name] = values.map { $0.string ?? $0.description }.joined(
          separator: ",")
      case .dictionary, .null: break
      default: mock.headers[header.name] = value.description
      }
    }
    return mock
  }

  // MARK: Problems

  /// Returns the response to a request that does not keep the contract.
  ///
  /// If the document has another body for the status, that body is sent, so that the response keeps
  /// the contract, and the violations are in the field `Contract-Violation`.
  ///
  /// - Parameters:
  ///   - status: The status.
  ///   - detail: The description.
  ///   - errors: The violations.
  /// - Returns: The response.
  func problem(_ status: Int, _ detail: String, errors: [JSON]) -> Mock {
    let members: [String: JSON] = errors.isEmpty ? [:] : ["errors": .array(errors)]
    var mock = Mock.problem(status, detail, members: members)
    if status == 401 { mock.headers["WWW-Authenticate"] = authenticate }
    guard let response = operation.response(for: status), !response.content.isEmpty,
      case .data(let data) = mock.body, let value = try? JSON(parsing: data)
    else { return mock }
    let problemType = response.content.first { $0.type.description == "application/problem+json" }
    guard let media = problemType ?? response.content.first(where: \.isJSON) else { return mock }
    let keeps = media.schema.map { content.violations(of: value, $0, .response).isEmpty } ?? true
    if keeps {
      mock.headers["Content-Type"] = media.text
      return mock
    }
    var documented = body(media, status, RequestPreferences([:]))
    for error in errors.prefix(20) {
      let text = (error["detail"].string ?? "").unicodeScalars.map { scalar in
        (0x20...0x7E).contains(scalar.value) ? String(scalar) : "?"
      }
      documented.headers.add(text.joined(), for: "Contract-Violation")
    }
    if let value = mock.headers["WWW-Authenticate"] {
      documented.headers["WWW-Authenticate"] = value
    }
    return documented
  }

  private var authenticate: String {
    for case .http(let scheme) in operation.security.joined().map(\.kind) {
      return scheme == "basic" ? "Basic realm=\"api\"" : scheme.capitalized
    }
    return "ApiKey"
  }
}
