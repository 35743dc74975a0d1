import BenchmarkSupport
import CAllocations
import Foundation
import LoadSupport
import Mocking

// Counts the heap blocks that all threads allocate for one mocked request, from `request` to its decoded
// value. Exits with status 1 if a count has grown by more than a tenth.

let count = 2000
count_all_threads()
var table = Table("mocked request", "allocations", "threshold", "verdict")
var hasPassed = true
for shape in RequestShape.all {
  _ = await shape.run(500)
  let before = allocations_of_all_threads()
  let failures = await shape.run(count)
  let found = Double(allocations_of_all_threads() - before) / Double(count)
  let isWithin = failures == 0 && found <= shape.threshold * 1.1
  hasPassed = hasPassed && isWithin
  let verdict = failures > 0 ? "FAILED" : isWithin ? "ok" : "GROWN"
  table.add(shape.name, found.text(1), shape.threshold.text(0), verdict)
}
table.printed()
exit(hasPassed ? 0 : 1)
