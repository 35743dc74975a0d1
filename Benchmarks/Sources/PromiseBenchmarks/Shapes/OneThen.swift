import NIOEmbedded
import Promises

extension Shape {
  /// One step on a settled promise: create the promise, attach the step, release both.
  static var oneThen: Shape {
    let loop = EmbeddedEventLoop()
    let one = opaque(1)
    return Shape(
      name: "one then, settled", operations: 2000,
      catena: Contender(expecting: 2) {
        Promise.fulfilled(one).then(on: .inline) { $0 &+ 1 }
      } read: {
        $0.settledValue
      },
      reference: Contender(expecting: 2) {
        loop.makeSucceededFuture(one).map { $0 &+ 1 }
      } read: {
        $0.settledValue
      },
      budgets: [.ratio(atMost: 0.7), .allocations(atMost: 2, steps: 1, given: 1)])
  }
}
