import BenchmarkSupport
import CAllocations
import Promises

/// The growth of the cost of `when` with the number of promises.
struct WhenGrowth {
  let name: String
  let finding: String
  let isMet: Bool

  /// Compares the time per promise at 100,000 promises with the time at 1,000.
  ///
  /// The limit is a factor of 2, which allows for cache misses. A quadratic cost would result in a
  /// factor of 100.
  static func time(in measurements: [Measurement]) -> WhenGrowth? {
    guard let few = measurements.first(where: { $0.name == "when over 1000" }),
      let many = measurements.first(where: { $0.name == "when over 100000" })
    else { return nil }
    let ratio = (many.catena.nanoseconds.median / 100_000) / (few.catena.nanoseconds.median / 1000)
    return WhenGrowth(
      name: "when, linear in time", finding: "\(ratio.text(2)) x per promise at 1,000, limit 2",
      isMet: ratio <= 2)
  }

  /// Measures the bytes per promise that `when` holds while it waits, in addition to the promises.
  static func memory(in measurements: [Measurement]) -> WhenGrowth? {
    guard measurements.contains(where: { $0.name == "when over 100000" }) else { return nil }
    let count = 100_000
    let members = (0..<count).map { _ in Promise<Int>.pending() }
    let promises = members.map(\.promise)
    let before = bytes_in_use()
    let all = Promises.when(promises)
    let bytes = Double(Int64(bytes_in_use()) - Int64(before)) / Double(count)
    for member in members { member.resolver.fulfill(1) }
    blackHole(all)
    return WhenGrowth(
      name: "when, memory over \(count)", finding: "\(bytes.text(0)) bytes per promise, limit 150",
      isMet: bytes <= 150)
  }
}
