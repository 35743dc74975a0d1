import Foundation
import Mocking
import MockingContracts
import MockingStubs

/// The check of the received requests: the option `--verify`.
struct RequestCheck: Sendable {
  private let verifications: [StubVerification]
  private let name: String

  /// Reads the verifications, or returns `nil` without the option.
  ///
  /// - Throws: `StubFileError`.
  init?(_ options: Options) throws {
    guard let name = options.verifications else { return nil }
    self.name = name
    verifications = try StubVerification.list(contentsOf: Options.url(of: name))
  }

  /// Prints the results.
  ///
  /// - Returns: The results as test cases.
  func finish(_ journal: RequestJournal, _ options: Options, _ console: Console)
    -> JUnitReport.Suite
  {
    var suite = JUnitReport.Suite(name)
    for verification in verifications {
      let failure = verification.failure(in: journal)
      suite.add("\(verification)", failures: failure.map { [$0] } ?? [])
      if options.writesJSON {
        console.object([
          "event": "verification", "name": .string("\(verification)"),
          "passed": .bool(failure == nil), "message": failure.map { .string($0) } ?? .null,
        ])
      } else if let failure {
        console.line("failed: \(verification)\n  " + failure.replacing("\n", with: "\n  "))
      } else if options.output != .quiet {
        console.line("passed: \(verification)")
      }
    }
    return suite
  }
}
