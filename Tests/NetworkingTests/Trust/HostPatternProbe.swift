@testable import Networking

/// The lookup of hosts, with a name in place of each policy.
struct HostPatternProbe {
  private let table: HostTable<String>

  init(
    _ entries: [(String, String)], predicate: @escaping @Sendable (String, Int) -> Bool
  ) throws {
    table = try HostTable(
      entries.map { (HostPattern($0.0), $0.1) } + [(.matching(predicate), "predicate")])
  }

  func name(of host: String, _ port: Int) -> String {
    table.value(forHost: host, port: port) ?? "others"
  }
}
