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
    self.init(waitingFor: nil, on: .main, at: CallSite(file, line))
    watchIfAsked()
    follow(priority: priority, body)
  }

  /// Settles as a task does, which is cancelled when nobody waits for this promise any more.
  func follow(
    priority: TaskPriority? = nil, _ body: @escaping @Sendable () async throws -> Value
  ) {
    let task = Task(priority: priority) {
      do {
        fulfill(try await body(), by: .upstream)
      } catch {
        reject(error, by: .upstream)
      }
    }
    onCancel { task.cancel() }
  }
}
