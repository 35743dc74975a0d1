import Networking

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
          aspect: "method", expected: ReportText.bounded(method.rawValue),
          actual: ReportText.bounded(request.method.rawValue)))
    }
    if let pathPattern, let path {
      let matches = (try? pathPattern.get().matches(request.path.segments, base: base)) ?? false
      if !matches {
        differences.append(
          RequestDifference(
            aspect: "path", expected: ReportText.bounded(path),
            actual: ReportText.bounded(request.path.text)))
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
