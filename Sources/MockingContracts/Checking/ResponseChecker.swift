import Foundation
import Mocking
import Networking

/// A check of a response against an operation of a contract.
struct ResponseChecker {
  let contract: Contract.Content
  let operation: ContractOperation

  /// Checks a response.
  ///
  /// - Parameter exchange: The exchange.
  /// - Returns: The parts that do not keep the contract.
  func check(_ exchange: CheckedExchange) -> [ContractPart] {
    // An operation without responses says nothing about them.
    guard !operation.responses.isEmpty else { return [] }
    guard let response = operation.response(for: exchange.status) else {
      let codes = operation.responses.map(\.code.description).joined(separator: ", ")
      return [
        ContractPart(.status, "expected the status \(codes), found \(exchange.status)")
      ]
    }
    let headers = response.headers.flatMap { check($0, exchange) }
    return headers + checkBody(response, exchange)
  }

  // MARK: Header fields

  private func check(_ header: ContractHeader, _ exchange: CheckedExchange) -> [ContractPart] {
    let values = exchange.headers.values(for: header.name)
    guard !values.isEmpty else {
      return header.isRequired
        ? [ContractPart(.header, name: header.name, "the header field \(header.name) is missing")]
        : []
    }
    guard let schema = header.schema else { return [] }
    let reader = ParameterValues(exchange.request, path: [:], program: contract.program)
    let value = reader.value(ofHeader: values, schema, explodes: false)
    return contract.violations(of: value, schema, .response).map { violation in
      ContractPart(violation, in: .header, name: header.name)
    }
  }

  // MARK: Body

  private func checkBody(
    _ response: ContractResponse, _ exchange: CheckedExchange
  ) -> [ContractPart] {
    let hasBody =
      exchange.request.method != .head && exchange.status != 204 && exchange.status != 304
    guard hasBody, !response.content.isEmpty else { return [] }
    let text = exchange.headers["Content-Type"] ?? ""
    guard let media = response.content.media(for: text) else {
      if let body = exchange.body, body.isEmpty {
        return [ContractPart(.body, "the response has no body")]
      }
      let expected = response.content.map(\.text).joined(separator: ", ")
      let found = MediaType(text).map { "\($0.type)/\($0.subtype)" } ?? "none"
      return [
        ContractPart(
          .header, name: "Content-Type", "expected the content type \(expected), found \(found)")
      ]
    }
    guard let schema = media.schema, let body = exchange.body else { return [] }
    let value: JSON
    if let type = MediaType(text), type.subtype == "json" || type.subtype.hasSuffix("+json") {
      guard let json = try? JSON(parsing: body) else {
        return [ContractPart(.body, "the body is not JSON")]
      }
      value = json
    } else if media.type.type == "text" {
      value = .string(String(decoding: body, as: UTF8.self))
    } else {
      return []
    }
    return contract.violations(of: value, schema, .response).map { ContractPart($0, in: .body) }
  }
}

/// A part of an exchange that does not keep a contract.
struct ContractPart: Sendable, Hashable {
  let location: ContractReport.Location
  let name: String?
  /// The path of the value in the body or the parameter.
  var path: [String]
  let schema: SchemaPlace?
  var message: String

  init(_ location: ContractReport.Location, name: String? = nil, _ message: String) {
    self.location = location
    self.name = name
    path = []
    schema = nil
    self.message = message
  }

  init(_ violation: SchemaViolation, in location: ContractReport.Location, name: String? = nil) {
    self.location = location
    self.name = name
    path = violation.path
    schema = violation.schema
    message =
      name.map { "the header field \($0)\(violation.pointer): \(violation.message)" }
      ?? "\(violation)"
  }

  init(_ violation: RequestViolation) {
    location = ContractReport.Location(rawValue: violation.location.rawValue) ?? .body
    name = violation.name
    path = violation.path
    schema = violation.schema
    message = violation.message
  }
}
