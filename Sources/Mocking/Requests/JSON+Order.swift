package import Foundation
package import Networking

extension JSON {
  /// Returns the value as a compact JSON text with a given order of members.
  ///
  /// - Parameter rank: Returns the rank of a name. Members with equal ranks are sorted by the UTF-8
  ///   bytes of their names.
  /// - Returns: The text in UTF-8.
  /// - Throws: The errors of `data()`.
  package func data(orderedBy rank: (_ name: String) -> Int) throws -> Data {
    try parameters(orderedBy: rank).jsonText()
  }

  private func parameters(orderedBy rank: (_ name: String) -> Int) -> Parameters {
    switch self {
    case .array(let values): return .array(values.map { $0.parameters(orderedBy: rank) })
    case .dictionary(let values):
      let ranked = values.map { (rank: rank($0.key), name: $0.key, value: $0.value) }
      let sorted = ranked.sorted {
        $0.rank == $1.rank
          ? $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) : $0.rank < $1.rank
      }
      return .dictionary(
        Parameters.Members(
          sorted.map { (key: $0.name, value: $0.value.parameters(orderedBy: rank)) }))
    case .null, .bool, .int, .decimal, .double, .string: return Parameters(self)
    }
  }
}
