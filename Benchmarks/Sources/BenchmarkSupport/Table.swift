/// A Markdown table; all columns except the first are aligned to the right.
public struct Table: Sendable {
  private var rows: [[String]]

  /// Creates a table with a header row only.
  ///
  /// - Parameter heads: The names of the columns.
  public init(_ heads: String...) {
    rows = [heads]
  }

  /// Adds a row.
  ///
  /// - Parameter cells: The cells, one for each column.
  public mutating func add(_ cells: String...) {
    rows.append(cells)
  }

  /// Prints the table in Markdown.
  public func printed() {
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    for (number, row) in rows.enumerated() {
      let cells = row.enumerated().map { column, cell in
        let gap = String(repeating: " ", count: widths[column] - cell.count)
        return column == 0 ? cell + gap : gap + cell
      }
      print("| " + cells.joined(separator: " | ") + " |")
      if number == 0 {
        let rules = widths.enumerated().map { column, width in
          String(repeating: "-", count: width + 1) + (column == 0 ? "-" : ":")
        }
        print("|" + rules.joined(separator: "|") + "|")
      }
    }
  }
}
