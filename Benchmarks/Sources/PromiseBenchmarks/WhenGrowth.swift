import BenchmarkSupport
import CAllocations
import Promises

/// How the cost of `when` grows with the number of promises.
struct WhenGrowth {
  let name: String
  let finding: String
  let isKept: Bool

  /// Time a promise at 100,000 against that at 1,000.
  ///
  /// It may double, which is what the caches lose; a
  /// quadratic cost would make it a hundred times as much.
  static func time(in measurements: [Measurement]) -> WhenGrowth? {
    guard let few = measurements.first(where: { $0.name == "when over 1000" }),
      let many = measurements.first(where: { $0.name == "when over 100000" })
    else { return nil }
    let ratio = (many.catena.nanoseconds.median / 100_000) / (few.catena.nanoseconds.median / 1000)
    return WhenGrowth(
      name: "when, linear in time", finding: "\(ratio.text(2)) x a promise at 1,000, of 2",
      isKept: ratio <= 2)
  }

  /// Bytes a promise that `when` holds on to while it waits, beyond the promises themselves.
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
      name: "when, memory over \(count)", finding: "\(bytes.text(0)) bytes a promise of 150",
      isKept: bytes <= 150)
  }
}
