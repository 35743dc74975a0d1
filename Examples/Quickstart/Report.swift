import Foundation

/// Prints what was done, as a table with a column for each mode.
struct Report {
  /// The least width of a column with figures, so that times of any length line up alike.
  private static let figureWidth = 8

  private let style = Style()

  func title(_ text: String) {
    print(style.bold(text))
  }

  func table(_ runs: [Run]) {
    guard let first = runs.first else { return }
    var rows = [["step", "requests"] + runs.map(\.name)]
    for (index, lap) in first.laps.enumerated() {
      let requests = lap.requests == 1 ? lap.step.request : "\(lap.requests) x \(lap.step.request)"
      rows.append(
        [lap.step.rawValue, requests] + runs.map { $0.laps[index].duration.inMilliseconds })
    }
    var sums = [["in all", "\(first.requests)"] + runs.map { $0.duration.inMilliseconds }]
    let counts = runs.compactMap(\.mostAtOnce)
    if !counts.isEmpty { sums.append(["most at once", ""] + counts.map(String.init)) }

    var widths = [0, 0] + runs.map { _ in Self.figureWidth }
    for row in rows + sums {
      for (column, cell) in row.enumerated() { widths[column] = max(widths[column], cell.count) }
    }
    let lines = (rows + sums).map { line($0, widths) }
    let rule = style.dim("  " + String(repeating: "-", count: lines[0].count - 2))
    print()
    print(style.dim(lines[0]))
    lines[1..<rows.count].forEach { print($0) }
    print(rule)
    lines[rows.count...].forEach { print(style.bold($0)) }
    print()
  }

  func success(_ text: String) {
    print(style.green(text))
  }

  /// Says on standard error what went wrong.
  func failure(_ text: String) {
    FileHandle.standardError.write(Data("quickstart: \(text)\n".utf8))
  }

  /// Words to the left, figures to the right.
  private func line(_ cells: [String], _ widths: [Int]) -> String {
    let padded = cells.enumerated().map { column, cell in
      let padding = String(repeating: " ", count: widths[column] - cell.count)
      return column < 2 ? cell + padding : padding + cell
    }
    return "  " + padded.joined(separator: "   ")
  }
}
