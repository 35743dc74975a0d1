import Foundation

/// The readiness of a backend: the operations that it answers as its contract says.
public struct ContractReadiness: Sendable, Hashable {
  /// The state of an operation.
  public struct Row: Sendable, Hashable {
    /// The operation.
    public let operation: Contract.Operation
    /// The mode of the operation.
    public let mode: ContractShadow.Mode
    /// Whether the backend has been asked.
    public let isExercised: Bool
    /// The parts of the contract that the backend or the client did not keep.
    public let violations: [ContractReport.Violation]
    /// The differences of structure from the mock, such as `/owner: only in the mock`.
    ///
    /// A contract may allow them.
    public let differences: [String]

    /// Whether the backend has been asked, and has kept the contract.
    public var isReady: Bool { isExercised && violations.isEmpty }
  }

  /// The operations in the order of the contract.
  public let rows: [Row]
}

extension ContractReadiness: CustomStringConvertible {
  /// A table of the operations, with the violations and differences below each.
  ///
  /// ```
  /// ready      real      GET /pets/{id} (getPet)
  /// not ready  shadowed  GET /pets (listPets)
  ///   response 200: /0/id: expected an integer, found a string
  ///   differs from the mock: /0/owner: only in the mock
  /// not asked  mocked    POST /pets (createPet)
  /// 1 of 3 operations ready
  /// ```
  public var description: String {
    var lines: [String] = []
    for row in rows {
      let state = row.isReady ? "ready" : row.isExercised ? "not ready" : "not asked"
      let columns = [(state, 11), (row.mode.rawValue, 10)].map { text, width in
        text.padding(toLength: width, withPad: " ", startingAt: 0)
      }
      lines.append("\(columns.joined())\(row.operation)")
      for violation in row.violations {
        let side = violation.side == .request ? "request" : "response \(violation.status)"
        lines.append("  \(side): \(violation.message)")
      }
      lines += row.differences.map { "  differs from the mock: \($0)" }
    }
    let count = rows.count == 1 ? "1 operation" : "\(rows.count) operations"
    lines.append("\(rows.count { $0.isReady }) of \(count) ready")
    return lines.joined(separator: "\n")
  }
}
