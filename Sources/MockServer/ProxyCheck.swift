import Foundation
import Mocking
import MockingContracts

/// The check of the forwarded exchanges against a contract: the options `--check` and `--report`.
struct ProxyCheck: Sendable {
  let monitor: ContractMonitor
  /// The file for the report.
  private let file: ReportFile?

  /// Reads the contract, or returns `nil` without the option `--check`.
  ///
  /// - Throws: `ContractError`, `Options.UsageError` if the contract has no operations, and
  ///   ``StartError`` if the report cannot be written.
  init?(_ options: Options, _ console: Console) throws {
    guard let name = options.contract else { return nil }
    file = try options.report.map(ReportFile.init)
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
    if let file { try file.write(Self.text(of: report, for: file.name)) }
    return report.isKept
  }

  /// Returns the report in the format of the file's extension.
  private static func text(of report: ContractReport, for file: String) throws -> String {
    switch URL(fileURLWithPath: file).pathExtension.lowercased() {
    case "json": String(decoding: try report.json.data(), as: UTF8.self)
    case "xml": report.junit
    default: "\(report)\n"
    }
  }
}

/// The error of a server that did not keep the contract of `--check`, or of a verification that failed.
struct ContractNotKept: Error {}
