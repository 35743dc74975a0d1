import Foundation
public import Networking

/// The result of a check of exchanges against a contract.
///
/// ```swift
/// let monitor = ContractMonitor(contract)
/// networking.interceptors.append(monitor, at: .hop)
/// // ... requests ...
/// print(monitor.report)                  // as text
/// try monitor.report.verify()            // throws if the contract was not kept
/// ```
///
/// A report has no values of exchanges: messages name types, limits and the values that the document
/// allows. Secrets in URLs are masked.
public struct ContractReport: Sendable, Hashable {
  /// A side of an exchange.
  public enum Side: String, Sendable, Hashable {
    /// The client.
    case request
    /// The server.
    case response
  }

  /// A part of an exchange.
  public enum Location: String, Sendable, Hashable {
    /// A parameter in the path.
    case path
    /// A parameter in the query.
    case query
    /// A header field.
    case header
    /// A cookie.
    case cookie
    /// The body.
    case body
    /// The credentials of a request.
    case security
    /// The status of a response.
    case status
  }

  /// A part of an operation that exchanges do not keep.
  public struct Violation: Sendable, Hashable {
    /// The operation.
    public let operation: Contract.Operation
    /// The side that does not keep the contract.
    public let side: Side
    /// The part of the exchange.
    public let location: Location
    /// The name of the parameter or the header field.
    ///
    /// `nil` for a body, a status and credentials.
    public let name: String?
    /// The JSON pointer of the value in the body or the parameter, such as `/0/name`.
    ///
    /// Empty for the whole value. It is that of the first exchange; the same violation of other elements
    /// of an array is counted.
    public let pointer: String
    /// The JSON pointer of the schema in its document, after the name of the file.
    ///
    /// `nil` if no schema is concerned.
    public let schema: String?
    /// The expected and the actual part.
    public let message: String
    /// The status of the response.
    public let status: Int
    /// The target of the first request, with secrets masked.
    public let target: String
    /// The number of times that this was found.
    public internal(set) var count = 1
  }

  /// Requests for which the contract has no operation.
  public struct UndocumentedRequest: Sendable, Hashable {
    /// The method.
    public let method: HTTPMethod
    /// The path, with secrets masked.
    public let path: String
    /// The number of requests.
    public internal(set) var count = 1
  }

  /// The title of the document.
  public let title: String
  /// The version of the API.
  public let version: String
  /// The number of exchanges for operations of the contract.
  public internal(set) var exchangeCount = 0
  /// The parts that were not kept, in the order in which they were found; at most 1,000.
  public internal(set) var violations: [Violation] = []
  /// The requests without an operation, in the order in which they were found; at most 1,000.
  public internal(set) var undocumented: [UndocumentedRequest] = []
  /// The operations without an exchange, in the order of the contract.
  public internal(set) var unexercised: [Contract.Operation] = []
  /// The operations with an exchange, in the order of the contract.
  public internal(set) var exercised: [Contract.Operation] = []
  /// The number of violations and undocumented requests that are not listed, because there are too many.
  public internal(set) var unlistedCount = 0

  /// The number of exchanges that were not checked, because too many others were waiting for their check.
  public internal(set) var uncheckedCount = 0

  /// Whether all exchanges have been checked and keep the contract, and all requests are documented.
  public var isKept: Bool {
    violations.isEmpty && undocumented.isEmpty && unlistedCount == 0 && uncheckedCount == 0
  }

  /// Checks that all exchanges keep the contract, and that all requests are documented.
  ///
  /// - Throws: ``ContractViolationError`` if one is not.
  public func verify() throws(ContractViolationError) {
    guard isKept else { throw ContractViolationError(report: self) }
  }
}

/// The error of exchanges that do not keep a contract.
public struct ContractViolationError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The report.
  public let report: ContractReport

  /// The report as text.
  public var description: String { report.description }
}

extension ContractReport: CustomStringConvertible {
  /// The report as text: a line for each violation, undocumented request and operation that was not
  /// exercised.
  ///
  /// ```
  /// Pets 2: 14 exchanges, 1 violation, 1 undocumented request, 2 of 9 operations not exercised
  /// violations:
  ///   GET /pets/{id} (getPet): response 200: /name: expected a string, found null; 3 times, first GET /v1/pets/7
  ///     openapi.yaml#/components/schemas/Pet/properties/name
  /// undocumented:
  ///   GET /v1/owners, 2 times
  /// not exercised:
  ///   DELETE /pets/{id} (deletePet)
  /// ```
  public var description: String {
    let operationCount = exercised.count + unexercised.count
    var lines = [
      "\(title) \(version): \(Self.count(exchangeCount, "exchange")), "
        + "\(Self.count(violations.count, "violation")), "
        + "\(Self.count(undocumented.count, "undocumented request")), "
        + "\(unexercised.count) of \(Self.count(operationCount, "operation")) not exercised"
    ]
    if !violations.isEmpty { lines.append("violations:") }
    for violation in violations {
      lines.append("  \(violation)")
      if let schema = violation.schema { lines.append("    \(schema)") }
    }
    if !undocumented.isEmpty { lines.append("undocumented:") }
    for request in undocumented {
      lines.append("  \(request.method) \(request.path)\(Self.times(request.count))")
    }
    if unlistedCount > 0 { lines.append("and \(unlistedCount) more, which are not listed") }
    if uncheckedCount > 0 {
      lines.append(
        "not checked, because too many were waiting: \(Self.count(uncheckedCount, "exchange"))")
    }
    if !unexercised.isEmpty { lines.append("not exercised:") }
    for operation in unexercised { lines.append("  \(operation)") }
    return lines.joined(separator: "\n")
  }

  private static func count(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }

  fileprivate static func times(_ count: Int) -> String { count == 1 ? "" : ", \(count) times" }
}

extension ContractReport.Violation: CustomStringConvertible {
  /// The operation, the side, the expected and the actual part, the number of times, and the first
  /// request.
  public var description: String {
    let side = side == .request ? "request" : "response \(status)"
    let times = count == 1 ? "" : " \(count) times, first"
    return "\(operation): \(side): \(message);\(times) \(operation.method) \(target)"
  }
}
