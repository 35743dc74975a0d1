/// A report in the format JUnit, for the test reports of CI services.
package struct JUnitReport: Sendable {
  /// A group of test cases.
  package struct Suite: Sendable {
    let name: String
    private(set) var cases: [String] = []
    /// The number of cases that fail.
    package private(set) var failureCount = 0
    private(set) var skippedCount = 0

    /// Creates a group without cases.
    ///
    /// - Parameter name: The name of the group, which is also the class name of its cases.
    package init(_ name: String) {
      self.name = name
    }

    /// Adds a case.
    ///
    /// - Parameters:
    ///   - name: The name of the case.
    ///   - failures: The reasons why it fails. Empty if it passes or is skipped.
    ///   - isSkipped: Whether it was not run.
    package mutating func add(_ name: String, failures: [String], isSkipped: Bool = false) {
      let start =
        "    <testcase classname=\"\(self.name.escapedForXML)\" "
        + "name=\"\(name.escapedForXML)\""
      guard !failures.isEmpty || isSkipped else { return cases.append(start + "/>") }
      var lines = [start + ">"]
      if isSkipped {
        skippedCount += 1
        lines.append("      <skipped/>")
      }
      if let first = failures.first {
        failureCount += 1
        let text = failures.joined(separator: "\n").escapedForXML
        lines.append("      <failure message=\"\(first.escapedForXML)\">\(text)</failure>")
      }
      cases.append((lines + ["    </testcase>"]).joined(separator: "\n"))
    }
  }

  private let suites: [Suite]

  /// Creates a report.
  ///
  /// - Parameter suites: The groups of cases.
  package init(_ suites: [Suite]) {
    self.suites = suites
  }

  /// The XML document.
  package var text: String {
    func counts(_ suites: [Suite]) -> String {
      func sum(_ count: (Suite) -> Int) -> Int { suites.reduce(0) { $0 + count($1) } }
      return "tests=\"\(sum(\.cases.count))\" failures=\"\(sum(\.failureCount))\" errors=\"0\" "
        + "skipped=\"\(sum(\.skippedCount))\""
    }
    let elements = suites.map { suite in
      """
        <testsuite name="\(suite.name.escapedForXML)" \(counts([suite]))>
      \(suite.cases.joined(separator: "\n"))
        </testsuite>
      """
    }
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites \(counts(suites))>
      \(elements.joined(separator: "\n"))
      </testsuites>

      """
  }
}
