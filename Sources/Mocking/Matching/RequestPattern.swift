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
