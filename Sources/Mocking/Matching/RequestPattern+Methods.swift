import Networking

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
