import CatenaSystem
public import Foundation

/// A file that contains the body of a ``Mock``.
///
/// A name may be made from the path of a request, so only files of the folder are read: a name is
/// relative, and no component is `..` (percent-encoded or not) or begins with a dot, other than
/// `.well-known`. Symbolic links are followed only to files in the folder that are not hidden.
public struct MockFile: Sendable, Hashable {
  /// The name of the file.
  ///
  /// It may include folders.
  public let name: String
  /// The URLs at which the file may exist, in order of preference.
  ///
  /// The first existing file is read.
  public let candidates: [URL]
  /// The variable of the route's path with the name of the file in the folder ``candidates``.
  ///
  /// `nil` for a single file.
  let variable: String?
  private let folders: [URL]

  /// Creates a file in the current folder or, if it does not exist there, in the program's
  /// resources.
  ///
  /// - Parameter name: The name of the file. It may include folders.
  public init(_ name: String) {
    let current = URL(
      fileURLWithPath: FileManager.default.currentDirectoryPath, isDirectory: true)
    self.init(name, in: [current, Bundle.main.resourceURL].compactMap { $0 })
  }

  /// Creates a file in a folder.
  ///
  /// - Parameters:
  ///   - name: The name of the file. It may include folders.
  ///   - folder: The folder.
  public init(_ name: String, in folder: URL) {
    self.init(name, in: [folder])
  }

  /// Creates a file in the resources of a bundle.
  ///
  /// - Parameters:
  ///   - name: The name of the file. It may include folders.
  ///   - bundle: The bundle, such as `.module`.
  public init(_ name: String, in bundle: Bundle) {
    self.init(name, in: [bundle.resourceURL ?? bundle.bundleURL])
  }

  /// Creates the files of a folder, which requests name by a variable of the route's path.
  init(folder: URL, variable: String) {
    name = folder.lastPathComponent
    candidates = [folder]
    self.variable = variable
    folders = [folder]
  }

  private init(_ name: String, in folders: [URL]) {
    self.name = name
    variable = nil
    self.folders = folders
    candidates = folders.map { $0.appendingPathComponent(name, isDirectory: false) }
  }

  /// An error that occurred when the file was read.
  package struct ReadError: Error {
    /// The reason.
    package let reason: String

    /// Creates an error.
    package init(reason: String) { self.reason = reason }
  }

  /// Reads the first existing file completely.
  package func read() throws(ReadError) -> Data {
    try open().readAll()
  }

  /// Opens the first existing file.
  package func open() throws(ReadError) -> ServedFile {
    for (folder, candidate) in zip(folders, candidates) {
      guard let path = try resolved(in: folder) else { continue }
      if let file = try Self.open(path, named: candidate.path) { return file }
    }
    let places = folders.map { $0.path }.joined(separator: " or in ")
    throw ReadError(reason: "there is no file \(name.debugDescription) in \(places)")
  }

  /// Opens a file of the folder.
  ///
  /// - Parameter name: The name of the file, percent-decoded, from the path of a request.
  /// - Returns: The file. `nil` if there is none, or if the name violates the rule of all names.
  /// - Throws: ``ReadError`` if the file cannot be read.
  func open(_ name: String) throws(ReadError) -> ServedFile? {
    guard let resolved = resolved(name), !resolved.isFolder else { return nil }
    return try Self.open(resolved, named: resolved.text)
  }

  /// Returns the names in a folder of the folder, those of folders with a slash at their end.
  ///
  /// - Parameter name: The name of the folder, percent-decoded, with a slash at its end unless it is empty.
  /// - Returns: The names in order, without those that cannot be opened. `nil` if there is no such folder.
  func names(in name: String) -> [String]? {
    let base = name.hasSuffix("/") ? String(name.dropLast()) : name
    guard let folder = resolved(base), folder.isFolder else { return nil }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.text)) ?? []
    return names.sorted().compactMap { entry in
      resolved(base.isEmpty ? entry : "\(base)/\(entry)").map { entry + ($0.isFolder ? "/" : "") }
    }
  }

  private func resolved(_ name: String) -> ResolvedPath? {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard name.isEmpty || !parts.contains("") else { return nil }
    return try? InnerPath(components: name.isEmpty ? [] : parts).resolved(in: folders[0])
  }

  private func resolved(in folder: URL) throws(ReadError) -> ResolvedPath? {
    do throws(InnerPath.Violation) {
      return try InnerPath(name).resolved(in: folder)
    } catch {
      throw ReadError(reason: error.reason)
    }
  }

  private static func open(
    _ path: ResolvedPath, named name: String
  ) throws(ReadError) -> ServedFile? {
    do throws(FileError) {
      return try ServedFile.existing(path.open)
    } catch {
      throw ReadError(reason: "the file \(name) cannot be read: \(error.cause)")
    }
  }
}
