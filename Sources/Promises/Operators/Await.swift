public import CatenaSystem
import Foundation

extension Promise where Value: Sendable {
  /// Creates a promise for the result of an asynchronous closure, which runs in a task.
  ///
  /// ```swift
  /// let text = Promise { try await client.read() }
  /// ```
  ///
  /// The task is cancelled when the promise is cancelled or loses its last consumer.
  ///
  /// - Parameters:
  ///   - priority: The priority of the task. `nil` uses the current priority.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  ///   - body: The work. It runs once, in a new task that starts soon after this call.
  public convenience init(
    priority: TaskPriority? = nil, file: StaticString = #fileID, line: UInt = #line,
    @_inheritActorContext _ body: @escaping @Sendable @isolated(any) () async throws -> Value
  ) {
    self.init(
      priority: priority, executor: nil, isolation: body.isolation,
      at: CallSite(file, line, .task), body)
  }

  /// Creates a promise for the result of an asynchronous closure, with an executor for its task.
  ///
  /// - Parameters:
  ///   - priority: The priority of the task. `nil` uses the current priority.
  ///   - executor: The executor that counts the jobs of the task. `nil` uses
  ///     ``ActivityExecutor/current`` or that of the current scope.
  ///   - isolation: The actor on which the task runs most of its jobs.
  ///   - site: The source location of the promise.
  ///   - body: The work.
  convenience init(
    priority: TaskPriority?, executor: ActivityExecutor?, isolation: (any Actor)?,
    at site: CallSite,
    _ body: @escaping @Sendable @isolated(any) () async throws -> Value
  ) {
    self.init(waitingFor: nil, on: .main, at: site)
    notifyCreationObserver()
    let executor = (executor ?? ActivityExecutor.current ?? HandlerScope.ambientTime?.executor)?
      .counting(on: isolation)
    let task = TraceStep.startingTask {
      ActivityExecutor.startTask(countedBy: executor, priority: priority) {
        do {
          self.fulfill(try await body(), by: .upstream)
        } catch {
          self.reject(error, by: .upstream)
        }
        withExtendedLifetime(executor) {}
      }
    }
    onCancel { task.cancel() }
  }

  // MARK: async/await

  /// The value, available when the promise is fulfilled.
  ///
  /// ```swift
  /// let board = try await fetch(board: 7).value
  /// ```
  ///
  /// The awaiting task is a consumer of the promise. If the task is cancelled while it waits, it
  /// receives a `CancellationError` immediately, and the promise is cancelled unless it has other
  /// consumers. The task resumes on its own actor, not in the promise's context.
  ///
  /// - Throws: The error of the promise. `CancellationError` if the task is cancelled while it
  ///   waits.
  @inlinable
  public var value: Value {
    get async throws {
      guard await hasSettled() else { throw CancellationError() }
      if let error { throw error }
      return fulfilledValue
    }
  }

  /// The outcome, available when the promise has settled.
  ///
  /// Awaiting it counts as handling a rejection. As with ``value``, the awaiting task is a
  /// consumer. If the task is cancelled while it waits, the result is a failure with
  /// `CancellationError`.
  @inlinable
  public var result: Result<Value, any Error> {
    get async { await hasSettled() ? outcome : .failure(CancellationError()) }
  }

  /// Waits until the promise has settled, as a consumer.
  ///
  /// - Returns: `false` if the task was cancelled while it waited.
  @inlinable
  func hasSettled() async -> Bool {
    guard isDelivered else { return await makeAwaiter().wait(listing: self) }
    isHandled.store(true, ordering: .relaxed)
    if HandlerScope.isUsed { noteValueWithoutWait() }
    return true
  }

  /// Returns an awaiter for the current task, which alone is cancelled with it.
  @inlinable
  func makeAwaiter() -> PromiseAwaiter {
    let awaiter = PromiseAwaiter(of: self)
    attach(
      .everything,
      Reaction(for: awaiter) { _, awaiter in
        unsafeDowncast(awaiter.unsafelyUnwrapped, to: PromiseAwaiter.self).promiseSettled()
        return false
      })
    return awaiter
  }

  @usableFromInline
  func noteValueWithoutWait() {
    TaskContinuation<Void>.taskContinues(after: TraceStep.isUsed ? settlementStep : nil)
  }

  // MARK: Blocking

  /// Blocks the calling thread until the promise settles, for scripts and command-line programs.
  ///
  /// On the main thread, it runs the main queue while it waits and until the handlers on
  /// ``ExecutionContext/main`` that were attached to this promise earlier have run. Do not call it
  /// inside a block of the main queue, such as a handler on `.main`: the queue cannot run another
  /// block until that one returns. Asynchronous code must await ``value`` instead; the compiler
  /// rejects this method in it.
  ///
  /// The waiting thread is a consumer of the promise. On timeout, it stops being a consumer, and
  /// the promise is cancelled unless it has other consumers.
  ///
  /// - Parameter timeout: The maximum time to wait. `nil` waits without a limit. Zero or a negative
  ///   value only checks the state.
  /// - Returns: The value.
  /// - Throws: The error of the promise, or ``PromiseError/timedOut`` if the promise does not
  ///   settle in time.
  @available(*, noasync, message: "await the promise's value instead")
  public func wait(timeout: Duration? = nil) throws -> Value {
    isHandled.store(true, ordering: .relaxed)
    let waiter = derived(at: site) as Promise
    forward(to: waiter)
    waiter.isHandled.store(true, ordering: .relaxed)
    // This promise may depend on pending work of this thread for other promises.
    Trampoline.runPending()
    let deadline = timeout.map { ContinuousClock.now + $0 }
    if Thread.isMainThread {
      waiter.runMainQueue(until: deadline)
    } else if !waiter.isSettled {
      let settled = DispatchSemaphore(value: 0)
      waiter.observe(.rejection) { _ in settled.signal() }
      let limit = deadline.map { DispatchTime.now() + max(0, $0.secondsFromNow) }
      _ = settled.wait(timeout: limit ?? .distantFuture)
    }
    if !waiter.isSettled { waiter.reject(PromiseError.timedOut, by: .consumer) }
    return try waiter.outcome.get()
  }

  private func runMainQueue(until deadline: ContinuousClock.Instant?) {
    let handled = DispatchSemaphore(value: 0)
    // This block runs after the blocks of handlers attached earlier. It also wakes the run loop.
    observe(.rejection) { _ in DispatchQueue.main.async { handled.signal() } }
    Trampoline.runPending()
    while !isSettled {
      let remaining = deadline?.secondsFromNow ?? .infinity
      guard remaining > 0 else { return }
      runMainQueue(for: min(remaining, Self.pollInterval))
    }
    // Bounded, because within a block of the main queue `handled` is never signalled.
    for _ in 0..<5 {
      if handled.wait(timeout: .now()) == .success { return }
      runMainQueue(for: Self.pollInterval)
    }
  }

  /// Runs the main run loop for at most `seconds`.
  ///
  /// Returns earlier if the loop has run a block of the main queue.
  private func runMainQueue(for seconds: Double) {
    if !RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: seconds)) {
      Thread.sleep(forTimeInterval: seconds)
    }
    // Within an inline handler, promises settled by these blocks are queued until the handler
    // returns.
    Trampoline.runPending()
  }

  private static var pollInterval: Double { 0.02 }
}

extension ContinuousClock.Instant {
  fileprivate var secondsFromNow: Double { (self - .now) / .seconds(1) }
}
