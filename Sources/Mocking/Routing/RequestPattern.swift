public import Networking

/// A pattern for requests: a method, a path and conditions.
///
/// Stubs use patterns to select the requests to respond to. Verification uses them to count
/// requests.
///
/// ```swift
/// try provider.verify(.post("boards", .json(containing: ["type": 2])), .exactly(2))
/// try provider.verifyOrder(.post("login"), .get("boards"))
/// ```
public struct RequestPattern: Sendable {
  /// The method.
  ///
  /// `nil` matches all methods.
  public let method: HTTPMethod?
  /// The path template as written.
  ///
  /// `nil` matches all paths.
  ///
  /// All of Mocking names paths by this rule: routes, verifications, stub files and the admin API.
  ///
  /// - A leading slash makes no difference: `boards` and `/boards` are the same template.
  /// - It matches the part of a request's path after the path of the client's base URL, or the
  ///   whole path. With the base URL `https://api.example.com/v1`, `boards` and `/v1/boards` match a
  ///   request for the endpoint `boards`. A ``MockServer`` does not know base URLs, and compares the
  ///   whole path.
  /// - `{name}` matches one segment that is not empty. `{name*}`, at the end of the template, matches
  ///   all remaining segments, even none. `{name:[0-9]+}` matches a segment that the regular expression
  ///   matches as a whole.
  /// - The spellings `:name`, `:name*`, `{*name}` and `**` of other tools are accepted. `*` is an error,
  ///   because its meaning differs between tools. A literal asterisk is `%2A`, and a literal colon at
  ///   the start of a segment is `%3A`.
  /// - A template has no scheme, no host and no query. Conditions, such as `.query("page", "2")`,
  ///   test the query.
  public let path: String?
  /// The conditions, all of which a request must meet.
  public private(set) var conditions: [RequestCondition]
  /// The parsed path, or the error in it.
  let pathPattern: Result<PathTemplate, MockServerError>?

  /// Creates a pattern.
  ///
  /// - Parameters:
  ///   - method: The method. `nil` matches all methods.
  ///   - path: The path template. `nil` matches all paths. A malformed template matches nothing,
  ///     and verification reports the error.
  ///   - conditions: The conditions. A request must meet all of them.
  public init(
    _ method: HTTPMethod? = nil, _ path: String? = nil, where conditions: [RequestCondition] = []
  ) {
    self.method = method
    self.path = path
    self.conditions = conditions
    pathPattern = path.map { path in
      Result { () throws(MockServerError) in try PathTemplate(path) }
    }
  }

  /// Returns a copy with more conditions.
  ///
  /// - Parameter conditions: Additional conditions. A request must meet all of them.
  /// - Returns: The pattern.
  public func `where`(_ conditions: RequestCondition...) -> RequestPattern {
    adding(conditions)
  }

  func adding(_ conditions: [RequestCondition]) -> RequestPattern {
    copy(of: self) { $0.conditions += conditions }
  }

  /// The error in the pattern, or `nil` if it is valid.
  package var validationError: MockServerError? {
    if case .failure(let error)? = pathPattern { return error }
    return conditions.lazy.compactMap(\.validationError).first
  }
}

extension RequestPattern: CustomStringConvertible {
  /// The method, the path and the conditions on one line, with secrets masked:
  /// `GET boards where query "page": "2"`.
  public var description: String {
    let head = "\(method?.rawValue ?? "*") \(path ?? "*")"
    guard !conditions.isEmpty else { return head }
    return head + " where " + conditions.map(\.description).joined(separator: " and ")
  }
}

extension RequestPattern {
  /// Returns whether a request matches.
  ///
  /// - Parameter request: The request.
  /// - Returns: `true` if the method, the path and all conditions match; `false` for a malformed
  ///   pattern.
  public func matches(_ request: ReceivedRequest) -> Bool {
    if let method, method != request.method { return false }
    switch pathPattern {
    case .success(let pattern)?:
      guard pattern.matches(request.path) else { return false }
    case .failure?: return false
    case nil: break
    }
    return conditions.allSatisfy { $0.validationError == nil && $0.isMet(by: request) }
  }

