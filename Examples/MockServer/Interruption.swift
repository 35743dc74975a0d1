import Dispatch
import Foundation
import Promises

/// Ctrl-C, or the polite request to end.
struct Interruption: Sendable {
  private let promise: Promise<Void>

  /// From now on neither ends the program by itself; a second one does.
  init() {
    let (promise, resolver) = Promise<Void>.pending()
    self.promise = promise
    let queue = DispatchQueue(label: "Interruption")
    for number in [SIGINT, SIGTERM] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      // It holds itself, until the signal has come.
      source.setEventHandler {
        source.cancel()
        for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
        resolver.fulfill(())
      }
      source.activate()
    }
  }

  /// Waits for one.
  func wait() async {
    _ = await promise.result
  }
}
