import Foundation
public import Networking

extension ContractReport {
  /// The report as JSON.
  ///
  /// ```json
  /// {
  ///   "title": "Pets", "version": "2", "exchanges": 14, "kept": false,
  ///   "violations": [{
  ///     "operation": {"method": "GET", "path": "/pets/{id}", "id": "getPet"}, "side": "response",
  ///     "in": "body", "pointer": "/name", "schema": "openapi.yaml#/components/schemas/Pet/properties/name",
  ///     "message": "/name: expected a string, found null", "status": 200, "target": "/v1/pets/7", "count": 3
  ///   }],
  ///   "undocumented": [{"method": "GET", "path": "/v1/owners", "count": 2}],
  ///   "unexercised": [{"method": "DELETE", "path": "/pets/{id}", "id": "deletePet"}], "unlisted": 0, "unchecked": 0
  /// }
  /// ```
  public var json: JSON {
    [
      "title": .string(title), "version": .string(version), "exchanges": .int(exchangeCount),
      "kept": .bool(isKept), "violations": .array(violations.map(\.json)),
      "undocumented": .array(
        undocumented.map {
          [
            "method": .string($0.method.rawValue), "path": .string($0.path),
            "count": .int($0.count),
          ]
        }),
      "unexercised": .array(unexercised.map(\.json)), "unlisted": .int(unlistedCount),
      "unchecked": .int(uncheckedCount),
    ]
  }

  /// The report as a JUnit document, for the test reports of CI services.
  ///
  /// Each operation is a test case. It fails with its violations, and is skipped if it was not exercised.
  /// Each undocumented request is a test case that fails.
  public var junit: String { JUnitReport([junitSuite]).text }

  /// The test cases of ``junit``.
  package var junitSuite: JUnitReport.Suite {
    var suite = JUnitReport.Suite(title)
    let failures = Dictionary(grouping: violations, by: \.operation)
    for operation in exercised {
      suite.add("\(operation)", failures: (failures[operation] ?? []).map(\.description))
    }
    for operation in unexercised { suite.add("\(operation)", failures: [], isSkipped: true) }
    for request in undocumented {
      let name = "\(request.method) \(request.path)"
      suite.add(name, failures: ["the contract has no operation for \(name)"])
    }
    if unlistedCount > 0 {
      suite.add("others", failures: ["\(unlistedCount) more violations, which are not listed"])
    }
    return suite
  }
}

extension ContractReport.Violation {
  /// The violation as JSON, as in ``ContractReport/json``.
  public var json: JSON {
    var members: [String: JSON] = [
      "operation": operation.json, "side": .string(side.rawValue),
      "in": .string(location.rawValue), "pointer": .string(pointer), "message": .string(message),
      "status": .int(status), "target": .string(target), "count": .int(count),
    ]
    members["name"] = name.map { .string($0) }
    members["schema"] = schema.map { .string($0) }
    return .dictionary(members)
  }
}

extension Contract.Operation {
  fileprivate var json: JSON {
    var members: [String: JSON] = ["method": .string(method.rawValue), "path": .string(path)]
    members["id"] = id.map { .string($0) }
    return .dictionary(members)
  }
}
