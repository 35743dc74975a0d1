import Dispatch

extension Contender {
  /// A chain of tasks, each waiting for the one before, the first for a continuation.
  ///
  /// All of them run on Swift's own pool; one hop there and back serves a whole round.
  static func taskChain(_ steps: Int) -> Contender {
    Contender(
      repeated: { count in
        waiting {
          for _ in 0..<count { blackHole(await chain(steps)) }
        }
      },
      isRight: {
        waiting {
          let result = await chain(steps)
          precondition(result == 1 + steps, "tasks: the result is wrong")
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

  /// Blocks until the body has run on Swift's pool of threads.
  private static func waiting(for body: @escaping @Sendable () async -> Void) {
    let done = DispatchSemaphore(value: 0)
    Task {
      await body()
      done.signal()
    }
    done.wait()
  }
}
