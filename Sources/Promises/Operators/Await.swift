import Foundation

extension Promise {
  /// Runs an asynchronous closure as a task, and keeps the outcome.
  ///
  /// ```swift
  /// let text = Promise { try await client.read() }
  /// ```
  ///
  /// Cancelling the promise, or the departure of its last consumer, cancels the task.
  ///
  /// - Parameters:
  ///   - priority: the task's priority; the current one when nil.
  ///   - file: where it was made, for diagnostics.
  ///   - line: where it was made, for diagnostics.
  ///   - body: the work; runs once, in a task of its own that begins soon after.
  public convenience init(
    priority: TaskPriority? = nil, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () async throws -> Value
  ) {
    self.init(priority: priority, executor: nil, at: CallSite(file, line), body)
  }

  /// Runs an asynchronous closure as a task.
  ///
  /// - Parameters:
  ///   - priority: the task's priority; the current one when nil.
  ///   - executor: counts the task's steps; that of the code around when nil.
  ///   - site: where it was made.
  ///   - body: the work.
  convenience init(
    priority: TaskPriority?, executor: ActivityExecutor?, at site: CallSite,
    _ body: @escaping @Sendable () async throws -> Value
  ) {
    self.init(waitingFor: nil, on: .main, at: site)
    watchIfEnabled()
    follow(priority: priority, executor ?? ActivityExecutor.current, body)
  }

  /// Settles as a task does, which is cancelled when nobody waits for this promise any more.
  private func follow(
    priority: TaskPriority?, _ executor: ActivityExecutor?,
    _ body: @escaping @Sendable () async throws -> Value
  ) {
    let task = Task(executorPreference: executor, priority: priority) {
      do {
        self.fulfill(try await body(), by: .upstream)
      } catch {
        self.reject(error, by: .upstream)
      }
    }
    onCancel { task.cancel() }
  }
}

extension Promise {
  /// Awaits the value.
  ///
  /// ```swift
  /// let board = try await fetch(board: 7).value
  /// ```
  ///
  /// The task is a consumer of the promise like any other: when it is cancelled while it waits it gets
  /// a `CancellationError` at once, and the promise is cancelled unless somebody else waits for it.
  /// The task goes on wherever its own actor says, not in the promise's context.
  ///
  /// - Throws: the promise's error.
  public var value: Value {
    get async throws { try await result.get() }
  }

  /// Awaits the outcome, without throwing.
  ///
  /// It counts as handling a rejection. Of cancellation the same holds as for ``value``: the result is
  /// then a failure with `CancellationError`.
  public var result: Result<Value, any Error> {
    get async {
      if isDelivered {
        isHandled.store(true, ordering: .relaxed)
        return outcome
      }
      // A promise of the task's own, by which it can leave without taking the others along.
      let waiter = derived(at: site) as Promise
      follow(with: waiter)
      return await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          waiter.observe(.rejection) { continuation.resume(returning: $0.outcome) }
        }
      } onCancel: {
        waiter.cancel()
      }
    }
  }
}

extension Promise {
  /// Blocks the calling thread until the promise has settled: for scripts and command-line programs.
  ///
  /// On the main thread it keeps the main queue turning meanwhile, and until the handlers on
  /// ``ExecutionContext/main`` that were attached to this promise before have run. It cannot do so from
  /// inside a block of the main queue, such as a handler on `.main`, since a queue does not run one block
  /// inside another: do not wait there. Asynchronous code awaits ``value`` instead, and the compiler says
  /// so.
  ///
  /// A wait is a consumer of the promise, until it gives up: the work upstream is then cancelled
  /// unless somebody else waits for it.
  ///
  /// - Parameter timeout: how long to wait at the most; nil is for ever, nothing or less only looks.
  /// - Returns: the value.
  /// - Throws: the promise's error; ``PromiseError/timedOut`` when there was no outcome in time.
  @available(*, noasync, message: "await the promise's value instead")
  public func wait(timeout: Duration? = nil) throws -> Value {
    isHandled.store(true, ordering: .relaxed)
    let waiter = derived(at: site) as Promise
    follow(with: waiter)
    waiter.isHandled.store(true, ordering: .relaxed)
    // What this thread still has to do for other promises may be what this one waits for.
    Trampoline.runPending()
    let deadline = timeout.map { ContinuousClock.now + $0 }
    if Thread.isMainThread {
      waiter.runMainQueue(until: deadline)
    } else if !waiter.isSettled {
      waiter.block(until: deadline)
    }
    if !waiter.isSettled { waiter.reject(PromiseError.timedOut, by: .consumer) }
    return try waiter.outcome.get()
  }

  private func block(until deadline: ContinuousClock.Instant?) {
    let settled = DispatchSemaphore(value: 0)
    observe(.rejection) { _ in settled.signal() }
    if let deadline {
      _ = settled.wait(timeout: .now() + max(0, deadline.secondsFromNow))
    } else {
      settled.wait()
    }
  }

  private func runMainQueue(until deadline: ContinuousClock.Instant?) {
    let handled = DispatchSemaphore(value: 0)
    // A block behind those of the handlers attached before. It wakes the run loop, too.
    observe(.rejection) { _ in DispatchQueue.main.async { handled.signal() } }
    Trampoline.runPending()
    while !isSettled {
      let rest = deadline?.secondsFromNow ?? .infinity
      guard rest > 0 else { return }
      runMainQueue(for: min(rest, Self.pollInterval))
    }
    // Inside a block of the main queue it would never run, hence the bound.
    for _ in 0..<5 {
      if handled.wait(timeout: .now()) == .success { return }
      runMainQueue(for: Self.pollInterval)
    }
  }

  /// At the most; the run loop returns after a block of the main queue.
  private func runMainQueue(for seconds: Double) {
    if !RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: seconds)) {
      Thread.sleep(forTimeInterval: seconds)
    }
    // Inside an inline handler, what the blocks have settled waits for that to return.
    Trampoline.runPending()
  }

  private static var pollInterval: Double { 0.02 }
}

extension ContinuousClock.Instant {
  fileprivate var secondsFromNow: Double { (self - .now) / .seconds(1) }
}
