import Foundation

/// The interceptors of a client, in one list for each level.
///
/// ```swift
/// networking.interceptors.append(Stopwatch())
/// networking.interceptors.append(signing, at: .hop)
/// networking.interceptors = [Stopwatch(), RefreshInterceptor { _ in try await session.renew() }]
/// ```
///
/// An array literal has interceptors of the level ``InterceptorLevel/call`` and none of the other
/// levels. At each level the first interceptor is the outermost: it receives requests first and
/// responses last.
public struct InterceptorList: Sendable, ExpressibleByArrayLiteral {
  private var levels: [[any Interceptor]]
  /// The identity of the interceptors inside the retries, which each change replaces.
  ///
  /// `nil` if there have never been any.
  private(set) var innerRevision: UUID?

  /// Creates a list of interceptors of the level ``InterceptorLevel/call``.
  ///
  /// - Parameter interceptors: The interceptors, outermost first.
  public init(arrayLiteral interceptors: any Interceptor...) {
    levels = [interceptors, [], [], []]
  }

  /// The interceptors of a level, outermost first.
  ///
  /// ```swift
  /// networking.interceptors[.hop].insert(tracing, at: 0)
  /// networking.interceptors[.call].removeAll { $0 is Stopwatch }
  /// ```
  ///
  /// - Parameter level: The level.
  public subscript(level: InterceptorLevel) -> [any Interceptor] {
    get { levels[level.index] }
    set {
      levels[level.index] = newValue
      if level != .call { innerRevision = UUID() }
    }
  }

  /// The number of interceptors of all levels.
  public var count: Int { levels.reduce(0) { $0 + $1.count } }

  /// Whether there are no interceptors at any level.
  public var isEmpty: Bool { count == 0 }

  /// Adds an interceptor inside those of its level.
  ///
  /// - Parameters:
  ///   - interceptor: The interceptor.
  ///   - level: The level.
  public mutating func append(
    _ interceptor: any Interceptor, at level: InterceptorLevel = .call
  ) {
    self[level].append(interceptor)
  }

  /// Removes the interceptors of all levels.
  public mutating func removeAll() { self = [] }

  /// Unavailable: a closure is not an interceptor.
  @available(
    *, unavailable,
    message:
      "import NetworkingInterceptors, and pass RequestAdapter { request in … } or ResponseInterceptor { result, request in … }"
  )
  public mutating func append<Output>(
    _ adapt: (_ request: inout HTTPRequest) async throws -> Output,
    at level: InterceptorLevel = .call
  ) {}
}
