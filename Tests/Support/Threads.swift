import Dispatch
import Foundation
import Promises

/// Runs `body` on a thread with little stack, and waits for it without blocking the caller's.
package func onThread(stackSize: Int, _ body: @escaping @Sendable () -> Void) async {
  await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
    let thread = Thread {
      body()
      continuation.resume()
    }
    thread.stackSize = stackSize
    thread.start()
  }
}

/// Runs `body` on `count` threads at once and returns when all have returned.
package func onThreads(_ count: Int, _ body: @escaping @Sendable (_ index: Int) -> Void) async {
  await withTaskGroup(of: Void.self) { group in
    for index in 0..<count {
      group.addTask { await onThread(stackSize: 1 << 20) { body(index) } }
    }
  }
}

/// Counts objects of its own that are alive.
package final class LiveCount: Sendable {
  private let count = Counter()

  package init() {}

  package var alive: Int { count.value }

  /// An object that counts until it is released.
  package func token() -> Token { Token(count) }

  package final class Token: Sendable {
    private let count: Counter

    fileprivate init(_ count: Counter) {
      self.count = count
      count.add(1)
    }

    deinit {
      count.add(-1)
    }
  }
}

extension ExecutionContext {
  /// Inline in all but name, and holding on to an object: whatever promise carries it keeps that alive.
  package static func custom(holding token: LiveCount.Token) -> ExecutionContext {
    .custom { handler in withExtendedLifetime(token, handler) }
  }
}
