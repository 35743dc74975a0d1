import Promises
import NIOCore
import NIOEmbedded
import CAllocations

@inline(never) func blackHole<T>(_ x: T) {}
let filter = CommandLine.arguments.dropFirst().first ?? ""
func measure(_ name: String, _ n: Int, _ body: () -> Void) {
  guard filter.isEmpty || name.contains(filter) else { return }
  body()
  var best = Double.infinity
  var allocs: UInt64 = 0
  for _ in 0..<7 {
    let a = allocations_so_far()
    let t = ContinuousClock.now
    for _ in 0..<n { body() }
    let d = ContinuousClock.now - t
    allocs = (allocations_so_far() - a) / UInt64(n)
    best = min(
      best,
      Double(d.components.attoseconds) / 1e9 / Double(n) + Double(d.components.seconds) * 1e9
        / Double(n))
  }
  print(name, Int(best), "ns", allocs, "allocs")
}
measure("ours: one then on settled", 100_000) {
  let p = Promise.fulfilled(1)
  blackHole(p.then(on: .inline) { $0 &+ 1 })
}
@inline(never) func tenThen() {
  let (p, r) = Promise<Int>.pending()
  var q = p
  for _ in 0..<10 { q = q.then(on: .inline) { $0 &+ 1 } }
  r.fulfill(1)
  blackHole(q)
}
measure("ours: 10 then pending", 20_000) { tenThen() }
measure("ours: 10 promise", 20_000) {
  let (p, r) = Promise<Int>.pending()
  var q = p
  for _ in 0..<10 { q = q.then(on: .inline) { Promise.fulfilled($0 &+ 1) } }
  r.fulfill(1)
  blackHole(q)
}
let loop = EmbeddedEventLoop()
measure("nio: one then on settled", 100_000) {
  let p = loop.makeSucceededFuture(1)
  blackHole(p.map { $0 &+ 1 })
}
measure("nio: 10 then pending", 20_000) {
  let r = loop.makePromise(of: Int.self)
  var q = r.futureResult
  for _ in 0..<10 { q = q.map { $0 &+ 1 } }
  r.succeed(1)
  blackHole(q)
}
measure("nio: 10 promise", 20_000) {
  let r = loop.makePromise(of: Int.self)
  var q = r.futureResult
  for _ in 0..<10 { q = q.flatMap { loop.makeSucceededFuture($0 &+ 1) } }
  r.succeed(1)
  blackHole(q)
}
