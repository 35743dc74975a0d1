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
    let data = Data(data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data)
    func malformed(_ offset: Int, _ path: StubPath, _ problem: String) -> StubFileError {
      let place = TextPlace(offset, in: data)
      return .malformed(
        file: file, line: place.line, column: place.column, path: "\(path)", problem: problem)
    }
    // JSONSerialization guesses at other encodings, in which places would mean something else.
    guard String(validating: data, as: UTF8.self) != nil else {
      throw malformed(0, StubPath(), "expected a text in UTF-8")
    }
    guard let json = try? JSON(parsing: data) else {
      let (offset, reason) = SyntaxPosition.offset(in: data)
      throw malformed(offset ?? 0, StubPath(), "expected JSON: \(reason)")
    }
    do throws(StubProblem) {
      let name = file.lastPathComponent
      let folder = file.deletingLastPathComponent()
      let root = StubValue(json: json, path: StubPath())
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
      let offset = JSONLocator.offset(of: error.path, isName: error.isAboutName, in: data)
      throw malformed(offset, error.path, error.text)
    }
  }
}
