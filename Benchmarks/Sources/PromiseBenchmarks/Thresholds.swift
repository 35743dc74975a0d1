/// How many blocks our side of each shape allocates, as last looked at.
///
/// `--check` fails when a shape has grown by more than a tenth. Who lowers a number, or has a reason
/// to raise it, does so here.
enum Thresholds {
  static let allocations: [String: Double] = [:]

  /// Compares, prints, and tells whether all is well.
  static func check(_ shapes: [Shape]) -> Bool {
    var table = Table("shape", "allocations", "threshold", "verdict")
    var isWell = true
    for shape in shapes {
      let found = shape.countedAllocations()
      let known = allocations[shape.name]
      let isKept = known.map { found <= $0 * 1.1 } ?? false
      isWell = isWell && isKept
      table.add(shape.name, found.text(0), known?.text(0) ?? "none", isKept ? "ok" : "GROWN")
    }
    table.printed()
    return isWell
  }
}
