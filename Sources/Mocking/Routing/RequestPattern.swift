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
  /// The path template, as in a ``Route``.
  ///
  /// `nil` matches all paths.
  ///
  /// A template with a leading slash matches the whole path. A template without one is relative.
  /// For a ``MockProvider`` whose endpoints have a base URL, it extends the path of the base URL.
  /// If there is no base URL, as for a server, or if the request's path does not start with the
  /// path of the base URL, it matches the end of the request's path, by whole segments.
  public let path: String?
  /// The conditions, all of which a request must meet.
  public private(set) var conditions: [RequestCondition]
  /// The parsed path, or the error in it.
  let pathPattern: Result<PathPattern, MockServerError>?

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
      Result { () throws(MockServerError) in try PathPattern(path) }
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
  /// - Parameter request: The request. A relative ``path`` matches the end of its path.
  /// - Returns: `true` if the method, the path and all conditions match; `false` for a malformed
  ///   pattern.
  public func matches(_ request: ReceivedRequest) -> Bool {
    matches(request, base: nil)
  }

  /// Returns the differences between a request and the pattern.
  ///
  /// - Parameter request: The request. A relative ``path`` matches the end of its path.
  /// - Returns: The differences in the order method, path, conditions. Empty if ``matches(_:)``
  ///   returns `true`.
  public func differences(from request: ReceivedRequest) -> [RequestDifference] {
    differences(from: request, base: nil)
  }

  func matches(_ request: ReceivedRequest, base: [String]?) -> Bool {
    if let method, method != request.method { return false }
    switch pathPattern {
    case .success(let pattern)?:
      guard pattern.matches(request.path.segments, base: base) else { return false }
    case .failure?: return false
    case nil: break
    }
    return conditions.allSatisfy { $0.validationError == nil && $0.isMet(by: request) }
  }

  func differences(from request: ReceivedRequest, base: [String]?) -> [RequestDifference] {
    var differences: [RequestDifference] = []
    if let method, method != request.method {
      differences.append(
        RequestDifference(
          aspect: "method", expected: ReportFormatter.bounded(method.rawValue),
          actual: ReportFormatter.bounded(request.method.rawValue)))
    }
    if let pathPattern, let path {
      let matches = (try? pathPattern.get().matches(request.path.segments, base: base)) ?? false
      if !matches {
        differences.append(
          RequestDifference(
            aspect: "path", expected: ReportFormatter.bounded(path),
            actual: ReportFormatter.bounded(request.path.text)))
      }
    }
    return differences + conditions.flatMap { $0.differences(from: request) }
  }

  /// Returns a hint if the path would match a request with or without its leading slash.
  ///
  /// - Parameters:
  ///   - request: A request that does not match.
  ///   - base: The path segments of the base URL. `nil` if there is no base URL.
  /// - Returns: The hint. `nil` if the path matches, or does not match in either form.
  func pathHint(for request: ReceivedRequest, base: [String]?) -> String? {
    guard let path, let pattern = try? pathPattern?.get(),
      !pattern.matches(request.path.segments, base: base)
    else { return nil }
    let other = pattern.isRelative ? "/" + path : String(path.unicodeScalars.dropFirst())
    guard let pattern = try? PathPattern(other),
      pattern.matches(request.path.segments, base: base)
    else { return nil }
    return "the path \(ReportFormatter.bounded(other)) matches: a path with a leading slash is the "
      + "whole path, and one without follows the path of the base URL"
  }

  /// Returns the distance between a request and the pattern; 0 if the request matches.
  ///
  /// A different path counts more than a different method, and a different method counts more than
  /// a condition that is not met.
  func distance(from request: ReceivedRequest, base: [String]?) -> Int {
    var distance = method.map { $0 == request.method } ?? true ? 0 : 2
    if case .success(let pattern)? = pathPattern {
      let path = pattern.distance(from: request.path.segments, base: base)
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
