import Foundation
import Networking

/// What stands in a file of stubs.
struct StubDocument {
  let stubs: [Stub]
  private(set) var connectionFaults: [Int?: MockFault] = [:]

  /// Reads the text of a file.
  ///
  /// - Throws: ``StubFileError/malformed(file:line:column:path:problem:)``.
  init(_ data: Data, _ file: URL) throws(StubFileError) {
    let data = JSONProblem.text(of: data)
    do throws(JSONProblem) {
      guard String(validating: data, as: UTF8.self) != nil, let json = try? JSON(parsing: data)
      else { throw JSONProblem.syntax(of: data) }
      let name = file.lastPathComponent
      let folder = file.deletingLastPathComponent()
      let root = StubValue(json: json, path: JSONValuePath())
      let object = try root.object(
        ["$schema", "comment", "routes", "connectionFaults"],
        "an object with a member \"routes\"")
      let values = try object.required("routes", "an array").elements("an array of routes")
      var stubs: [Stub] = []
      for value in values {
        let offset = JSONLocator.offset(of: value.path, in: data)
        let place = TextPlace(offset, in: data)
        stubs.append(
          try value.stub(
            in: folder,
            at: .init(file: name, line: UInt(place.line), column: UInt(place.column))))
      }
      self.stubs = stubs
      try Stub.checkStates(of: stubs)
      for value in try object["connectionFaults"]?.elements("an array of faults") ?? [] {
        let (connection, fault) = try value.connectionFault()
        connectionFaults[connection] = fault
      }
    } catch {
      let place = error.place(in: data)
      throw .malformed(
        file: file, line: place.line, column: place.column, path: "\(error.path)",
        problem: error.text)
    }
  }
}
