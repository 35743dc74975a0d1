import Dispatch
import NIOCore
import NIOPosix
import Promises

extension Shape {
  /// Promises with a step each, settled by two threads, half by either, up to the last step's end.
  ///
  /// NIO's have a loop of their own, on which the steps are attached, since that is where it is at its
  /// best; both other threads are foreign to it.
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
      nio: Contender(expecting: 2 * count) {
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
    // The loop takes things in order: once it has done this, it has done every step.
    try? loop.submit {}.wait()
    return steps
  }
}
