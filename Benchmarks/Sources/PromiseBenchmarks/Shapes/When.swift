import NIOCore
import NIOEmbedded
import Promises

extension Shape {
  /// Promises that are created, combined into one, and settled one after the other.
  static func when(_ members: Int) -> Shape {
    let loop = EmbeddedEventLoop()
    let one = opaque(1)
    return Shape(
      name: "when over \(members)", operations: 1, turns: max(1, 20_000 / members),
      catena: Contender(expecting: members) {
        let pairs = (0..<members).map { _ in Promise<Int>.pending() }
        let all = Promises.when(pairs.map(\.promise))
        for pair in pairs { pair.resolver.fulfill(one) }
        return all
      } read: {
        $0.settledValue?.reduce(0, +)
      },
      reference: Contender(expecting: members) {
        let promises = (0..<members).map { _ in loop.makePromise(of: Int.self) }
        let all = EventLoopFuture.whenAllSucceed(promises.map(\.futureResult), on: loop)
        for promise in promises { promise.succeed(one) }
        return all
      } read: {
        $0.settledValue?.reduce(0, +)
      },
      // The larger shape measures the growth: see `WhenGrowth`.
      budgets: members > 1000
        ? [] : [.ratio(atMost: 0.7), .allocations(atMost: 2, steps: members, given: 2 * members)])
  }
}
