import Foundation
import Mocking
import Networking

/// The responses to requests that do not keep the contract, or that a collection refuses.
extension ContractResponder {
  /// Returns the response to a request that does not keep the contract.
  ///
  /// If the document has another body for the status, or an example without a schema, that body is
  /// sent, so that the response keeps the contract, and the violations are in the field
  /// `Contract-Violation`.
  ///
  /// - Parameters:
  ///   - status: The status.
  ///   - detail: The description.
  ///   - errors: The violations.
  ///   - preferences: The preferences of the client.
  /// - Returns: The response.
  func problem(
    _ status: Int, _ detail: String, errors: [JSON],
    _ preferences: RequestPreferences = RequestPreferences([:])
  ) -> Mock {
    let members: [String: JSON] = errors.isEmpty ? [:] : ["errors": .array(errors)]
    var mock = Mock.problem(status, detail, members: members)
    if status == 401 { mock.headers = addingChallenges(to: mock.headers) }
    guard let response = operation.response(for: status),
      let media = Self.problemMedia(in: response.content, preferences),
      case .data(let data) = mock.body, let value = try? JSON(parsing: data)
    else { return mock }
    // An example of another response would hide the violation.
    var wishes = preferences.status == status ? preferences : RequestPreferences([:])
    let isDocumented = media.schema == nil && !media.examples.isEmpty || !media.isJSON
    if !isDocumented, wishes.example == nil, media.schema.map({ keeps(value, $0) }) ?? true {
      mock.headers["Content-Type"] = media.text
      return mock
    }
    if wishes.example == nil {
      wishes.example =
        media.examples.first { example in
          Self.names(status, in: example.value)
            && media.schema.map { keeps(example.value, $0) } ?? true
        }?.name
    }
    var documented = body(media, status, of: response, wishes)
    for error in errors.prefix(20) {
      documented.headers.add(
        Self.fieldText(error["detail"].string ?? ""), for: "Contract-Violation")
    }
    if media.isJSON, media.examples.isEmpty, let schema = media.schema {
      describe(&documented, status, detail, schema)
    }
    // A refusal by a collection, such as that of a missing item.
    if errors.isEmpty { documented.headers["Contract-Problem"] = Self.fieldText(detail) }
    for value in mock.headers.values(for: "WWW-Authenticate") {
      documented.headers.add(value, for: "WWW-Authenticate")
    }
    return documented
  }

  /// Sets the status and the reason in a body that was made from its schema, if it keeps it with them.
  private func describe(_ mock: inout Mock, _ status: Int, _ detail: String, _ schema: Int) {
    guard case .data(let data) = mock.body, let body = try? JSON(parsing: data) else { return }
    func described(_ value: JSON) -> JSON {
      guard case .dictionary(let members) = value else { return value }
      return .dictionary(
        Dictionary(
          uniqueKeysWithValues: members.map { name, value in
            switch value {
            case .int where ["status", "statusCode", "status_code"].contains(name):
              (name, .int(status))
            case .string where ["message", "detail", "error_description"].contains(name):
              (name, .string(detail))
            default: (name, described(value))
            }
          }))
    }
    let result = described(body)
    guard result != body, keeps(result, schema), let data = try? result.data() else { return }
    mock.body = .data(data)
  }

  /// Returns whether the body of an error, or a member of it, has a status.
  private static func names(_ status: Int, in body: JSON) -> Bool {
    let members = body.dictionary ?? [:]
    let own = ["status", "status_code", "statusCode", "code"].contains { name in
      members[name] == .int(status) || members[name] == .string("\(status)")
    }
    return own || members.values.contains { $0.dictionary != nil && names(status, in: $0) }
  }

  /// The limit for the steps of the check of problem details, which each invalid request needs.
  private static let maximumProblemStepCount = 100_000

  private func keeps(_ problem: JSON, _ schema: Int) -> Bool {
    content.violations(
      of: problem, schema, .response, maximumStepCount: Self.maximumProblemStepCount
    ).isEmpty
  }

  /// Returns the media type for problem details: of those that the client likes equally, that of
  /// problem details, then one of JSON.
  private static func problemMedia(
    in content: [ContractMedia], _ preferences: RequestPreferences
  ) -> ContractMedia? {
    let described = content.filter { $0.schema != nil || !$0.examples.isEmpty || $0.isJSON }
    let json = described.filter(\.isJSON)
    let ordered = json.filter { $0.type.subtype == "problem+json" } + json + described
    return preferences.choose(from: ordered) ?? ordered.first
  }

  /// Returns a text without characters that a header field cannot have.
  static func fieldText(_ text: String) -> String {
    text.unicodeScalars.prefix(500).map { scalar in
      (0x20...0x7E).contains(scalar.value) ? String(scalar) : "?"
    }.joined()
  }

  /// Adds a challenge for each scheme of the operation with which a client can respond.
  ///
  /// A challenge of Digest needs values that only a server with passwords has.
  ///
  /// Source: RFC 9110 section 11.6.1; RFC 7617; RFC 6750 section 3.
  private func addingChallenges(to headers: HTTPHeaders) -> HTTPHeaders {
    let title = Self.fieldText(content.title).filter { !"\"\\".contains($0) }
    var challenges: [String] = []
    for kind in operation.security.joined().map(\.kind) {
      let scheme: String
      switch kind {
      case .http("digest"), .other: continue
      case .http(let name): scheme = name.capitalized
      case .apiKey: scheme = "ApiKey"
      }
      let challenge = "\(scheme) realm=\"\(title)\""
      if !challenges.contains(challenge) { challenges.append(challenge) }
    }
    var headers = headers
    for challenge in challenges { headers.add(challenge, for: "WWW-Authenticate") }
    return headers
  }
}
