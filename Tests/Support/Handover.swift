import Foundation

/// Numbers for the process of an exit test, which knows its parent and nothing else.
///
/// They go by a file and not by the environment: changing that while another thread reads it, as the
/// launch of a program does, has been seen to crash.
package enum Handover {
  package static func give(_ numbers: [Int], as name: String) throws {
    let text = numbers.map(\.description).joined(separator: " ")
    try Data(text.utf8).write(to: file(name, of: getpid()))
  }

  package static func take(_ name: String) throws -> [Int] {
    let file = file(name, of: getppid())
    defer { try? FileManager.default.removeItem(at: file) }
    return try String(contentsOf: file, encoding: .utf8).split(separator: " ")
      .compactMap { Int($0) }
  }

  private static func file(_ name: String, of parent: pid_t) -> URL {
    FileManager.default.temporaryDirectory.appendingPathComponent("catena-\(parent)-\(name)")
  }
}
