import Foundation

extension Promise {
  /// Blocks the calling thread until the promise has settled: for scripts and command-line programs.
  ///
  /// On the main thread it keeps the main queue turning meanwhile, so that handlers on
  /// ``ExecutionContext/main`` run. It cannot do so from inside a block of the main queue, a handler
  /// on `.main` among them, since a queue does not run one block inside another: do not wait there.
  /// Asynchronous code awaits ``value`` instead; blocking a thread of the cooperative pool may stop
  /// the very task that it waits for.
  ///
  /// A wait is a consumer of the promise, until it gives up: the work upstream is then cancelled
  /// unless somebody else waits for it.
  ///
  /// - Parameter timeout: how long to wait at the most; nil is for ever, nothing or less only looks.
  /// - Returns: the value.
  /// - Throws: the promise's error; ``PromiseError/timedOut`` when there was no outcome in time.
  public func wait(timeout: Duration? = nil) throws -> Value {
    isHandled.store(true, ordering: .relaxed)
    // What this thread still has to do for other promises may be what this one waits for.
    Trampoline.runPending()
    if isSettled { return try outcome.get() }

    let mine = derived(at: site) as Promise
    follow(with: mine)
    mine.isHandled.store(true, ordering: .relaxed)
    let deadline = timeout.map { ContinuousClock.now + $0 }
    if Thread.isMainThread {
      mine.turnMainQueue(until: deadline)
    } else {
      mine.block(until: deadline)
    }
    if !mine.isSettled { mine.reject(PromiseError.timedOut, by: .consumer) }
    return try mine.outcome.get()
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

  private func turnMainQueue(until deadline: ContinuousClock.Instant?) {
    // An empty block wakes the run loop, which returns after each block of the main queue. Inside such
    // a block it would not, hence the short turns.
    observe(.rejection) { _ in DispatchQueue.main.async {} }
    while !isSettled {
      let rest = deadline?.secondsFromNow ?? .infinity
      guard rest > 0 else { return }
      let turn = min(rest, 0.02)
      if !RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: turn)) {
        Thread.sleep(forTimeInterval: turn)
      }
    }
  }
}

extension ContinuousClock.Instant {
  fileprivate var secondsFromNow: Double { (self - .now) / .seconds(1) }
}
