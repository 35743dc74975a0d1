import BenchmarkSupport
/// How many blocks our side of each shape allocates, as last looked at.
///
/// `--check` fails when a shape has grown by more than a tenth, or is not in the list. Who lowers a
/// number, or has a reason to raise it, does so here.
enum Thresholds {
  static let allocations: [String: Double] = [
    "one then, settled": 2,
    "10 then, pending": 21,
    "1000 then, pending": 2001,
    "10 promise-returning": 31,
    "1000 promise-returning": 3001,
    "when over 1000": 3010,
    "when over 100000": 300_010,
    "2 threads settle 2000": 8005,
  ]

  /// Compares, prints, and tells whether all is well.
  static func check(_ shapes: [Shape]) -> Bool {
    var table = Table("shape", "allocations", "threshold", "verdict")
    var isWell = true
    for shape in shapes {
      let found = shape.countedAllocations()
      let known = allocations[shape.name]
      let isKept = known.map { found <= $0 * 1.1 } ?? false
      isWell = isWell && isKept
      let verdict = known == nil ? "UNKNOWN" : isKept ? "ok" : "GROWN"
      table.add(shape.name, found.text(0), known?.text(0) ?? "", verdict)
    }
    table.printed()
    return isWell
  }
}
