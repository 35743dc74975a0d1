import Dispatch

extension Contender {
  /// Returns a chain of tasks; each waits for the previous one, the first for a continuation.
  ///
  /// All tasks run on Swift's thread pool, with one switch to the pool and back for a whole round.
  static func taskChain(_ steps: Int) -> Contender {
    Contender(
      repeated: { count in
        waiting {
          for _ in 0..<count { blackHole(await chain(steps)) }
        }
      },
      isCorrect: {
        waiting {
          let result = await chain(steps)
          precondition(result == 1 + steps, "tasks: the result is incorrect")
        }
        return true
      })
  }

  private static func chain(_ steps: Int) async -> Int {
    let (pending, settle) = AsyncStream<UnsafeContinuation<Int, Never>>.makeStream()
    let first = Task { await withUnsafeContinuation { settle.yield($0) } }
    var last = first
    for _ in 0..<steps {
      let previous = last
      last = Task { await previous.value &+ 1 }
    }
    for await continuation in pending {
      continuation.resume(returning: opaque(1))
      break
    }
    return await last.value
  }

  /// Blocks until the body has run on Swift's thread pool.
  private static func waiting(for body: @escaping @Sendable () async -> Void) {
    let done = DispatchSemaphore(value: 0)
    Task {
      await body()
      done.signal()
    }
    done.wait()
  }
}
