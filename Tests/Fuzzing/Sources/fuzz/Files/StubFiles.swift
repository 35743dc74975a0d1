import Foundation

@testable import Mocking
@testable import MockingRecordings
@testable import MockingStubs
@testable import Networking

extension FuzzTarget {
  /// Stub files.
  static let stubFiles = FuzzTarget("stub-files") { input in
    let file = URL(fileURLWithPath: "/nowhere/stubs.json")
    Growth.checkLinear(input) { bytes in
      _ = try? StubDocument(Data(bytes), file)
    }
    let document: StubDocument
    do throws(StubFileError) {
      document = try StubDocument(input.data, file)
    } catch {
      guard case .malformed(_, let line, let column, _, let problem) = error else {
        fatalError("violated: the error is \(error)")
      }
      let lines = input.bytes.count { $0 == UInt8(ascii: "\n") } + 1
      expect((1...lines).contains(line) && column >= 1, "the error is in the text: \(error)")
      expect(!problem.isEmpty, "an error has a reason")
      return
    }
    if case .dictionary(let members)? = try? JSON(parsing: JSONDocumentError.text(of: input.data)),
      case .array(let routes)? = members["routes"]
    {
      expect(document.stubs.count == routes.count, "each route is a stub")
    }
    for stub in document.stubs {
      let summary = stub.summary
      expect(summary.path.hasPrefix("/") && !summary.response.isEmpty, "a summary of \(stub)")
    }
    let table: RouteTable
    do throws(MockServerError) {
      table = try RouteTable(document.stubs.map(\.route))
    } catch {
      // The loader of several files reports identifiers that occur twice.
      if case .duplicateRoute = error { return }
      fatalError("violated: the routes of a stub file are valid: \(error)")
    }
    for stub in document.stubs.prefix(8) {
      let target = stub.summary.path.replacing("{", with: "").replacing("}", with: "")
      for method in [HTTPMethod.get, .head, .options, stub.summary.method ?? .post] {
        switch table.find(method, target) {
        case .routes(let candidates, _): expect(!candidates.isEmpty, "a route is found")
        case .response(let mock, _):
          expect((200...599).contains(mock.status), "the status of a response: \(mock.status)")
        case .unmatched: break
        }
      }
    }
  }
}
