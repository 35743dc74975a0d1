package import Foundation

/// A file that is written under a temporary name in the folder of its target.
///
/// The target appears complete, in one step, or not at all. If the object is released without
/// ``commit(durably:)``, it removes the file. All errors are of the type ``FileError``.
package final class PartialFile: Sendable {
  private let target: String
  private let replaces: Bool
  private let file: OpenFile
  /// Whether the file exists at its temporary path.
  private let exists = Atomic(true)

  /// Creates the file and its missing parent folders.
  ///
  /// - Parameters:
  ///   - target: The location of the finished file.
  ///   - replaces: Whether an existing file is replaced.
  ///   - permissions: The permissions of the file, from which the process's mask is removed.
  /// - Throws: ``FileError`` if the file cannot be created.
  package init(
    for target: URL, replacing replaces: Bool, permissions: mode_t = 0o666
  ) throws(FileError) {
    try Self.prepare(target, replacing: replaces)
    self.target = target.path
    self.replaces = replaces
    // A hidden name. It is short even if the target's name has the maximum length.
    file = try OpenFile(
      creating: target.deletingLastPathComponent().appending(path: Self.newName()).path,
      mode: permissions)
  }

  deinit {
    discard()
  }

  /// Returns a hidden name that no other file has.
  package static func newName() -> String { ".\(UUID().uuidString).part" }

  /// Checks whether a file can be written at a location, as far as it is possible in advance.
  ///
  /// - Parameters:
  ///   - target: The location.
  ///   - replaces: Whether an existing file is replaced.
  /// - Throws: ``FileError`` if it cannot be written there.
  package static func check(_ target: URL, replacing replaces: Bool) throws(FileError) {
    let path = target.path
    guard target.isFileURL else { throw FileError(path, "its URL is not a file URL", number: nil) }
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else { return }
    if isDirectory.boolValue {
      throw FileError(path, "a folder with that name already exists", number: nil)
    }
    if !replaces { throw .exists(path) }
  }

  /// Checks a location as ``check(_:replacing:)`` does, and creates its missing parent folders.
  package static func prepare(_ target: URL, replacing replaces: Bool) throws(FileError) {
    try check(target, replacing: replaces)
    let folder = target.deletingLastPathComponent()
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw FileError(folder.path, "its folder cannot be created", number: nil)
    }
  }

  /// Writes bytes at the end.
  package func write(_ data: Data) throws(FileError) { try file.write(data) }

  /// Moves the file to its target.
  ///
  /// Call it once.
  ///
  /// - Parameter isDurable: Whether the contents and then the new name are synchronized to disk.
  /// - Throws: ``FileError`` if the file cannot be moved. The target is unchanged then.
  package func commit(durably isDurable: Bool = false) throws(FileError) {
    if isDurable { try file.synchronize() }
    try Self.move(file.path, to: target, replacing: replaces)
    exists.store(false, ordering: .relaxed)
    // Not all file systems can synchronize a folder. The target is complete all the same.
    if isDurable { try? FileSystem().synchronize(FilePath.split(target).folder) }
  }

  /// Moves a complete file to a location on the same volume, in one step.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - target: The new path.
  ///   - replaces: Whether an existing file is replaced.
  /// - Throws: ``FileError`` if the file cannot be moved. It is left in place then.
  package static func move(
    _ path: String, to target: String, replacing replaces: Bool
  ) throws(FileError) {
    if replaces {
      guard rename(path, target) == 0 else { throw FileError(target, "cannot be replaced") }
    } else {
      // Unlike `rename`, `link` never replaces a file that was created in the meantime.
      guard link(path, target) == 0 else {
        throw errno == EEXIST ? .exists(target) : FileError(target, "cannot be created")
      }
      unlink(path)
    }
  }

  /// Replaces a file by one that only its owner can read, and synchronizes it to disk.
  ///
  /// - Parameters:
  ///   - data: The contents.
  ///   - target: The location. Missing parent folders are created.
  /// - Throws: ``FileError`` if the file cannot be replaced. The earlier file is unchanged then.
  package static func write(_ data: Data, to target: URL) throws(FileError) {
    let file = try PartialFile(for: target, replacing: true, permissions: 0o600)
    try file.write(data)
    try file.commit(durably: true)
  }

  /// Removes the file immediately, even if another thread is still writing to it.
  package func discard() {
    if exists.exchange(false, ordering: .relaxed) { unlink(file.path) }
  }
}

extension FileError {
  fileprivate static func exists(_ path: String) -> FileError {
    FileError(path, "a file with that name already exists", number: nil)
  }
}

/// A temporary file that only its owner can read and that is removed when the object is released.
package final class TemporaryFile: Sendable {
  /// The location of the file.
  package let url = FileManager.default.temporaryDirectory.appending(
    path: "catena-copy-\(UUID().uuidString)")

  /// Creates a file and writes its content.
  ///
  /// - Parameter write: A closure that writes the content.
  /// - Throws: The error of `write`, or ``FileError`` if the file cannot be created.
  package init(_ write: (borrowing OpenFile) async throws -> Void) async throws {
    // Created with its permissions, so that nobody else can open it before they are set.
    try await write(OpenFile(creating: url.path))
  }

  deinit {
    unlink(url.path)
  }
}
