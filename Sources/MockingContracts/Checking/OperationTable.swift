import Mocking
import Networking

/// The operations of a contract by the methods and paths of requests.
struct OperationTable: Sendable {
  /// An operation that a request is for.
  struct Match: Sendable, Hashable {
    /// The index of the operation.
    let index: Int
    /// The path of the operation, with that of the server.
    let path: ContractPath
  }

  private let table: RouteTable
  private let matches: [RouteID: Match]

  init(_ content: Contract.Content) {
    var matches: [RouteID: Match] = [:]
    var table = RouteTable()
    for (index, operation) in content.operations.enumerated() {
      for basePath in operation.basePaths {
        let path = ContractPath(basePath + operation.path)
        let route = path.conditions.reduce(Route(operation.method, path.template, .status(200))) {
          $0.where($1)
        }
        // The templates are those of the routes of the contract, which have been checked.
        guard let id = try? table.add(route) else { continue }
        matches[id] = Match(index: index, path: path)
      }
    }
    self.matches = matches
    self.table = table
  }

  /// Finds the operation for a method and a request target.
  ///
  /// A request with the method `HEAD` is for the operation of `GET` if there is no other one.
  ///
  /// - Returns: The operation. `nil` if there is none.
  func find(_ method: HTTPMethod, _ target: String) -> Match? {
    let query = RequestQuery(target.split(separator: "?", maxSplits: 1).dropFirst().first)
    return table.routes(for: method, target).lazy.compactMap { matches[$0] }
      .first { $0.path.matches(query) }
  }
}
