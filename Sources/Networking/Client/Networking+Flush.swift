import CatenaSystem

extension Networking {
  /// Waits until the work of the client after its responses is done, for a program that ends.
  ///
  /// ```swift
  /// let boards = try await networking.request(.boards).decode([Board].self).value
  /// print(boards)
  /// await networking.flush()
  /// ```
  ///
  /// When it returns, monitors and loggers have handled all events so far, responses have been written to
  /// the cache, and cookies to the file of their jar. It does not wait for calls in progress, nor for a
  /// ``ClosureLogger`` whose closure is isolated to an actor. An error of the cookie file is ignored;
  /// ``CookieJar/synchronize()`` reports it.
  ///
  /// In virtual time it does not advance the time.
  public func flush() async {
    for sink in settings.withLock({ $0.settings.eventSinks }) {
      await TaskContinuation<Void>.wait { continuation in
        sink.queue.flush { continuation.resume() }
      }
    }
    await runner.cache?.flush()
    _ = await runner.cookies?.jar.synchronize().result
  }
}
