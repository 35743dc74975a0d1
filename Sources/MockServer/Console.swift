import Foundation
import Mocking

/// A printer of lines on a serial queue, so that callers do not wait for the terminal.
final class Console: Sendable {
  private let queue = DispatchQueue(label: "Console")

  func line(_ text: String) {
    queue.async {
      print(text)
      fflush(nil)
    }
  }

  /// Prints a line for a request and its response.
  func exchange(_ exchange: ServedExchange) {
    let date = Date()
    queue.async {
      print(exchange.line(at: date))
      fflush(nil)
    }
  }

  /// Prints a table of the routes of a file, one line each.
  func routes(of file: StubFile) {
    line(file.table)
  }

  /// Prints an error on standard error.
  func failure(_ text: String) {
    queue.sync { FileHandle.standardError.write(Data("mock-server: \(text)\n".utf8)) }
  }

  /// Waits until all lines are printed.
  func flush() {
    queue.sync {}
  }
}

extension ServedExchange {
  private static let calendar = Calendar.current

  /// Returns a line with the time, method, target, status, body size and duration.
  ///
  /// Values of secret query parameters are masked.
  fileprivate func line(at date: Date) -> String {
    let now = Self.calendar.dateComponents([.hour, .minute, .second], from: date)
    let time = [now.hour, now.minute, now.second]
      .map { "\($0 ?? 0)".leftPadded(to: 2, with: "0") }.joined(separator: ":")
    let method = request?.method.rawValue ?? "?"
    let target = request.map { Redactor.standard.maskedURL($0.target) } ?? "(malformed)"
    let tenths = Int(duration / .microseconds(100))
    var line =
      "\(time)  \(method.rightPadded(to: 7)) \(target.rightPadded(to: 32)) "
      + "\(status.map(String.init) ?? "---") "
      + "\("\(bodyByteCount)".leftPadded(to: 9)) B "
      + "\("\(tenths / 10).\(tenths % 10)".leftPadded(to: 8)) ms"
    if ending != .complete { line += "  \(ending)" }
    return line
  }
}

extension StubFile {
  /// The stubs as a table, one line each.
  fileprivate var table: String {
    let rows = summaries.map { stub in
      [
        stub.method?.rawValue ?? "*", stub.path, stub.response,
        stub.conditions.joined(separator: "; "),
      ]
    }
    var widths = [0, 0, 0, 0]
    for row in rows {
      for (column, cell) in row.enumerated() { widths[column] = max(widths[column], cell.count) }
    }
    return rows.map { row in
      let line = zip(row, widths).map { "  " + $0.rightPadded(to: $1) }.joined()
      return String(line.reversed().drop { $0 == " " }.reversed())
    }.joined(separator: "\n")
  }
}

extension String {
  fileprivate func leftPadded(to width: Int, with filler: String = " ") -> String {
    String(repeating: filler, count: max(width - count, 0)) + self
  }

  fileprivate func rightPadded(to width: Int) -> String {
    self + String(repeating: " ", count: max(width - count, 0))
  }
}