  /// Returns the differences between a request and the pattern.
  ///
  /// - Parameter request: The request.
  /// - Returns: The differences in the order method, path, conditions. Empty if ``matches(_:)``
  ///   returns `true`.
  public func differences(from request: ReceivedRequest) -> [RequestDifference] {
    var differences: [RequestDifference] = []
    if let method, method != request.method {
      differences.append(
        RequestDifference(
          aspect: "method", expected: ReportFormatter.bounded(method.rawValue),
          actual: ReportFormatter.bounded(request.method.rawValue)))
    }
    if let pathPattern, let path {
      let matches = (try? pathPattern.get().matches(request.path)) ?? false
      if !matches {
        differences.append(
          RequestDifference(
            aspect: "path", expected: ReportFormatter.bounded(path),
            actual: ReportFormatter.bounded(request.path.text)))
      }
    }
    return differences + conditions.flatMap { $0.differences(from: request) }
  }

  /// Returns a hint if the path matches only the end of a request's path.
  ///
  /// - Parameter request: A request that does not match.
  /// - Returns: The hint. `nil` if the path matches, or does not match the end.
  func pathHint(for request: ReceivedRequest) -> String? {
    guard let pattern = try? pathPattern?.get(), !pattern.matches(request.path),
      request.path.segments.indices.contains(where: {
        pattern.matches(ReceivedPath(text: "", Array(request.path.segments[$0...])))
      })
    else { return nil }
    return "a path is the whole path of a request, or the part after the base URL of its client"
  }

  /// Returns the distance between a request and the pattern; 0 if the request matches.
  ///
  /// A different path counts more than a different method, and a different method counts more than
  /// a condition that is not met.
  func distance(from request: ReceivedRequest) -> Int {
    var distance = method.map { $0 == request.method } ?? true ? 0 : 2
    if case .success(let pattern)? = pathPattern {
      let path = pattern.distance(from: request.path)
      if path > 0 { distance += 3 + path }
    }
    return distance + conditions.count { !$0.isMet(by: request) }
  }

  // MARK: Patterns by method

  /// Returns a pattern for GET requests.
  ///
  /// - Parameters:
  ///   - path: The path template.
  ///   - conditions: The conditions. A request must meet all of them.
  /// - Returns: The pattern.
  public static func get(_ path: String, _ conditions: RequestCondition...) -> RequestPattern {
    RequestPattern(.get, path, where: conditions)
  }

  /// Returns a pattern for POST requests.
  ///
  /// - Parameters:
  ///   - path: The path template.
  ///   - conditions: The conditions. A request must meet all of them.
  /// - Returns: The pattern.
  public static func post(_ path: String, _ conditions: RequestCondition...) -> RequestPattern {
    RequestPattern(.post, path, where: conditions)
  }

  /// Returns a pattern for PUT requests.
  ///
  /// - Parameters:
  ///   - path: The path template.
  ///   - conditions: The conditions. A request must meet all of them.
  /// - Returns: The pattern.
  public static func put(_ path: String, _ conditions: RequestCondition...) -> RequestPattern {
    RequestPattern(.put, path, where: conditions)
  }

  /// Returns a pattern for PATCH requests.
  ///
  /// - Parameters:
  ///   - path: The path template.
  ///   - conditions: The conditions. A request must meet all of them.
  /// - Returns: The pattern.
  public static func patch(_ path: String, _ conditions: RequestCondition...) -> RequestPattern {
    RequestPattern(.patch, path, where: conditions)
  }

  /// Returns a pattern for DELETE requests.
  ///
  /// - Parameters:
  ///   - path: The path template.
  ///   - conditions: The conditions. A request must meet all of them.
  /// - Returns: The pattern.
  public static func delete(_ path: String, _ conditions: RequestCondition...) -> RequestPattern {
    RequestPattern(.delete, path, where: conditions)
  }

  /// Returns a pattern for requests with any method.
  ///
  /// - Parameters:
  ///   - path: The path template. `nil` matches all paths.
  ///   - conditions: The conditions. A request must meet all of them.
  /// - Returns: The pattern.
  public static func any(
    _ path: String? = nil, _ conditions: RequestCondition...
  ) -> RequestPattern {
    RequestPattern(nil, path, where: conditions)
  }
}
