package import Foundation

/// The operations of stores on files and folders.
///
/// All errors are of the type ``FileError``.
package struct FileSystem: Sendable {
  /// A closure that is called before each step that changes the disk, with the name of the step.
  ///
  /// Tests end the process there.
  package let beforeOperation: @Sendable (_ step: String) -> Void

  /// Creates the operations.
  ///
  /// - Parameter beforeOperation: A closure that is called before each step that changes the disk.
  package init(beforeOperation: @escaping @Sendable (_ step: String) -> Void = { _ in }) {
    self.beforeOperation = beforeOperation
  }

  /// The number of bytes of a file that are in memory at a time.
  private static let chunkSize = 256 << 10

  /// Creates a folder and its parents, accessible to their owner only.
  ///
  /// Existing folders are not changed.
  package func createDirectories(_ path: String) throws(FileError) {
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { return }
    let parent = FilePath.split(path).folder
    if parent != path { try createDirectories(parent) }
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
      throw FileError(path, "cannot be created")
    }
    try synchronize(parent)
  }

  /// Creates a folder and its parents, and excludes the folder from backups.
  ///
  /// It is for state that must not be restored, perhaps on another device, such as a request that is to be
  /// sent once. Call it before each new file, because a folder that was removed and created again has no
  /// attributes.
  package func createDirectoriesWithoutBackup(_ path: String) throws(FileError) {
    try createDirectories(path)
    beforeOperation("exclude from backups")
    #if canImport(Darwin)
      var url = URL(fileURLWithPath: path, isDirectory: true)
      var values = URLResourceValues()
      values.isExcludedFromBackup = true
      // A file system without this attribute has no backups.
      try? url.setResourceValues(values)
    #endif
  }

  /// Creates one folder, which must not exist.
  package func createDirectory(_ path: String) throws(FileError) {
    beforeOperation("create folder")
    guard mkdir(path, 0o700) == 0 else { throw FileError(path, "cannot be created") }
  }

  /// Writes a new file, readable by its owner only, and synchronizes it to disk.
  ///
  /// - Parameters:
  ///   - data: The bytes.
  ///   - path: The path, where nothing may exist.
  ///   - isDurable: Whether the file is synchronized.
  /// - Throws: ``FileError`` if the file cannot be written. An incomplete file may remain.
  package func write(_ data: Data, to path: String, isDurable: Bool = true) throws(FileError) {
    beforeOperation("create")
    let file = try OpenFile(creating: path)
    var remaining = data
    while !remaining.isEmpty {
      beforeOperation("write")
      try file.write(remaining.prefix(Self.chunkSize))
      remaining = remaining.dropFirst(Self.chunkSize)
    }
    guard isDurable else { return }
    beforeOperation("synchronize")
    try file.synchronize()
  }

  /// Replaces a file in one step by a new one, readable by its owner only.
  ///
  /// The new file first has the extension `new`. Only one process at a time may replace a file.
  ///
  /// - Parameters:
  ///   - path: The path of the file, which need not exist.
  ///   - data: The bytes.
  ///   - isDurable: Whether the file and its name are synchronized to disk.
  /// - Throws: ``FileError`` if the file cannot be replaced. No new file remains.
  package func replace(_ path: String, with data: Data, isDurable: Bool = true) throws(FileError) {
    let new = "\(path).new"
    // A crash may have left a file, and in a shared folder another user may have made one.
    beforeOperation("remove")
    guard unlink(new) == 0 || errno == ENOENT else { throw FileError(new, "cannot be removed") }
    try replace(path, with: data, through: new, isDurable: isDurable)
    if isDurable { try synchronize(FilePath.split(path).folder) }
  }

  /// Replaces a file in one step by a new one, readable by its owner only.
  ///
  /// - Parameters:
  ///   - path: The path of the file, which need not exist.
  ///   - data: The bytes.
  ///   - new: The path of the new file until it has all bytes. It must not exist.
  ///   - isDurable: Whether the file is synchronized to disk. Its name is not.
  /// - Throws: ``FileError`` if the file cannot be replaced. No new file remains.
  package func replace(
    _ path: String, with data: Data, through new: String, isDurable: Bool = true
  ) throws(FileError) {
    do throws(FileError) {
      try write(data, to: new, isDurable: isDurable)
      try move(new, to: path)
    } catch {
      unlink(new)
      throw error
    }
  }

  /// Reads a whole file.
  ///
  /// - Parameters:
  ///   - path: The path.
  ///   - limit: The maximum number of bytes.
  /// - Returns: The bytes. `nil` if the file does not exist, or is empty, which a full disk may leave.
  /// - Throws: ``FileError`` if the file is longer than the limit, is a symbolic link or another
  ///   file that is not regular, belongs to another user (see ``FileOwner``), or cannot be read.
  package func read(_ path: String, limit: Int) throws(FileError) -> Data? {
    guard let file = try OpenFile.existing(path) else {
      if try FileStatus(path)?.isLink == true {
        throw FileError(path, "is a symbolic link", number: nil)
      }
      return nil
    }
    guard let length = try file.length else {
      throw FileError(path, "is not a regular file", number: nil)
    }
    guard try file.isOwn else { throw FileError(path, "belongs to another user", number: nil) }
    guard length <= limit else { throw FileError(path, "is too long", number: nil) }
    return length == 0 ? nil : try file.read(Int(length))
  }

  /// Copies a regular file to a new one, readable by its owner only, and synchronizes it to disk.
  ///
  /// - Parameters:
  ///   - source: The file. Symbolic links are followed.
  ///   - path: The path of the copy.
  ///   - limit: The maximum number of bytes.
  /// - Returns: The length and checksum of the copy, or `nil` if the file exceeds the limit.
  /// - Throws: ``FileError`` if the file does not exist, is not a regular file, or cannot be copied.
  package func copy(_ source: URL, to path: String, limit: Int64) throws
    -> ContentSummary?
  {
    guard source.isFileURL else {
      throw FileError(source.path, "has a URL that is not a file URL", number: nil)
    }
    let from = try OpenFile(source.path)
    guard try from.length != nil else {
      throw FileError(source.path, "is not a regular file", number: nil)
    }
    beforeOperation("create")
    let file = try OpenFile(creating: path)
    let summary = try from.readAll(limit: limit) { bytes in
      beforeOperation("write")
      try file.write(bytes)
    }
    guard let summary else { return nil }
    beforeOperation("synchronize")
    try file.synchronize()
    return summary
  }

  /// Reads a file and returns its length and checksum.
  ///
  /// Returns `nil` if the file does not exist, is not a regular file, or belongs to another user.
  package func contentSummary(_ path: String) throws -> ContentSummary? {
    guard let file = try OpenFile.existing(path), try file.length != nil, try file.isOwn
    else { return nil }
    return try file.readAll()
  }

  /// Renames a file or folder atomically, on the same disk.
  ///
  /// The new name is durable only after the folders have been synchronized.
  package func move(_ path: some FilePathConvertible, to target: String) throws(FileError) {
    let path = path.filePath
    beforeOperation("rename")
    guard rename(path.bytes, target) == 0 else { throw FileError(target, "cannot be renamed") }
  }

  /// Synchronizes the names in a folder to disk.
  package func synchronize(_ folder: String) throws(FileError) {
    beforeOperation("synchronize folder")
    try OpenFile(folder, O_RDONLY | O_DIRECTORY).synchronize()
  }

  /// Returns the names in a folder, unordered, without `.` and `..`.
  package func names(in folder: some FilePathConvertible) throws(FileError) -> [FileName] {
    let folder = folder.filePath
    guard let stream = opendir(folder.bytes) else {
      throw FileError(folder.text, "cannot be read", number: errno)
    }
    defer { closedir(stream) }
    var names: [FileName] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else { break }
      let bytes = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      let name = FileName(bytes: bytes)
      if name.text != ".", name.text != ".." { names.append(name) }
    }
    let number = errno
    guard number == 0 else { throw FileError(folder.text, "cannot be read", number: number) }
    return names
  }

  /// Returns whether there is a folder at a path; symbolic links are not followed.
  ///
  /// An error other than a missing file is thrown: the folder may exist.
  package func isDirectory(_ path: some FilePathConvertible) throws(FileError) -> Bool {
    try FileStatus(path)?.isFolder ?? false
  }

  /// Returns whether there is a file or folder at a path; symbolic links are not followed.
  ///
  /// An error other than a missing file is thrown: the file may exist.
  package func exists(_ path: String) throws(FileError) -> Bool { try FileStatus(path) != nil }

  /// Removes a file, or a folder with its contents; symbolic links are not followed.
  package func remove(_ path: some FilePathConvertible) throws(FileError) {
    let path = path.filePath
    if try isDirectory(path) { for name in try names(in: path) { try remove(path / name) } }
    beforeOperation("remove")
    guard CatenaSystem.remove(path.bytes) != 0 else { return }
    let number = errno
    guard number == ENOENT else { throw FileError(path.text, "cannot be removed", number: number) }
  }
}
