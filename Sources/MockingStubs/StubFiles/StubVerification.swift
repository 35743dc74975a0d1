package import Foundation
package import Mocking
import MockingDocuments
import Networking

/// An expected number of requests, as the admin API and the files of the option `--verify` describe it.
package struct StubVerification: Sendable {
  /// The name in reports.
  ///
  /// `nil` uses the pattern and the number.
  let name: String?
  let pattern: RequestPattern
  let count: RequestCount

  /// The members of its object.
  static let keys = StubObject.patternKeys + ["name", "times", "atLeast", "atMost"]

  init(_ object: StubObject) throws(JSONDocumentError) {
    name = try object["name"]?.string("a name for reports")
    pattern = try object.requestPattern()
    count = try object.requestCount()
  }

  /// Reads the verifications of a file, a JSON array.
  ///
  /// - Parameter file: The file.
  /// - Returns: The verifications in the order of the file.
  /// - Throws: ``StubFileError``.
  package static func list(contentsOf file: URL) throws(StubFileError) -> [StubVerification] {
    let data = JSONDocumentError.text(of: try StubLoader.read(file))
    do throws(JSONDocumentError) {
      let root = StubValue(json: try JSONDocumentError.json(in: data), path: JSONValuePath())
      let example = "such as {\"path\": \"/boards\", \"times\": 2}"
      var list: [StubVerification] = []
      for value in try root.elements("an array of verifications, \(example)") {
        list.append(try StubVerification(value.object(keys, "a verification, \(example)")))
      }
      return list
    } catch {
      throw StubDocument.located(error, in: data, file)
    }
  }

  /// Checks the requests that a server has received.
  func result(in journal: RequestJournal) -> RequestJournal.Verification {
    journal.verification(of: pattern, count)
  }

  /// Checks the requests that a server has received.
  ///
  /// - Parameter journal: The journal of the server.
  /// - Returns: The report of the failure, or `nil` if the number of requests is right.
  package func failure(in journal: RequestJournal) -> String? { result(in: journal).failure }
}

extension StubVerification: CustomStringConvertible {
  /// The name, or the number and the pattern.
  package var description: String { name ?? "\(count) \(pattern)" }
}

extension StubObject {
  /// The members of a pattern of requests.
  static let patternKeys = ["method", "path", "when", "comment"]

  /// Parses a pattern of requests.
  func requestPattern() throws(JSONDocumentError) -> RequestPattern {
    let pattern = RequestPattern(
      try self["method"]?.httpMethod(),
      try self["path"]?.string("a path, such as \"/boards/{id}\""),
      where: try self["when"]?.conditions() ?? [])
    if let path = self["path"], let error = pattern.validationError {
      throw JSONDocumentError(path: path.path, text: "\(error)")
    }
    return pattern
  }

  /// Parses the number of requests that a verification expects.
  fileprivate func requestCount() throws(JSONDocumentError) -> RequestCount {
    func count(_ name: String) throws(JSONDocumentError) -> Int? {
      try self[name]?.int(0...Int.max, "a number, 0 or more")
    }
    let (times, least, most) = (try count("times"), try count("atLeast"), try count("atMost"))
    switch (times, least, most) {
    case (let times?, nil, nil): return .exactly(times)
    case (nil, let least?, nil): return .atLeast(least)
    case (nil, nil, let most?): return .atMost(most)
    default:
      throw JSONDocumentError(
        path: path, text: "expected exactly one of \"times\", \"atLeast\" and \"atMost\"")
    }
  }
}
