import Mocking

/// The stubs of a file, one in a line.
struct StubTable: CustomStringConvertible {
  let description: String

  init(_ file: StubFile) {
    let rows = file.summaries.map { stub in
      [
        stub.method?.rawValue ?? "*", stub.path, stub.response,
        stub.conditions.joined(separator: "; "),
      ]
    }
    var widths = [0, 0, 0, 0]
    for row in rows {
      for (column, cell) in row.enumerated() { widths[column] = max(widths[column], cell.count) }
    }
    description = rows.map { row in
      let line = row.enumerated().reduce("") { line, cell in
        line + "  " + cell.element
          + String(repeating: " ", count: widths[cell.offset] - cell.element.count)
      }
      return String(line.reversed().drop { $0 == " " }.reversed())
    }.joined(separator: "\n")
  }
}
