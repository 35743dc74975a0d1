import CatenaSystem
package import Foundation

/// The name of a file or folder in a folder, by the rule for all names in stub files, OpenAPI documents
/// and the paths of requests.
///
/// A name is relative. No component is `..`, and none begins with a dot, other than `.well-known`.
/// The same holds for the path to which symbolic links lead: it is in the folder, and not hidden. Only its
/// first component may be a folder of versions such as `..2026_05_17`, to which the names of a volume of
/// Kubernetes are links by `..data`.
package struct InnerPath: Sendable, Hashable {
  /// A violation of the rule.
  package struct Violation: Error {
    /// The name, the problem and the rule.
    package let reason: String

    /// Makes a violation.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - problem: The problem, as the end of a sentence.
    package init(_ name: String, _ problem: String) {
      reason =
        "the name \(name.debugDescription) \(problem); names of files are relative to their folder, "
        + "without \"..\", hidden files and links to other folders"
    }
  }

  private let name: String
  /// The names of the folders and of the file.
  ///
  /// Empty for the folder itself.
  package let components: [String]

  /// Checks a name.
  ///
  /// `..` is also found if it is percent-encoded, or beside a backslash.
  ///
  /// - Throws: `Violation`.
  package init(_ name: String) throws(Violation) {
    for text in [name, name.removingPercentEncoding ?? name]
    where text.split(whereSeparator: { $0 == "/" || $0 == "\\" }).contains("..") {
      throw Violation(name, "leads out of its folder")
    }
    guard !name.utf8.starts(with: "/".utf8) else { throw Violation(name, "is absolute") }
    let parts = name.split(separator: "/").map(String.init)
    try self.init(name, parts.filter { $0 != "." })
  }

  /// Checks the components of a name, which are not percent-encoded.
  ///
  /// - Throws: `Violation`.
  init(components: [String]) throws(Violation) {
    try self.init(components.joined(separator: "/"), components)
  }

  private init(_ name: String, _ components: [String]) throws(Violation) {
    guard !name.utf8.contains(0) else { throw Violation(name, "contains a null character") }
    if components.contains("..") { throw Violation(name, "leads out of its folder") }
    if components.contains(where: Self.isHidden) { throw Violation(name, "is hidden") }
    self.name = name
    self.components = components
  }

  private static func isHidden(_ component: some StringProtocol) -> Bool {
    component.hasPrefix(".") && component != ".well-known"
  }

  /// Returns the path to which the name leads, without symbolic links.
  ///
  /// - Parameter folder: The folder.
  /// - Returns: The path, or `nil` if there is no such file.
  /// - Throws: `Violation` for a link out of the folder, or to a hidden file.
  package func resolved(in folder: URL) throws(Violation) -> ResolvedPath? {
    guard let root = RealPath(folder.path),
      let path = RealPath(([root.text] + components).joined(separator: "/"))
    else { return nil }
    guard root.contains(path) else { throw Violation(name, "is a link out of its folder") }
    let inner = path.text.dropFirst(root.text.count).split(separator: "/")
    let visible = inner.count > 1 && inner[0].hasPrefix("..") ? inner.dropFirst() : inner[...]
    if visible.contains(where: Self.isHidden) {
      throw Violation(name, "is a link to a hidden file")
    }
    return ResolvedPath(root: root.text, components: inner.map(String.init))
  }

  /// Returns the location of a file that may be created.
  ///
  /// - Parameter folder: The folder.
  /// - Returns: The location.
  /// - Throws: `Violation` if an existing part of the path is a link out of the folder, to a hidden
  ///   file, or to nothing.
  package func location(in folder: URL) throws(Violation) -> URL {
    for count in components.indices {
      let part = try InnerPath(name, Array(components[...count]))
      let path = folder.appending(path: part.components.joined(separator: "/")).path
      guard (try? FileStatus(path)) != nil else { break }
      guard try part.resolved(in: folder) != nil else { throw Violation(name, "is a broken link") }
    }
    return folder.appending(
      path: components.joined(separator: "/"), directoryHint: .notDirectory)
  }
}

/// The path of an existing file or folder below a folder, without symbolic links.
package struct ResolvedPath {
  fileprivate let root: String
  fileprivate let components: [String]

  /// The path.
  package var text: String { (root == "/" ? "" : root) + "/" + components.joined(separator: "/") }

  /// Whether there is a folder.
  package var isFolder: Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: text, isDirectory: &isFolder)
      && isFolder.boolValue
  }

  /// Opens the file for reading.
  ///
  /// No link is followed, so a file that has been replaced by a link since it was resolved is not
  /// opened. Opening a named pipe does not wait for a writer.
  ///
  /// - Returns: The file.
  /// - Throws: `FileError` if it cannot be opened.
  func open() throws(FileError) -> OpenFile {
    var file = try OpenFile(root, O_RDONLY | O_DIRECTORY)
    for (index, component) in components.enumerated() {
      file = try file.open(component, index == components.count - 1 ? 0 : O_DIRECTORY)
    }
    return file
  }
}

/// The absolute path of an existing file or folder, without symbolic links.
private struct RealPath: Hashable {
  let text: String

  /// Resolves a path, or returns `nil` if it does not exist.
  init?(_ path: String) {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    text = String(cString: resolved)
  }

  /// Returns whether a path is this folder or in it.
  func contains(_ other: RealPath) -> Bool {
    other == self || other.text.hasPrefix(text.hasSuffix("/") ? text : text + "/")
  }
}

extension OpenFile {
  /// Opens a file or folder in this folder for reading, without following a symbolic link.
  ///
  /// - Parameters:
  ///   - name: The name, one component of a path.
  ///   - flags: Further flags of openat(2).
  /// - Returns: The file or folder.
  /// - Throws: ``FileError`` if it does not exist or cannot be opened.
  fileprivate func open(_ name: String, _ flags: Int32 = 0) throws(FileError) -> OpenFile {
    let folder = descriptor
    return try OpenFile(path: "\(path)/\(name)") {
      openat(folder, name, flags | O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    }
  }
}
