import CatenaSystem
import Foundation

/// A file for a report, which is written when the program stops.
struct ReportFile: Sendable {
  /// The name as on the command line.
  let name: String
  private var url: URL { Options.url(of: name) }

  /// Creates the folder of a file.
  ///
  /// - Parameter name: The name of the file. An existing file is replaced by the report.
  /// - Throws: ``StartError`` if the file cannot be written, so that a long run does not lose it.
  init(_ name: String) throws {
    self.name = name
    let folder = url.deletingLastPathComponent()
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw StartError(unwritable: name, FileError.cause(of: error))
    }
    var isFolder: ObjCBool = false
    let exists = FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder)
    let number = exists && isFolder.boolValue ? EISDIR : EACCES
    guard number == EACCES, FileManager.default.isWritableFile(atPath: folder.path) else {
      throw StartError(unwritable: name, String(cString: strerror(number)))
    }
  }

  /// Writes the report.
  ///
  /// - Parameter text: The report.
  /// - Throws: ``UnsavedFile``.
  func write(_ text: String) throws {
    do {
      try Data(text.utf8).write(to: url, options: .atomic)
    } catch {
      throw UnsavedFile(
        description: "the report cannot be written to \(name): \(FileError.cause(of: error))")
    }
  }
}
