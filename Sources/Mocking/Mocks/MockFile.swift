import Foundation

/// A file that a ``Mock`` answers with: its name, and where to look for it.
public struct MockFile: Sendable, Hashable {
  /// The name, perhaps with folders before it.
  public let name: String
  /// Where it is looked for; the first that is there is taken.
  public let candidates: [URL]

  /// Names a file that is looked for in the current folder, and then among the program's resources.
  ///
  /// - Parameter name: the name, perhaps with folders before it.
  public init(_ name: String) {
    let current = URL(
      fileURLWithPath: FileManager.default.currentDirectoryPath, isDirectory: true)
    self.init(name, in: [current, Bundle.main.resourceURL].compactMap { $0 })
  }

  /// Names a file in a folder.
  ///
  /// - Parameters:
  ///   - name: the name, perhaps with folders before it.
  ///   - folder: the folder.
  public init(_ name: String, in folder: URL) {
    self.init(name, in: [folder])
  }

  /// Names a file among a bundle's resources.
  ///
  /// - Parameters:
  ///   - name: the name, perhaps with folders before it.
  ///   - bundle: the bundle, such as `.module`.
  public init(_ name: String, in bundle: Bundle) {
    self.init(name, in: [bundle.resourceURL ?? bundle.bundleURL])
  }

  private init(_ name: String, in folders: [URL]) {
    self.name = name
    candidates = folders.map { $0.appendingPathComponent(name, isDirectory: false) }
  }

  /// Why a file cannot be answered with.
  struct ReadError: Error {
    let reason: String
  }

  /// Reads the file.
  func read() throws(ReadError) -> Data {
    var unreadable: String?
    for candidate in candidates {
      do {
        return try Data(contentsOf: candidate, options: .mappedIfSafe)
      } catch {
        if FileManager.default.fileExists(atPath: candidate.path) {
          unreadable = "the file \(candidate.path) cannot be read: \(error.localizedDescription)"
          break
        }
      }
    }
    let folders = candidates.map { $0.deletingLastPathComponent().path }
    throw ReadError(
      reason: unreadable
        ?? "there is no file \(name.debugDescription) in \(folders.joined(separator: " or in "))")
  }
}
