import Synchronization

/// A value that is visible in all tasks started and all handlers attached within an operation.
///
/// The task-local values of a task reach its child tasks, but not a handler that a promise
/// dispatches to a queue. A scope reaches both, at any time and in any context, including handlers
/// attached inside those handlers. It does not reach actions of ``Resolver/onCancel(_:)`` or work
/// that ``Promise/init(on:file:line:_:)`` dispatches to a context.
@usableFromInline
package struct HandlerScope: Sendable {
  /// The value of the scope.
  package let value: any Sendable

  /// The innermost scope of the current task.
  ///
  /// `nil` outside all scopes.
  @TaskLocal package static var current: HandlerScope?
  /// Whether any scope has been entered in this process.
  ///
  /// While `false`, ``current`` is not read.
  @usableFromInline static let isUsed = Atomic(false)

  /// Creates a scope.
  ///
  /// - Parameter value: The value to make visible.
  package init(_ value: some Sendable) {
    self.value = value
  }

  /// Runs an operation within this scope.
  ///
  /// - Parameters:
  ///   - isolation: The isolation of the caller. The operation keeps it.
  ///   - operation: The operation that starts tasks and attaches handlers.
  /// - Returns: The result of `operation`.
  /// - Throws: The error that `operation` throws.
  package func run<Result>(
    isolation: isolated (any Actor)? = #isolation, _ operation: () async throws -> Result
  ) async rethrows -> Result {
    Self.isUsed.store(true, ordering: .relaxed)
    return try await Self.$current.withValue(self, operation: operation)
  }

  /// Returns a closure that runs `work` within the scope that is current now.
  ///
  /// - Parameter work: The closure to wrap.
  /// - Returns: The wrapped closure. Outside all scopes, `work` itself.
  @inlinable
  package static func capturing<Result>(
    _ work: @escaping @Sendable () -> Result
  ) -> @Sendable () -> Result {
    isUsed.load(ordering: .relaxed) ? capturingCurrent(work) : work
  }

  /// The slow path of `capturing`.
  ///
  /// Not inlined, so that callers without a scope only perform one check.
  @usableFromInline
  static func capturingCurrent<Result>(
    _ work: @escaping @Sendable () -> Result
  ) -> @Sendable () -> Result {
    guard let scope = current else { return work }
    return { $current.withValue(scope, operation: work) }
  }

  /// Returns a closure with an argument that runs `work` within the scope that is current now.
  ///
  /// - Parameter work: The closure to wrap.
  /// - Returns: The wrapped closure. Outside all scopes, `work` itself.
  static func capturing<Argument, Result>(
    _ work: @escaping @Sendable (Argument) throws -> Result
  ) -> @Sendable (Argument) throws -> Result {
    guard isUsed.load(ordering: .relaxed), let scope = current else { return work }
    return { argument in try $current.withValue(scope) { try work(argument) } }
  }

  /// Returns a context that runs handlers in `context`, within the scope that is current now.
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

    func adapting(_ explicit: ExecutionContext) -> ExecutionContext {
      base.adapting(explicit)
    }
  }
}
