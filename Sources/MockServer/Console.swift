import Foundation
import Mocking

/// A printer of lines on a serial queue, so that callers do not wait for the terminal.
final class Console: Sendable {
  private let queue = DispatchQueue(label: "Console")

  /// Prints a line.
  func line(_ text: String) {
    queue.async {
      print(text)
      fflush(nil)
    }
  }

  /// Prints the lines that a closure returns, which runs on the queue of the console.
  func lines(_ make: @escaping @Sendable () -> String) {
    queue.async {
      print(make())
      fflush(nil)
    }
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
    queue.sync { FileHandle.standardError.write(Data("mock-server: \(text)\n".utf8)) }
  }

  /// Prints a warning on standard error, without waiting for the terminal.
  func warn(_ text: String) {
    queue.async { FileHandle.standardError.write(Data("mock-server: warning: \(text)\n".utf8)) }
  }

  /// Prints the warnings about recordings on standard error, the first ten in full.
  func warn(_ warnings: [ArchiveWarning]) {
    for warning in warnings.prefix(10) { failure("warning: \(warning)") }
    if warnings.count > 10 { failure("warning: \(warnings.count - 10) further warnings") }
  }

  /// Waits until all lines are printed.
  func flush() {
    queue.sync {}
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
