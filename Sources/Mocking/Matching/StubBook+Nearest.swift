import Networking

extension StubBook {
  /// Says that a request has no route, which are the nearest, and what they would have it be.
  ///
  /// At most three routes with at most ten lines each, without secrets.
  ///
  /// - Parameter request: the request.
  /// - Returns: the lines, without a line break at the end.
  func unmatched(_ request: ReceivedRequest) -> String {
    var lines = [
      "no route for \(ReportText.bounded(request.method.rawValue)) "
        + ReportText.bounded(request.path.text)
    ]
    if table.entries.isEmpty {
      lines.append("there are no routes")
    } else {
      lines.append("the nearest:")
      // By number too, since a sort need not keep the order of equals.
      let ranked = table.entries.map { entry in
        (
          entry.route.pattern.distance(from: request, base: nil)
            + scenarios.differences(of: entry).count,
          entry.number, entry
        )
      }
      for (_, _, entry) in ranked.sorted(by: { ($0.0, $0.1) < ($1.0, $1.1) }).prefix(3) {
        lines.append("  \(ReportText.bounded(entry.route.description))")
        let differences =
          entry.route.pattern.differences(from: request) + scenarios.differences(of: entry)
        lines += differences.prefix(10).map { "    \($0)" }
      }
    }
    return lines.joined(separator: "\n")
  }
}
