import Foundation
import Mocking
import MockingContracts

/// The check of the forwarded exchanges against a contract: the options `--check` and `--report`.
struct ProxyCheck: Sendable {
  let monitor: ContractMonitor
  /// The file for the report.
  private let file: String?

  /// Reads the contract, or returns `nil` without the option `--check`.
  ///
  /// - Throws: `ContractError`, and `Options.UsageError` if the contract has no operations.
  init?(_ options: Options, _ console: Console) throws {
    guard let name = options.contract else { return nil }
    file = options.report
    let contract = try Contract(contentsOf: Options.url(of: name), isStrict: options.isStrict)
    for warning in contract.warnings { console.failure("warning: \(warning)") }
    let writesJSON = options.writesJSON
    let isQuiet = options.output == .quiet
    monitor = ContractMonitor(contract) { violation in
      if writesJSON {
        console.object(["event": "violation", "violation": violation.json])
      } else if !isQuiet {
        console.line("  violation: \(violation)")
      }
    }
  }

  /// Prints the report, and writes it to its file.
  ///
  /// - Returns: Whether the contract was kept.
  /// - Throws: ``UnsavedFile``.
  func finish(_ options: Options, _ console: Console) throws -> Bool {
    let report = monitor.report
    if options.writesJSON {
      console.object(["event": "report", "report": report.json])
    } else {
      console.line("\(report)")
    }
    if let file {
      do {
        try Self.data(report, for: file).write(to: Options.url(of: file), options: .atomic)
      } catch {
        throw UnsavedFile(
          description: "the report cannot be written to \(file): \(error.localizedDescription)")
      }
    }
    return report.isKept
  }

  /// Returns the report in the format of the file's extension.
  private static func data(_ report: ContractReport, for file: String) throws -> Data {
    switch URL(fileURLWithPath: file).pathExtension.lowercased() {
    case "json": try report.json.data()
    case "xml": Data(report.junit.utf8)
    default: Data("\(report)\n".utf8)
    }
  }
}

/// The error of a server that did not keep the contract of `--check`, or of a verification that failed.
struct ContractNotKept: Error {}
