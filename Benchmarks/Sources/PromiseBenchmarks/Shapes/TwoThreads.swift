import Dispatch
import NIOCore
import NIOPosix
import Promises

extension Shape {
  /// Promises with one step each, settled by two threads.
  ///
  /// Each thread settles one half. The operation ends with the last step. The NIO promises have a
  /// separate event loop, on which the steps are attached, because this is the fastest use of NIO.
  /// Both settling threads are outside the loop.
  static var twoThreads: Shape {
    let count = 2000
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let threads = ThreadPair()
    let one = opaque(1)
    return Shape(
      name: "2 threads settle \(count)", operations: 1,
      catena: Contender(expecting: 2 * count) {
        let pairs = (0..<count).map { _ in Promise<Int>.pending() }
        let steps = pairs.map { $0.promise.then(on: .inline) { $0 &+ 1 } }
        threads.halve(count) { pairs[$0].resolver.fulfill(one) }
        return steps
      } read: {
        $0.reduce(0) { $0 + ($1.settledValue ?? 0) }
      },
      reference: Contender(expecting: 2 * count) {
        attachAndSettle(count, one, on: loop, by: threads)
      } read: {
        $0.reduce(0) { $0 + ((try? $1.wait()) ?? 0) }
      })
  }

  private static func attachAndSettle(
    _ count: Int, _ one: Int, on loop: any EventLoop, by threads: ThreadPair
  ) -> [EventLoopFuture<Int>] {
    let attached = try? loop.submit {
      let promises = (0..<count).map { _ in loop.makePromise(of: Int.self) }
      return (promises, promises.map { $0.futureResult.map { $0 &+ 1 } })
    }.wait()
    guard let (promises, steps) = attached else { return [] }
    threads.halve(count) { promises[$0].succeed(one) }
    // The loop runs its work in order, so all steps have run before this block.
    try? loop.submit {}.wait()
    return steps
  }
}
