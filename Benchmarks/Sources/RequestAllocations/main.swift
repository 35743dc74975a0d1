import BenchmarkSupport
import CAllocations
import Foundation
import LoadSupport
import Mocking

// How many blocks one mocked request takes, from `request` to its decoded value, of all threads. Exits with 1
// where that has grown by more than a tenth.

let count = 2000
count_all_threads()
var table = Table("mocked request", "allocations", "threshold", "verdict")
var isWell = true
for shape in RequestShape.all {
  _ = await shape.run(500)
  let before = allocations_of_all_threads()
  let failures = await shape.run(count)
  let found = Double(allocations_of_all_threads() - before) / Double(count)
  let isKept = failures == 0 && found <= shape.threshold * 1.1
  isWell = isWell && isKept
  let verdict = failures > 0 ? "FAILED" : isKept ? "ok" : "GROWN"
  table.add(shape.name, found.text(1), shape.threshold.text(0), verdict)
}
table.printed()
exit(isWell ? 0 : 1)
