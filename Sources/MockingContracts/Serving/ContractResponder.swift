import CatenaSystem
import Foundation
import Mocking
import Networking

/// The responses of an operation of a contract.
final class ContractResponder: Sendable {
  let content: Contract.Content
  let operation: ContractOperation
  /// The path, with that of the server.
  private let path: ContractPath
  let seed: UInt64
  private let validates: Bool
  /// Whether bodies are made from their schemas, if the client has no other wish.
  private let isDynamic: Bool
  /// The responses to GET, if the operation is that of HEAD.
  private let get: ContractResponder?
  /// The responses to requests whose only preference is an `Accept` field, by its value.
  private let responses = Mutex<[String: Mock]>([:])
  /// The bodies that have been made.
  private let cache = Mutex<[BodyKey: Mock]>([:])
  /// Held while a body is made, so that concurrent first requests do not make it more than once.
  private let making = Mutex(())
  /// The steps and bytes of all bodies that have been made.
  private let work = Mutex(0)
  /// The values for header fields and lists, of which the document bounds the number.
  private let samples = Mutex<[SampleKey: SchemaSample]>([:])
  /// The body around an item or a list, once it has been made.
  private let envelope = Mutex<JSON?>(nil)

  /// A body that is the same for all requests.
  private struct BodyKey: Hashable {
    let code: ContractResponse.Code
    let type: String
    let example: String?
    let isDynamic: Bool
  }

  private struct SampleKey: Hashable {
    let schema: Int
    let seed: UInt64
  }

  init(
    _ operation: ContractOperation, at path: ContractPath, of content: Contract.Content,
    seed: UInt64, validates: Bool, isDynamic: Bool = false
  ) {
    self.content = content
    self.operation = operation
    self.path = path
    self.validates = validates
    self.isDynamic = isDynamic
    // Each operation has numbers of its own, whatever the other operations are.
    self.seed = seed ^ Checksum("\(operation.method) \(operation.path)".utf8).value
    get =
      operation.method == .head
      ? content.operations.first { $0.method == .get && $0.path == operation.path }.map {
        ContractResponder(
          $0, at: path, of: content, seed: seed, validates: false, isDynamic: isDynamic)
      } : nil
  }

  /// Returns the response to a request.
  func respond(to request: ReceivedRequest) -> Mock {
    if let problem = problem(of: request) { return problem }
    guard let accepted = RequestPreferences.accepted(by: request) else {
      return response(to: request).mock
    }
    if let known = responses.withLock({ $0[accepted] }) { return known }
    let (mock, isSame) = response(to: request)
    if isSame {
      responses.withLock { responses in
        if responses.count < Self.maximumResponseCount { responses[accepted] = mock }
      }
    }
    return mock
  }

  /// The limit for the number of values of `Accept` whose responses are kept.
  private static let maximumResponseCount = 64

  /// Returns the response to a valid request, and whether requests with equal preferences have the same.
  private func response(to request: ReceivedRequest) -> (mock: Mock, isSame: Bool) {
    let preferences = RequestPreferences(request)
    let codes = operation.responses.map(\.code.description).joined(separator: ", ")
    if let (text, isStatus) = preferences.problem {
      let values = isStatus ? codes.isEmpty ? "200 to 599" : codes : "true, false"
      let detail = "\(text) is not understood; the allowed values: \(values)"
      return (.problem(400, detail), false)
    }
    guard !operation.responses.isEmpty else {
      let status = preferences.status.flatMap { (200...599).contains($0) ? $0 : nil }
      return (Mock(status: status ?? 200), false)
    }
    guard let (status, response) = choose(preferences) else {
      let detail = "the operation has no response for the preferred code; it has \(codes)"
      return (.problem(404, detail), false)
    }
    guard !response.content.isEmpty else {
      let mock = headers(of: response, Mock(status: status), request)
      return (operation.method == .head ? head(mock, to: request) : mock, false)
    }
    guard let media = preferences.choose(from: response.content) else {
      let types = response.content.map(\.text).joined(separator: ", ")
      return (.problem(406, "the operation responds with \(types)"), false)
    }
    let mock = headers(of: response, body(media, status, of: response, preferences), request)
    return (mock, !response.headers.contains(where: \.dependsOnRequest))
  }

