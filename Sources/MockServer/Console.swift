import CatenaSystem
import Foundation
import Mocking
import MockingRecordings
import MockingStubs

/// A printer of lines on a serial queue, so that callers do not wait for the terminal.
///
/// Nobody may read the output, and then printing blocks as soon as the pipe is full. Lines that wait
/// are bounded: those above ``waitingLimit`` are left out, and a line says how many. If the output is
/// closed or full, or its reader has gone, the program continues without it. A command whose result is
/// the output calls ``checkOutput()``.
final class Console: Sendable {
  /// The number of lines that may wait to be printed.
  static let waitingLimit = 10_000

  private let queue = DispatchQueue(label: "Console")
  private let state = Mutex(State())

  private struct State {
    var waitingLines = 0
    var linesLeftOut = 0
    var linesPrinted = 0
    /// The value of `linesPrinted` when somebody last began to wait for the end of printing.
    var linesPrintedBeforeWaiting: Int?
    /// Whether a line was not printed completely.
    var isIncomplete = false
  }

  /// Prints a line.
  func line(_ text: String) {
    lines { text }
  }

  /// Prints the lines that a closure returns, which runs on the queue of the console.
  func lines(_ make: @escaping @Sendable () -> String) {
    let isAccepted = state.withLock { state in
      let isAccepted = state.waitingLines < Self.waitingLimit
      if isAccepted { state.waitingLines += 1 } else { state.linesLeftOut += 1 }
      if !isAccepted { state.isIncomplete = true }
      return isAccepted
    }
    guard isAccepted else { return }
    queue.async { [self] in
      write(make())
      let leftOut = state.withLock { state in
        state.waitingLines -= 1
        state.linesPrinted += 1
        guard state.waitingLines == 0 else { return 0 }
        defer { state.linesLeftOut = 0 }
        return state.linesLeftOut
      }
      if leftOut > 0 { write("(\(leftOut) lines left out: the output was not read in time)") }
    }
  }

  private func write(_ line: String) {
    guard !StandardStream.output.write("\(line)\n", waitingAtMost: .never) else { return }
    state.withLock { $0.isIncomplete = true }
  }

  /// Prints a JSON object on one line.
  func object(_ members: [String: JSON]) {
    lines { Self.text(of: members) }
  }

  /// Returns a JSON object on one line.
  static func text(of members: [String: JSON]) -> String {
    let data = (try? JSON.dictionary(members).data()) ?? Data("{}".utf8)
    return String(decoding: data, as: UTF8.self)
  }

  /// Prints an error on standard error, after all lines.
  func failure(_ text: String) {
    finish()
    StandardStream.error.write("mock-server: \(text)\n")
  }

  /// Prints lines on standard error as they are, after all lines.
  func diagnostics(_ text: String) {
    finish()
    StandardStream.error.write(text)
  }

  /// Prints a warning on standard error, without waiting for the terminal.
  func warn(_ text: String) {
    queue.async { StandardStream.error.write("mock-server: warning: \(text)\n") }
  }

  /// Prints the warnings about files on standard error, the first ten in full.
  func warn(_ warnings: [ArchiveWarning]) {
    for warning in warnings.prefix(10) { failure("warning: \(warning)") }
    guard warnings.count > 10 else { return }
    failure("warning: \(warnings.count - 10) further warnings; mock-server check FILE prints all")
  }

  /// Waits until all lines are printed, or nobody has read the output for a second.
  private func finish() {
    let isPrinted = DispatchSemaphore(value: 0)
    queue.async { isPrinted.signal() }
    repeat {
      // A slow machine is not a full pipe: the output has to be full, and no line printed meanwhile.
      let isUnread = state.withLock { state in
        defer { state.linesPrintedBeforeWaiting = state.linesPrinted }
        return state.linesPrintedBeforeWaiting == state.linesPrinted
          && !StandardStream.output.isWritable
      }
      if isUnread { return }
    } while isPrinted.wait(timeout: .now() + .seconds(1)) == .timedOut
  }

  /// Waits until all lines are printed, however slow the reader is.
  ///
  /// - Throws: ``UnsavedFile`` if a line was lost.
  func checkOutput() throws(UnsavedFile) {
    queue.sync {}
    guard state.withLock(\.isIncomplete) else { return }
    throw UnsavedFile(description: "the output could not be written completely")
  }

  /// Ends the program after all lines are printed.
  ///
  /// The lines that nobody reads are lost.
  func exit(_ status: ExitStatus) -> Never {
    finish()
    Foundation.exit(status.rawValue)
  }
}

extension StubFile {
  /// Returns the stubs as a table, one line each.
  ///
  /// - Parameter isVerbose: Whether each route of a resource has a line, instead of the resource.
  /// - Returns: The lines.
  func table(isVerbose: Bool) -> String {
    var rows: [[String]] = []
    var rest = summaries[...]
    while let stub = rest.first {
      let conditions = stub.conditions.joined(separator: "; ")
      guard !isVerbose, let resource = stub.resource else {
        rest = rest.dropFirst()
        rows.append([stub.method?.rawValue ?? "*", stub.path, stub.response, conditions])
        continue
      }
      let routes = rest.prefix { $0.resource == resource }
      rest = rest.dropFirst(routes.count)
      rows.append(["resource", resource, routes.resourceDescription, conditions])
    }
    var widths = [0, 0, 0, 0]
    for row in rows {
      // A long cell does not widen its column for all other rows.
      for (column, cell) in row.enumerated() {
        widths[column] = max(widths[column], min(cell.count, 48))
      }
    }
    return rows.map { row in
      let line = zip(row, widths).map { "  " + $0.rightPadded(to: $1) }.joined()
      return String(line.reversed().drop { $0 == " " }.reversed())
    }.joined(separator: "\n")
  }
}

extension ArraySlice<StubFile.Summary> {
  /// The methods and the items of the resource whose routes these are: `(GET, POST), 24 items`.
  fileprivate var resourceDescription: String {
    var methods: [String] = []
    for case let method? in map(\.method?.rawValue) where !methods.contains(method) {
      methods.append(method)
    }
    let count = first?.itemCount ?? 0
    return "(\(methods.joined(separator: ", "))), \(count) \(count == 1 ? "item" : "items")"
  }
}

extension StubFile.Summary {
  /// The stub as a JSON object.
  var object: [String: JSON] {
    [
      "method": method.map { .string($0.rawValue) } ?? .null, "path": .string(path),
      "response": .string(response), "conditions": .array(conditions.map { .string($0) }),
    ]
  }
}

extension String {
  func leftPadded(to width: Int, with filler: String = " ") -> String {
    String(repeating: filler, count: max(width - count, 0)) + self
  }

  func rightPadded(to width: Int) -> String {
    self + String(repeating: " ", count: max(width - count, 0))
  }
}
