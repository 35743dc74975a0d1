import CatenaSystem
public import Foundation

/// A file that contains the body of a ``Mock``.
///
/// A name with a component `..`, percent-encoded or not, is never read, because a name may be made
/// from the path of a request.
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
  /// Whether the name stays in its folder.
  private let isInside: Bool

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
    isInside = true
  }

  private init(_ name: String, in folders: [URL]) {
    self.name = name
    variable = nil
    // A name may come from the path of a request.
    let parts = (name.removingPercentEncoding ?? name).split { $0 == "/" || $0 == "\\" }
    isInside = !parts.contains("..") && !name.utf8.contains(0)
    candidates = folders.map { $0.appendingPathComponent(name, isDirectory: false) }
  }

  /// An error that occurred when the file was read.
  struct ReadError: Error {
    let reason: String
  }

  /// Reads the first existing file completely.
  func read() throws(ReadError) -> Data {
    let file = try open()
    var data = Data()
    while case let piece = file.read(data.count..<file.byteCount), !piece.isEmpty { data += piece }
    return data
  }

  /// Opens the first existing file.
  func open() throws(ReadError) -> OpenFile {
    guard isInside else {
      throw ReadError(reason: "the name \(name.debugDescription) leads out of its folder")
    }
    var unreadable: String?
    for candidate in candidates {
      do throws(OpenFile.Failure) {
        if let file = try OpenFile(candidate) { return file }
      } catch {
        unreadable = "the file \(candidate.path) cannot be read: \(error.reason)"
        break
      }
    }
    let folders = candidates.map { candidate in
      // The name may begin with the names of further folders.
      candidate.path.hasSuffix("/" + name)
        ? String(candidate.path.dropLast(name.count + 1))
        : candidate.deletingLastPathComponent().path
    }
    throw ReadError(
      reason: unreadable
        ?? "there is no file \(name.debugDescription) in \(folders.joined(separator: " or in "))")
  }

  /// Opens a file of the folder.
  ///
  /// - Parameter name: The name of the file, percent-decoded, from the path of a request.
  /// - Returns: The file. `nil` if there is none, if the name leads out of the folder, also by a
  ///   symbolic link, or if it has a component that begins with a dot, other than `.well-known`.
  /// - Throws: ``ReadError`` if the file cannot be read.
  func open(_ name: String) throws(ReadError) -> OpenFile? {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard !name.utf8.contains(0),
      parts.allSatisfy({ !$0.isEmpty && (!$0.hasPrefix(".") || $0 == ".well-known") }),
      let root = candidates.first.flatMap({ RealPath($0.path) }),
      let path = RealPath("\(root.text)/\(name)"), root.contains(path), !path.isFolder
    else { return nil }
    do throws(OpenFile.Failure) {
      return try OpenFile(URL(fileURLWithPath: path.text, isDirectory: false))
    } catch {
      throw ReadError(reason: "the file \(path.text) cannot be read: \(error.reason)")
    }
  }
}

/// The absolute path of an existing file or folder, without symbolic links.
struct RealPath: Hashable {
  let text: String

  /// Resolves a path, or returns `nil` if it does not exist.
  init?(_ path: String) {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    text = String(cString: resolved)
  }

  var isFolder: Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: text, isDirectory: &isFolder)
      && isFolder.boolValue
  }

  /// Returns whether a path is this folder or in it.
  func contains(_ other: RealPath) -> Bool {
    other == self || other.text.hasPrefix(text.hasSuffix("/") ? text : text + "/")
  }
}
