import Foundation
import TestGate
import Testing

/// The table of samples in `README.md`, compared with the code.
@Suite(.gated)
struct SampleTableTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

  /// A row of the table.
  private struct Row {
    var name: Substring
    var originalLines: Int?
    var lines: Int?

    /// Reads a line of the page, or returns `nil` if it is no row of a sample.
    init?(_ line: Substring) {
      let cells = line.split(separator: "|").map { $0.trimmingPrefix(" ") }
      guard cells.count == 5,
        let name = cells[0].split(separator: " ").first, name.contains(where: \.isNumber)
      else { return nil }
      self.name = name
      originalLines = cells[2].split(separator: " ").first.flatMap { Int($0) }
      lines = cells[3].split(separator: " ").first.flatMap { Int($0) }
    }
  }

  private func rows() throws -> [Row] {
    let page = Self.folder.appending(path: "README.md")
    return try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
      .compactMap { Row($0) }
  }

  /// Returns the lines of the samples, without empty lines and comments, by their rows.
  private func countedLines() throws -> [Substring: Int] {
    let files = try FileManager.default.contentsOfDirectory(
      at: Self.folder, includingPropertiesForKeys: nil)
    var counts: [Substring: Int] = [:]
    for file in files where file.pathExtension == "swift" {
      var row: Substring?
      for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
        let code = line.trimmingPrefix { $0 == " " }
        if code.hasPrefix("// sample ") {
          row = code.dropFirst("// sample ".count)
        } else if code == "// end" {
          row = nil
        } else if let row, !code.isEmpty, !code.hasPrefix("//") {
          counts[row, default: 0] += 1
        }
      }
    }
    return counts
  }

  @Test func eachSampleHasTheLinesOfTheTable() throws {
    let counts = try countedLines()
    let rows = try rows()
    #expect(rows.count == 148)
    for row in rows {
      #expect(row.lines == nil || counts[row.name] == row.lines, "row \(row.name)")
    }
    #expect(Set(counts.keys).isSubset(of: rows.map(\.name)))
  }

  @Test func noSampleIsLongerThanItsOriginal() throws {
    for row in try rows() {
      guard let original = row.originalLines, let lines = row.lines else { continue }
      #expect(lines <= original, "row \(row.name)")
    }
  }
}
