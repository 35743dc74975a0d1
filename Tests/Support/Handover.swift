import Foundation

/// Numbers for the process of an exit test, which inherits the environment and nothing else.
package enum Handover {
  package static func give(_ numbers: [Int], as name: String) {
    setenv("CATENA_\(name)", numbers.map(\.description).joined(separator: " "), 1)
  }

  package static func take(_ name: String) throws -> [Int] {
    let text = ProcessInfo.processInfo.environment["CATENA_\(name)"]
    guard let text else { throw TestError("nothing was given as \(name)") }
    return text.split(separator: " ").compactMap { Int($0) }
  }
}
