import Foundation

/// A printer of the runs as a table with a column for each mode.
struct Report {
  /// The minimum width of a column of figures.
  ///
  /// Tables with times of different lengths have the same layout because of it.
  private static let figureWidth = 8

  private let style = TextStyle()

  func title(_ text: String) {
    print(style.bold(text))
  }

  func table(_ runs: [Run]) {
    guard let first = runs.first else { return }
    var rows = [["step", "requests"] + runs.map(\.name)]
    for (index, measurement) in first.measurements.enumerated() {
      let (step, count) = (measurement.step, measurement.requests)
      let requests = count == 1 ? step.request : "\(count) x \(step.request)"
      rows.append(
        [step.rawValue, requests] + runs.map { $0.measurements[index].duration.inMilliseconds })
    }
    var totals = [["total", "\(first.requests)"] + runs.map { $0.duration.inMilliseconds }]
    let counts = runs.compactMap(\.maxConcurrentRequests)
    if !counts.isEmpty { totals.append(["max concurrent", ""] + counts.map(String.init)) }

    var widths = [0, 0] + runs.map { _ in Self.figureWidth }
    for row in rows + totals {
      for (column, cell) in row.enumerated() { widths[column] = max(widths[column], cell.count) }
    }
    let lines = (rows + totals).map { line($0, widths) }
    let rule = style.dim("  " + String(repeating: "-", count: lines[0].count - 2))
    print()
    print(style.dim(lines[0]))
    lines[1..<rows.count].forEach { print($0) }
    print(rule)
    lines[rows.count...].forEach { print(style.bold($0)) }
    print()
  }

  func success(_ runs: [Run]) {
    print(style.green("All \(runs.map(\.requests).reduce(0, +)) requests succeeded."))
  }

  /// Prints an error on standard error.
  func failure(_ text: String) {
    FileHandle.standardError.write(Data("quickstart: \(text)\n".utf8))
  }

  /// Returns a table row with text aligned to the left and figures aligned to the right.
  private func line(_ cells: [String], _ widths: [Int]) -> String {
    let padded = cells.enumerated().map { column, cell in
      let padding = String(repeating: " ", count: widths[column] - cell.count)
      return column < 2 ? cell + padding : padding + cell
    }
    return "  " + padded.joined(separator: "   ")
  }
}

/// ANSI text styles, which are used only if standard output is a terminal and `NO_COLOR` is not
/// set.
private struct TextStyle {
  private let isOn: Bool

  init(environment: [String: String] = ProcessInfo.processInfo.environment) {
    isOn =
      isatty(STDOUT_FILENO) == 1 && environment["NO_COLOR", default: ""].isEmpty
      && environment["TERM"] != "dumb"
  }

  func bold(_ text: String) -> String { wrap(text, "1") }
  func dim(_ text: String) -> String { wrap(text, "2") }
  func green(_ text: String) -> String { wrap(text, "32") }

  private func wrap(_ text: String, _ code: String) -> String {
    isOn ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}

extension Duration {
  /// The duration in rounded milliseconds, with its unit: `42 ms`.
  var inMilliseconds: String {
    "\(Int((self / .milliseconds(1)).rounded())) ms"
  }
}
