import Foundation
import Mocking
import MockingStubs

/// The command `check`, which validates files and lists their routes.
struct FileCheck {
  private let options: Options
  private let console: Console

  init(_ options: Options, _ console: Console) {
    self.options = options
    self.console = console
  }

  /// Checks all files: each on its own, so that an error in one does not hide those in another, and
  /// then all of them together.
  ///
  /// The files of resources are neither read nor created.
  ///
  /// - Returns: The exit status.
  func run() -> ExitStatus {
    let urls = options.files.map(Options.url(of:))
    // A file of several may use the scenario states of another one.
    var problems: [String] = []
    for url in urls where urls.count > 1 {
      do {
        _ = try StubFile(
          contentsOf: [url], opensStore: false, recordings: options.recordings,
          contracts: options.contracts)
      } catch {
        problems.append("\(error)")
      }
    }
    do {
      let file = try StubFile(
        contentsOf: urls, opensStore: false, recordings: options.recordings,
        contracts: options.contracts)
      report(file)
      return .stopped
    } catch {
      if !problems.contains("\(error)") { problems.append("\(error)") }
    }
    for problem in problems {
      if options.writesJSON { console.object(["error": .string(problem)]) }
      console.failure(problem)
    }
    return .invalidFile
  }

  private func report(_ file: StubFile) {
    for warning in file.warnings { console.failure("warning: \(warning)") }
    for note in file.notes { console.failure("note: \(note)") }
    guard !options.writesJSON else {
      // One text, because the number of lines that wait is limited.
      let lines = file.summaries.map { Console.text(of: $0.object) }.joined(separator: "\n")
      if !lines.isEmpty { console.line(lines) }
      return
    }
    if !file.summaries.isEmpty { console.line(file.table(isVerbose: options.output == .verbose)) }
    let (routes, files) = (file.summaries.count, file.files.count)
    func counted(_ count: Int, _ noun: String) -> String {
      "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
    let warnings = file.warnings.isEmpty ? "" : ", " + counted(file.warnings.count, "warning")
    console.line("\(counted(routes, "route")) in \(counted(files, "file")), no errors\(warnings)")
  }
}
