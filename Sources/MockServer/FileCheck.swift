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
  /// - Throws: ``UnsavedFile`` if the file of `--diagnose` cannot be written.
  func run() throws -> ExitStatus {
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
      try report(file)
      return .stopped
    } catch let error as UnsavedFile {
      throw error
    } catch {
      if !problems.contains("\(error)") { problems.append("\(error)") }
    }
    if options.diagnostics == nil {
      for problem in problems {
        if options.writesJSON { console.object(["error": .string(problem)]) }
        console.failure(problem)
      }
    } else {
      let lines = problems.flatMap { $0.split(separator: "\n") }
      try write(lines.map { CompilerDiagnostic(.error, String($0)) })
    }
    return .invalidFile
  }

  private func report(_ file: StubFile) throws {
    guard options.diagnostics == nil else {
      return try write(
        file.warnings.map { CompilerDiagnostic(.warning, "\($0)", files: file.files) }
          + file.notes.map { CompilerDiagnostic(.note, $0) })
    }
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

// MARK: - Diagnostics

extension FileCheck {
  /// Prints diagnostics on standard error, and writes them to the file of `--diagnose`.
  ///
  /// The file is source code of Swift in which each diagnostic is a comment, so that a build system can
  /// compile the output of the check. SwiftPM copies an output of any other kind into the product.
  private func write(_ diagnostics: [CompilerDiagnostic]) throws(UnsavedFile) {
    guard let name = options.diagnostics else { return }
    console.diagnostics(diagnostics.map { "\($0)\n" }.joined())
    do {
      let comments = diagnostics.map { "// \($0)\n" }.joined()
      try Data(comments.utf8).write(to: Options.url(of: name))
    } catch {
      throw UnsavedFile(
        description: "\(name): cannot be written: \((error as NSError).localizedDescription)")
    }
  }
}

/// A line in the format of compilers, which development environments show beside the line of the file.
private struct CompilerDiagnostic: CustomStringConvertible {
  enum Severity: String {
    case error
    case warning
    case note
  }

  let description: String

  /// Inserts the severity between the position and the message of a text.
  ///
  /// A text without a position begins with the severity. A position may have the name of a file
  /// without its folder, as in a message about two routes.
  init(_ severity: Severity, _ text: String, files: [URL] = []) {
    guard let position = text.prefixMatch(of: #/(.+?)(:[0-9]+:[0-9]+: )(.*)/#) else {
      description = "\(severity.rawValue): \(text)"
      return
    }
    let (_, name, place, message) = position.output
    let file = files.first { $0.lastPathComponent == name }?.relativePath ?? String(name)
    description = "\(file)\(place)\(severity.rawValue): \(message)"
  }
}
