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
    watchIfAsked()
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
