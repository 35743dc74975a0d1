import Foundation
import Mocking
import MockingDocuments
import Networking

/// A check of exchanges against the operations of a contract, which counts its findings.
struct ContractChecker: Sendable {
  /// A violation, whatever the element of an array.
  private struct Key: Hashable {
    let operation: Int
    let side: ContractReport.Side
    let part: ContractPart
    let status: Int
  }

  private struct RequestKey: Hashable {
    let method: HTTPMethod
    let path: String
  }

  /// The number of violations, and of undocumented requests, that are listed.
  private static let limit = 1_000

  private let contract: Contract
  private let content: Contract.Content
  private let operations: OperationTable

  private var report: ContractReport
  /// The violations of the last exchange, also those that were found before.
  private(set) var lastViolations: [ContractReport.Violation] = []
  private var exercised: Set<Int> = []
  /// The places of the violations in the report.
  private var violations: [Key: Int] = [:]
  /// The places of the undocumented requests in the report.
  private var undocumented: [RequestKey: Int] = [:]

  /// Creates a checker.
  ///
  /// - Parameters:
  ///   - contract: The contract.
  ///   - ignoresMaskedValues: Whether the exchanges are those of a recording, in which secrets are
  ///     masked.
  init(_ contract: Contract, ignoresMaskedValues: Bool = false) {
    self.contract = contract
    var content = contract.content
    content.ignoresMaskedValues = ignoresMaskedValues
    self.content = content
    operations = OperationTable(content)
    report = ContractReport(title: contract.title, version: contract.version)
  }

  /// The report on all exchanges.
  var current: ContractReport {
    var report = report
    for (index, operation) in contract.operations.enumerated() {
      if exercised.contains(index) {
        report.exercised.append(operation)
      } else {
        report.unexercised.append(operation)
      }
    }
    return report
  }

  /// Checks an exchange.
  ///
  /// - Returns: The violations that were not found before.
  @discardableResult
  mutating func check(_ exchange: CheckedExchange) -> ArraySlice<ContractReport.Violation> {
    let count = report.violations.count
    lastViolations = []
    add(exchange)
    return report.violations[count...]
  }

  private mutating func add(_ exchange: CheckedExchange) {
    let request = exchange.request
    guard let match = operations.find(request.method, request.target) else {
      // Browsers send these before a request, and no document has them.
      guard request.method != .options else { return }
      return add(request)
    }
    let index = match.index
    report.exchangeCount += 1
    exercised.insert(index)
    let operation = content.operations[index]
    let values = match.path.values(in: request.path.text[...])
    let requestChecker = RequestChecker(contract: content, operation: operation)
    if let result = requestChecker.check(request, path: values, hasBody: exchange.hasRequestBody) {
      // A server that refuses the request keeps the contract, and so does a client that expects it.
      for violation in result.violations where !(400...499).contains(exchange.status) {
        add(ContractPart(violation), .request, index, exchange)
      }
    }
    let responseChecker = ResponseChecker(contract: content, operation: operation)
    for part in responseChecker.check(exchange) { add(part, .response, index, exchange) }
  }

  // MARK: Counting

  private mutating func add(
    _ part: ContractPart, _ side: ContractReport.Side, _ index: Int, _ exchange: CheckedExchange
  ) {
    let violation = ContractReport.Violation(
      operation: contract.operations[index], side: side, location: part.location,
      name: part.name, pointer: JSONValuePath(tokens: part.path).pointer,
      schema: part.schema.map { contract.text(of: $0) }, message: part.message,
      status: exchange.status, target: Redactor.standard.maskedURL(exchange.request.target))
    if lastViolations.count < 100 { lastViolations.append(violation) }
    let key = Key(
      operation: index, side: side, part: part.generalized, status: exchange.status)
    if let place = violations[key] {
      report.violations[place].count += 1
      return
    }
    guard report.violations.count < Self.limit else {
      report.unlistedCount += 1
      return
    }
    violations[key] = report.violations.count
    report.violations.append(violation)
  }

  private mutating func add(_ request: ReceivedRequest) {
    let path = Redactor.standard.maskedURL(request.path.text)
    let key = RequestKey(method: request.method, path: path)
    if let place = undocumented[key] {
      report.undocumented[place].count += 1
      return
    }
    guard report.undocumented.count < Self.limit else {
      report.unlistedCount += 1
      return
    }
    undocumented[key] = report.undocumented.count
    report.undocumented.append(
      ContractReport.UndocumentedRequest(method: request.method, path: path))
  }
}

extension ContractReport {
  init(title: String, version: String) {
    self.title = title
    self.version = version
  }
}

extension ContractPart {
  /// The part without the indices of arrays, and without the message, which has them.
  fileprivate var generalized: ContractPart {
    var part = self
    part.path = path.map { Int($0) == nil ? $0 : "*" }
    if schema != nil { part.message = "" }
    return part
  }
}

extension Contract {
  /// Returns the place of a schema as the name of the file and a JSON pointer.
  fileprivate func text(of place: SchemaPlace) -> String {
    let file = files.first { ContractSources.uri(of: $0) == place.document }
    return "\(file?.lastPathComponent ?? place.document)#\(place.pointer)"
  }
}
