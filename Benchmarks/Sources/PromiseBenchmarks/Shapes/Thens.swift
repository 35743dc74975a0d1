import NIOEmbedded
import Promises

extension Shape {
  /// A chain of steps attached to a pending promise, which is then settled.
  static func thens(_ steps: Int) -> Shape {
    let loop = EmbeddedEventLoop()
    let one = opaque(1)
    return Shape(
      name: "\(steps) then, pending", operations: 2000 / steps,
      catena: Contender(expecting: 1 + steps) {
        let (promise, resolver) = Promise<Int>.pending()
        var last = promise
        for _ in 0..<steps { last = last.then(on: .inline) { $0 &+ 1 } }
        resolver.fulfill(one)
        return last
      } read: {
        $0.settledValue
      },
      reference: Contender(expecting: 1 + steps) {
        let promise = loop.makePromise(of: Int.self)
        var last = promise.futureResult
        for _ in 0..<steps { last = last.map { $0 &+ 1 } }
        promise.succeed(one)
        return last
      } read: {
        $0.settledValue
      },
      tasks: steps == 10 ? .taskChain(steps) : nil,
      budgets: [.ratio(atMost: 0.7), .allocations(atMost: 2, steps: steps, given: 1)])
  }
}
