// A closure written in the code of an actor inherits the isolation of this code: the operators
// declare their closures with `@_inheritActorContext` and `@isolated(any)`. Such a closure runs on its
// actor, in whose context the operator dispatches it. The context already ensures the isolation, so
// that the closure is then called like any other.

extension ExecutionContext {
  /// Returns the context of an actor.
  ///
  /// - Parameter actor: The actor to which a closure is isolated.
  /// - Returns: The context. It is ``main`` for the main actor, and `nil` for `nil`.
  @usableFromInline
  package static func isolated(to actor: (any Actor)?) -> ExecutionContext? {
    guard let actor else { return nil }
    return actor === MainActor.shared ? .main : ExecutionContext(.actor(actor))
  }
}

/// Runs a job on an actor, after the jobs that were passed before.
///
/// The job receives no task-local values, as on a dispatch queue.
///
/// - Parameters:
///   - actor: The actor.
///   - job: The closure, which may be isolated to the actor.
func enqueue(on actor: any Actor, _ job: @escaping Job) { unisolatedEnqueue(actor, job) }

/// The implementation of `enqueue(on:_:)`.
///
/// A task whose closure is isolated is enqueued on the actor at once, in order. Only the function that
/// makes the closure, and not its caller, must appear to be isolated for this. It is cast once, because
/// a cast allocates.
private let unisolatedEnqueue: @Sendable (any Actor, @escaping Job) -> Void = {
  let enqueue: @Sendable (isolated any Actor, @escaping Job) -> Void = { actor, job in
    let operation = inheritingIsolation {
      _ = actor
      job()
    }
    // One priority for all jobs, because an actor runs jobs of a higher priority first.
    Task.detached(priority: .medium, operation: operation)
  }
  return unsafeBitCast(enqueue, to: (@Sendable (any Actor, @escaping Job) -> Void).self)
}()

/// Returns a closure that is isolated to the actor of the caller.
private func inheritingIsolation(
  @_inheritActorContext _ operation: @escaping @Sendable @isolated(any) () async -> Void
) -> @Sendable @isolated(any) () async -> Void {
  operation
}

// MARK: Closures without their isolation

// The caller of `withoutIsolation` must run the closure that it returns on the actor of the original.
// A cast does not change the closure, whose representation is the same with and without isolation.
//
// The closure is cast as the payload of an enumeration. As an argument of `unsafeBitCast`, a closure
// whose result is not generic would be wrapped in another one, at the cost of two allocations, and the
// metadata of its type would require macOS 15.

/// A closure with its isolation.
@usableFromInline
enum IsolatedFunction<Argument, Output> {
  case transform(@Sendable @isolated(any) (Argument) throws -> Output)
  case supplier(@Sendable @isolated(any) () throws -> Output)
  case completion(@Sendable @isolated(any) () -> Void)
  case handler(@Sendable @isolated(any) (Argument) -> Void)
  case action(@Sendable @isolated(any) (Argument) throws -> Void)
  case step(@Sendable @isolated(any) (Argument) throws -> Promise<Output>)

  /// The closure without its isolation.
  @inlinable var unisolated: UnisolatedFunction<Argument, Output> {
    unsafeBitCast(self, to: UnisolatedFunction<Argument, Output>.self)
  }
}

/// A closure without its isolation, with the cases of ``IsolatedFunction`` in the same order.
@usableFromInline
enum UnisolatedFunction<Argument, Output> {
  case transform(@Sendable (Argument) throws -> Output)
  case supplier(@Sendable () throws -> Output)
  case completion(@Sendable () -> Void)
  case handler(@Sendable (Argument) -> Void)
  case action(@Sendable (Argument) throws -> Void)
  case step(@Sendable (Argument) throws -> Promise<Output>)
}

/// A closure with two arguments and its isolation.
private enum IsolatedBinaryFunction<First, Second, Output> {
  case transform(@Sendable @isolated(any) (First, Second) throws -> Output)
}

/// A closure with two arguments without its isolation.
private enum UnisolatedBinaryFunction<First, Second, Output> {
  case transform(@Sendable (First, Second) throws -> Output)
}

/// Returns a transformation without its isolation.
@inlinable
package func withoutIsolation<Argument, Output>(
  _ transform: @escaping @Sendable @isolated(any) (Argument) throws -> Output
) -> @Sendable (Argument) throws -> Output {
  guard
    case .transform(let body) = IsolatedFunction<Argument, Output>.transform(transform).unisolated
  else { preconditionFailure() }
  return body
}

/// Returns a closure with two arguments without its isolation.
package func withoutIsolation<First, Second, Output>(
  _ body: @escaping @Sendable @isolated(any) (First, Second) throws -> Output
) -> @Sendable (First, Second) throws -> Output {
  let isolated = IsolatedBinaryFunction.transform(body)
  switch unsafeBitCast(isolated, to: UnisolatedBinaryFunction<First, Second, Output>.self) {
  case .transform(let body): return body
  }
}

/// Returns a closure without arguments without its isolation.
package func withoutIsolation<Output>(
  _ body: @escaping @Sendable @isolated(any) () throws -> Output
) -> @Sendable () throws -> Output {
  guard case .supplier(let body) = IsolatedFunction<Never, Output>.supplier(body).unisolated
  else { preconditionFailure() }
  return body
}

/// Returns a handler without arguments without its isolation.
@inlinable
package func withoutIsolation(
  _ completion: @escaping @Sendable @isolated(any) () -> Void
) -> @Sendable () -> Void {
  guard
    case .completion(let body) = IsolatedFunction<Never, Never>.completion(completion).unisolated
  else { preconditionFailure() }
  return body
}

/// Returns a handler without its isolation.
@inlinable
package func withoutIsolation<Argument>(
  _ handler: @escaping @Sendable @isolated(any) (Argument) -> Void
) -> @Sendable (Argument) -> Void {
  guard case .handler(let body) = IsolatedFunction<Argument, Never>.handler(handler).unisolated
  else { preconditionFailure() }
  return body
}

/// Returns an action without its isolation.
@inlinable
package func withoutIsolation<Argument>(
  _ action: @escaping @Sendable @isolated(any) (Argument) throws -> Void
) -> @Sendable (Argument) throws -> Void {
  guard case .action(let body) = IsolatedFunction<Argument, Never>.action(action).unisolated
  else { preconditionFailure() }
  return body
}

/// Returns the start of a step without its isolation.
@inlinable
package func withoutIsolation<Argument, Output>(
  _ start: @escaping @Sendable @isolated(any) (Argument) throws -> Promise<Output>
) -> @Sendable (Argument) throws -> Promise<Output> {
  guard case .step(let body) = IsolatedFunction<Argument, Output>.step(start).unisolated
  else { preconditionFailure() }
  return body
}