  /// Returns the response to a request that does not keep the contract, or `nil` if it does.
  func problem(of request: ReceivedRequest) -> Mock? {
    guard validates else { return nil }
    func check() -> Mock? {
      let values = path.values(in: request.path.text[...])
      let checker = RequestChecker(contract: content, operation: operation)
      return checker.check(request, path: values).map { result in
        problem(
          result.status, result.detail + (result.status == 401 ? "; any value is accepted" : ""),
          errors: result.violations.prefix(100).map(\.json),
          RequestPreferences(request))
      }
    }
    // Fast path: without a body, a second check takes less time than keeping the result of the first one.
    return request.bodyByteCount == 0 ? check() : request.result(of: self, check)
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
  ///
  /// The document bounds the number of bodies: all statuses of a class, or of the default, have one.
  func body(
    _ media: ContractMedia, _ status: Int, of response: ContractResponse,
    _ preferences: RequestPreferences
  ) -> Mock {
    if let name = preferences.example, !media.examples.contains(where: { $0.name == name }) {
      let names = media.examples.map(\.name)
      return .problem(
        404,
        names.isEmpty
          ? "the response has no examples in the document"
          : "there is no example with the preferred name; there are \(names.joined(separator: ", "))"
      )
    }
    let key = key(media, of: response, preferences)
    func known() -> Mock? { cache.withLock { $0[key] } }
    var mock =
      known()
      ?? making.withLock { _ in
        if let made = known() { return made }
        let mock = makeBody(media, response.code, preferences)
        cache.withLock { $0[key] = mock }
        return mock
      }
    if mock.status == 200 { mock.status = status }
    return mock
  }

  private func key(
    _ media: ContractMedia, of response: ContractResponse, _ preferences: RequestPreferences
  ) -> BodyKey {
    BodyKey(
      code: response.code, type: media.text, example: preferences.example,
      isDynamic: preferences.isDynamic ?? self.isDynamic)
  }

  /// Returns whether the body for a valid request has yet to be made, which takes long for some schemas.
  func needsBody(for request: ReceivedRequest) -> Bool {
    if let get { return get.needsBody(for: request) }
    if let accepted = RequestPreferences.accepted(by: request),
      responses.withLock({ $0[accepted] != nil })
    {
      return false
    }
    let preferences = RequestPreferences(request)
    guard preferences.problem == nil, let (_, response) = choose(preferences),
      let media = preferences.choose(from: response.content)
    else { return false }
    return cache.withLock { $0[key(media, of: response, preferences)] == nil }
  }

  private func makeBody(
    _ media: ContractMedia, _ code: ContractResponse.Code, _ preferences: RequestPreferences
  ) -> Mock {
    let (value, violation) = value(of: media, code, preferences)
    let isExample = media.examples.contains { $0.value == value } || media.schema == nil
    let body = SampleBody(program: content.program, media: media)
    guard let data = body.data(of: value, isExample: isExample) else {
      return .problem(500, "the example of the response cannot be written as JSON")
    }
    var mock = Mock.data(data, contentType: body.contentType)
    if let violation {
      let detail = "the body does not keep its schema: \(violation)"
      if content.refusesInvalidExamples { return .problem(500, detail) }
      mock.headers["Contract-Warning"] = Self.fieldText(detail)
    }
    return mock
  }

  /// Returns the value of a body, and a violation if it does not keep its schema.
  private func value(
    of media: ContractMedia, _ code: ContractResponse.Code, _ preferences: RequestPreferences
  ) -> (value: JSON, violation: String?) {
    let named = preferences.example.flatMap { name in media.examples.first { $0.name == name } }
    guard let schema = media.schema else {
      return ((named ?? media.examples.first)?.value ?? "", nil)
    }
    func violations(of example: JSON) -> [SchemaViolation] {
      var check = SampleCheck(
        schema, of: content, maximumStepCount: SchemaValidator.maximumStepCount)
      defer { count(check.stepCount) }
      return check.violations(of: example)
    }
    let isDynamic = preferences.isDynamic ?? self.isDynamic
    if content.refusesInvalidExamples,
      let example = isDynamic ? named : named ?? media.examples.first
    {
      return (example.value, violations(of: example.value).first?.description)
    }
    if let named { return (named.value, nil) }
    if !isDynamic, let example = media.examples.first(where: { violations(of: $0.value).isEmpty }) {
      return (example.value, nil)
    }
    let number =
      switch code {
      case .status(let status): status
      case .class(let digit): digit * 100
      case .default: 0
      }
    var work = 0
    let sample = SchemaSampler.sample(
      schema, of: content, seed: seed &+ UInt64(number), usesExamples: !isDynamic, counting: &work)
    count(work)
    guard !sample.isValid else { return (sample.value, nil) }
    if let example = media.examples.first {
      return (example.value, violations(of: example.value).first?.description)
    }
    return (sample.value, sample.violations.first?.description ?? "it is too large")
  }

  /// The steps and bytes of all bodies that have been made.
  var workCount: Int { work.withLock { $0 } }

  private func count(_ steps: Int) { work.withLock { $0 += steps } }

  /// Returns a value of a schema, which is made for the first request that needs it.
  func sample(_ schema: Int, seed: UInt64) -> SchemaSample {
    let key = SampleKey(schema: schema, seed: seed)
    if let sample = samples.withLock({ $0[key] }) { return sample }
    let sample = SchemaSampler.sample(schema, of: content, seed: seed)
    samples.withLock { $0[key] = sample }
    return sample
  }

  /// Whether ``envelope(_:of:)`` has been made.
  var hasEnvelope: Bool { envelope.withLock { $0 != nil } }

  /// Returns the body of the successful response of which a collection replaces a part, which is made for
  /// the first request that needs it.
  func envelope(_ media: ContractMedia, of response: ContractResponse) -> JSON {
    if let known = envelope.withLock({ $0 }) { return known }
    let value = value(of: media, response.code, RequestPreferences([:])).value
    envelope.withLock { $0 = value }
    return value
  }
}
