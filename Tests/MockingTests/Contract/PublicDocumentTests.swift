import Foundation
import Networking
import TestGate
import Testing

@testable import Mocking
@testable import MockingContracts

private let documentFolder = ProcessInfo.processInfo.environment["CATENA_OPENAPI_DOCUMENTS"]
  .map { URL(fileURLWithPath: $0) }

/// OpenAPI documents of real services, which are not a part of this package.
///
/// The test runs if `CATENA_OPENAPI_DOCUMENTS` is the path of a folder with documents. With
/// `CATENA_OPENAPI_RESPONSES`, it writes a line of JSON for each response to this file, for another
/// validator.
@Suite(.gated, .enabled(if: documentFolder != nil))
struct PublicDocumentTests {
  private static func request(_ operation: ContractOperation) -> ReceivedRequest {
    ReceivedRequest(
      method: operation.method, target: operation.path, path: ReceivedPath(text: operation.path),
      headers: [:], trailers: [:], body: Data(), bodyByteCount: 0, version: "1.1", connection: 0,
      exchange: 0, time: .zero)
  }

  @Test func everyOperationHasAResponseThatKeepsItsSchema() throws {
    let folder = try #require(documentFolder)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    var lines: [String] = []
    var (documents, operations, bodies, invalid, unwritable) = (0, 0, 0, 0, 0)
    for name in names where ["json", "yaml", "yml"].contains((name as NSString).pathExtension) {
      let contract: Contract
      do throws(ContractError) {
        contract = try Contract(contentsOf: folder.appending(path: name))
      } catch {
        print("REFUSED \(name): \(error.issues.count) issues")
        for issue in error.issues.prefix(20) { print("  \(issue)") }
        continue
      }
      documents += 1
      for warning in contract.warnings.prefix(2) { print("WARNING \(warning)") }
      for operation in contract.content.operations {
        operations += 1
        let path = ContractPath(operation.path)
        let responder = ContractResponder(
          operation, at: path, of: contract.content, seed: 1, validates: false)
        let mock = responder.respond(to: Self.request(operation))
        if mock.status >= 500, mock.headers["Content-Type"] == "application/problem+json" {
          unwritable += 1
          print("NO BODY \(name) \(operation.method) \(operation.path)")
        }
        guard case .data(let data) = mock.body, let body = try? JSON(parsing: data),
          let media = operation.response(for: mock.status)?.content.first(where: \.isJSON),
          let schema = media.schema
        else { continue }
        bodies += 1
        let violations = contract.content.violations(of: body, schema, .response)
        if let first = violations.first {
          invalid += 1
          print(
            "INVALID \(name) \(operation.method) \(operation.path): \(first) at \(first.schema.pointer)"
          )
        }
        let place = contract.content.program.nodes[schema].place
        lines.append(
          (["file": .string(name), "schema": .string(place.pointer), "body": body] as JSON)
            .description)
      }
    }
    print(
      "\(documents) documents of \(names.count), \(operations) operations, \(bodies) JSON bodies, "
        + "\(invalid) invalid, \(unwritable) without a body")
    if let file = ProcessInfo.processInfo.environment["CATENA_OPENAPI_RESPONSES"] {
      try Data(lines.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: file))
    }
    #expect(documents > 0)
  }
}
