import Synchronization

/// A value that the tasks started and the handlers attached within a task all see.
///
/// A task's local values reach the tasks that it starts, but not a handler that a promise sends to a
/// queue. This one reaches both, whenever and in whatever context they run, and the handlers attached
/// inside those handlers. Only the closure of an operator that runs where its promise settles, such as
/// `map`, does not see it.
@usableFromInline
package struct HandlerScope: Sendable {
  /// What is seen.
  package let value: any Sendable

  /// The innermost scope here; nil outside of all.
  @TaskLocal package static var current: HandlerScope?
  /// Whether there has been a scope in this process: without one nobody asks for the current.
  @usableFromInline static let isUsed = Atomic(false)

  /// Makes a scope.
  ///
  /// - Parameter value: what is to be seen.
  package init(_ value: some Sendable) {
    self.value = value
  }

  /// Runs an operation within this scope.
  ///
  /// - Parameters:
  ///   - isolation: the caller's, which the operation keeps.
  ///   - operation: starts tasks and attaches handlers.
  /// - Returns: what it returns.
  /// - Throws: what it throws.
  package func run<Result>(
    isolation: isolated (any Actor)? = #isolation, _ operation: () async throws -> Result
  ) async rethrows -> Result {
    Self.isUsed.store(true, ordering: .relaxed)
    return try await Self.$current.withValue(self, operation: operation)
  }

  /// Work that runs within the scope that is the current one now, wherever it is called.
  ///
  /// - Parameter work: the work.
  /// - Returns: the same work; itself outside of all scopes.
  @inlinable
  package static func capturing<Result>(
    _ work: @escaping @Sendable () -> Result
  ) -> @Sendable () -> Result {
    isUsed.load(ordering: .relaxed) ? capturingCurrent(work) : work
  }

  /// Apart from the other, so that a scope costs those nothing who have none.
  @usableFromInline
  static func capturingCurrent<Result>(
    _ work: @escaping @Sendable () -> Result
  ) -> @Sendable () -> Result {
    guard let scope = current else { return work }
    return { $current.withValue(scope, operation: work) }
  }

  /// Work with an argument that runs within the scope that is the current one now, wherever it is called.
  ///
  /// - Parameter work: the work.
  /// - Returns: the same work; itself outside of all scopes.
  static func capturing<Argument, Result>(
    _ work: @escaping @Sendable (Argument) throws -> Result
  ) -> @Sendable (Argument) throws -> Result {
    guard isUsed.load(ordering: .relaxed), let scope = current else { return work }
    return { argument in try $current.withValue(scope) { try work(argument) } }
  }

  /// The context as handlers attached here have it.
  @usableFromInline
  static func scoped(_ context: ExecutionContext) -> ExecutionContext {
    guard let current else { return context }
    return ExecutionContext(.custom(ScopedContext(base: context, scope: current)))
  }

  private final class ScopedContext: CustomContext {
    let base: ExecutionContext
    let scope: HandlerScope

    init(base: ExecutionContext, scope: HandlerScope) {
      self.base = base
      self.scope = scope
    }

    func enqueue(_ job: @escaping Job) {
      base.run { [scope] in HandlerScope.$current.withValue(scope, operation: job) }
    }

    func adopting(_ explicit: ExecutionContext) -> ExecutionContext {
      base.combined(with: explicit)
    }
  }
}
