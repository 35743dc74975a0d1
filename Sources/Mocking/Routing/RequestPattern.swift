import Networking

/// What a request looks like: its method, its path and whatever else matters.
///
/// One value says it for stubs, which answer requests that look so, and for verification, which counts
/// them.
///
/// ```swift
/// try provider.verify(.post("boards", .json(containing: ["type": 2])), .exactly(2))
/// try provider.verifyOrder(.post("login"), .get("boards"))
/// ```
public struct RequestPattern: Sendable {
  /// The method; nil stands for every one.
  public let method: HTTPMethod?
  /// The path with its variables, as a ``Route`` has it; nil stands for every one.
  ///
  /// With a leading slash it is the whole path. Without one it is relative: to the path of the endpoints'
  /// base URL, from a ``MockProvider`` whose endpoints have one; otherwise, as from a server, it is
  /// whatever the path ends in, by whole segments.
  public let path: String?
  /// What else a request has to have; all of it.
  public private(set) var conditions: [RequestCondition]
  /// The path, read; or what is wrong with it.
  let pathPattern: Result<PathPattern, MockServerError>?

  /// Makes a pattern.
  ///
  /// - Parameters:
  ///   - method: the method; nil stands for every one.
  ///   - path: the path with its variables; nil stands for every one. A malformed one makes nothing match,
  ///     and verification says why.
  ///   - conditions: what else a request has to have; all of it.
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

  /// The same pattern with more conditions.
  ///
  /// - Parameter conditions: what a request has to have as well; all of it.
  /// - Returns: the pattern.
  public func `where`(_ conditions: RequestCondition...) -> RequestPattern {
    adding(conditions)
  }

  func adding(_ conditions: [RequestCondition]) -> RequestPattern {
    var pattern = self
    pattern.conditions += conditions
    return pattern
  }

  /// What is wrong with it, so that nothing can match; nil for nothing.
  var flaw: MockServerError? {
    if case .failure(let error)? = pathPattern { return error }
    return conditions.lazy.compactMap(\.flaw).first
  }
}

extension RequestPattern: CustomStringConvertible {
  /// Method, path and conditions in one line, without secrets: `GET boards where query "page": "2"`.
  public var description: String {
    let head = "\(method?.rawValue ?? "*") \(path ?? "*")"
    guard !conditions.isEmpty else { return head }
    return head + " where " + conditions.map(\.description).joined(separator: " and ")
  }
}

extension RequestPattern {
  /// Whether a request looks so.
  ///
  /// - Parameter request: the request; a relative ``path`` is whatever its path ends in.
  /// - Returns: whether method, path and all conditions hold; false for a malformed pattern.
  public func matches(_ request: ReceivedRequest) -> Bool {
    matches(request, base: nil)
  }

  /// In what a request does not look so.
  ///
  /// - Parameter request: the request; a relative ``path`` is whatever its path ends in.
  /// - Returns: one difference for each aspect, in the order method, path, conditions; empty when
  ///   ``matches(_:)`` is true.
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
    return conditions.allSatisfy { $0.flaw == nil && $0.isMet(by: request) }
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

  /// How much would have to change for a request to match: a path weighs more than a method, and that more
  /// than a condition.
  func distance(from request: ReceivedRequest, base: [String]?) -> Int {
    var distance = method.map { $0 == request.method } ?? true ? 0 : 2
    if case .success(let pattern)? = pathPattern {
      let path = pattern.distance(from: request.path.segments, base: base)
      if path > 0 { distance += 3 + path }
    }
    return distance + conditions.count { !$0.isMet(by: request) }
  }
}

extension RequestPattern {
  /// A GET.
  ///
  /// - Parameters:
  ///   - path: the path with its variables.
  ///   - conditions: what else the request has to have; all of it.
  /// - Returns: the pattern.
  public static func get(_ path: String, _ conditions: RequestCondition...) -> RequestPattern {
    RequestPattern(.get, path, where: conditions)
  }

  /// A POST.
  ///
  /// - Parameters:
  ///   - path: the path with its variables.
  ///   - conditions: what else the request has to have; all of it.
  /// - Returns: the pattern.
  public static func post(_ path: String, _ conditions: RequestCondition...) -> RequestPattern {
    RequestPattern(.post, path, where: conditions)
  }

  /// A PUT.
  ///
  /// - Parameters:
  ///   - path: the path with its variables.
  ///   - conditions: what else the request has to have; all of it.
  /// - Returns: the pattern.
  public static func put(_ path: String, _ conditions: RequestCondition...) -> RequestPattern {
    RequestPattern(.put, path, where: conditions)
  }

  /// A PATCH.
  ///
  /// - Parameters:
  ///   - path: the path with its variables.
  ///   - conditions: what else the request has to have; all of it.
  /// - Returns: the pattern.
  public static func patch(_ path: String, _ conditions: RequestCondition...) -> RequestPattern {
    RequestPattern(.patch, path, where: conditions)
  }

  /// A DELETE.
  ///
  /// - Parameters:
  ///   - path: the path with its variables.
  ///   - conditions: what else the request has to have; all of it.
  /// - Returns: the pattern.
  public static func delete(_ path: String, _ conditions: RequestCondition...) -> RequestPattern {
    RequestPattern(.delete, path, where: conditions)
  }

  /// A request of any method.
  ///
  /// - Parameters:
  ///   - path: the path with its variables; nil stands for every one.
  ///   - conditions: what else the request has to have; all of it.
  /// - Returns: the pattern.
  public static func any(
    _ path: String? = nil, _ conditions: RequestCondition...
  ) -> RequestPattern {
    RequestPattern(nil, path, where: conditions)
  }
}
