import CatenaSystem
package import Foundation

/// The file system operations of a store.
///
/// All errors are of the type ``NetworkError`` with the code
/// ``NetworkError/Code-swift.enum/offlineStoreFailed``.
package struct FileSystem: Sendable {
  /// A closure that is called before each step that changes the disk, with the name of the step.
  ///
  /// Tests end the process there.
  var beforeOperation: @Sendable (_ step: String) -> Void

  /// Creates operations.
  package init(beforeOperation: @escaping @Sendable (_ step: String) -> Void = { _ in }) {
    self.beforeOperation = beforeOperation
  }

  /// The number of bytes of a file that are in memory at a time.
  private static let chunkSize = 256 << 10

  /// Creates a folder and its parents, accessible to their owner only.
  ///
  /// Existing folders are not changed.
  package func createDirectories(_ path: String) throws {
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { return }
    let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path
    if parent != path { try createDirectories(parent) }
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
      throw OpenFile.error("a folder cannot be created")
    }
    try synchronize(parent)
  }

  /// Creates one folder, which must not exist.
  func createDirectory(_ path: String) throws {
    beforeOperation("create folder")
    guard mkdir(path, 0o700) == 0 else { throw OpenFile.error("a folder cannot be created") }
  }

  /// Writes a new file, readable by its owner only, and synchronizes it to disk.
  ///
  /// - Parameters:
  ///   - data: The bytes.
  ///   - path: The path, where nothing may exist.
  ///   - isDurable: Whether the file is synchronized.
  /// - Throws: ``NetworkError`` if the file cannot be written. An incomplete file may remain.
  func write(_ data: Data, to path: String, isDurable: Bool = true) throws {
    beforeOperation("create")
    let file = try create(path)
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
  /// - Throws: ``NetworkError`` if the file cannot be replaced. No new file remains.
  package func replace(_ path: String, with data: Data, isDurable: Bool = true) throws {
    let new = "\(path).new"
    // A crash may have left a file, and in a shared folder another user may have made one.
    beforeOperation("remove")
    guard unlink(new) == 0 || errno == ENOENT else {
      throw OpenFile.error("a file cannot be removed")
    }
    do {
      try write(data, to: new, isDurable: isDurable)
      try move(new, to: path)
    } catch {
      unlink(new)
      throw error
    }
    if isDurable { try synchronize(URL(fileURLWithPath: path).deletingLastPathComponent().path) }
  }

  /// Reads a whole file.
  ///
  /// - Parameters:
  ///   - path: The path.
  ///   - limit: The maximum number of bytes.
  /// - Returns: The bytes. `nil` if the file does not exist, or is empty, which a full disk may leave.
  /// - Throws: ``NetworkError`` if the file is longer than the limit, is a symbolic link or another
  ///   file that is not regular, belongs to another user (see ``FileOwner``), or cannot be read.
  package func read(_ path: String, limit: Int) throws -> Data? {
    func error(_ reason: String) -> NetworkError {
      let name = URL(fileURLWithPath: path).lastPathComponent
      return NetworkError(.offlineStoreFailed, "\(name) \(reason)")
    }
    guard let file = try OpenFile.open(path, O_RDONLY | O_NOFOLLOW) else {
      if try kind(FilePath(path)) == S_IFLNK { throw error("is a symbolic link") }
      return nil
    }
    guard let length = try file.length else { throw error("is not a regular file") }
    guard try file.isOwn else { throw error("belongs to another user") }
    guard length <= limit else { throw error("is too long") }
    return length == 0 ? nil : try file.read(Int(length))
  }

  /// Copies a regular file to a new one, readable by its owner only, and synchronizes it to disk.
  ///
  /// - Parameters:
  ///   - source: The file. Symbolic links are followed.
  ///   - path: The path of the copy.
  ///   - limit: The maximum number of bytes.
  /// - Returns: The length and checksum of the copy, or `nil` if the file exceeds the limit.
  /// - Throws: ``NetworkError`` with the code ``NetworkError/Code-swift.enum/offlineStoreFailed``
  ///   if the file does not exist, is not a regular file, or cannot be copied.
  func copy(_ source: URL, to path: String, limit: Int64) throws -> StoredFile? {
    let name = source.lastPathComponent
    guard source.isFileURL, let from = try OpenFile.open(source.path, O_RDONLY) else {
      throw NetworkError(.offlineStoreFailed, "the file \(name) does not exist")
    }
    guard try from.length != nil else {
      throw NetworkError(.offlineStoreFailed, "\(name) is not a regular file")
    }
    beforeOperation("create")
    let file = try create(path)
    var checksum = Checksum()
    var byteCount: Int64 = 0
    while true {
      let bytes = try from.read(Self.chunkSize)
      byteCount += Int64(bytes.count)
      if byteCount > limit { return nil }
      bytes.withUnsafeBytes { checksum.add($0) }
      beforeOperation("write")
      try file.write(bytes)
      if bytes.count < Self.chunkSize { break }
    }
    beforeOperation("synchronize")
    try file.synchronize()
    return StoredFile(byteCount: byteCount, checksum: checksum.text)
  }

  /// Reads a file and returns its length and checksum.
  ///
  /// Returns `nil` if the file does not exist, is not a regular file, or belongs to another user.
  func contentSummary(_ path: String) throws -> StoredFile? {
    guard let file = try OpenFile.open(path, O_RDONLY | O_NOFOLLOW), try file.length != nil,
      try file.isOwn
    else { return nil }
    var checksum = Checksum()
    var byteCount: Int64 = 0
    while true {
      let bytes = try file.read(Self.chunkSize)
      byteCount += Int64(bytes.count)
      bytes.withUnsafeBytes { checksum.add($0) }
      if bytes.count < Self.chunkSize {
        return StoredFile(byteCount: byteCount, checksum: checksum.text)
      }
    }
  }

  /// Renames a file or folder atomically, on the same disk.
  ///
  /// The new name is durable only after the folders have been synchronized.
  func move(_ path: String, to target: String) throws {
    try move(FilePath(path), to: target)
  }

  /// Renames a file or folder whose path need not be text.
  func move(_ path: FilePath, to target: String) throws {
    beforeOperation("rename")
    guard rename(path.bytes, target) == 0 else { throw OpenFile.error("a file cannot be renamed") }
  }

  /// Synchronizes the names in a folder to disk.
  package func synchronize(_ folder: String) throws {
    beforeOperation("synchronize folder")
    guard let file = try OpenFile.open(folder, O_RDONLY | O_DIRECTORY) else {
      throw NetworkError(.offlineStoreFailed, "the store's folder no longer exists")
    }
    try file.synchronize()
  }

  /// Returns the names in a folder, unordered, without `.` and `..`.
  func names(in folder: String) throws -> [FileName] {
    try names(in: FilePath(folder))
  }

  private func names(in folder: FilePath) throws -> [FileName] {
    guard let stream = opendir(folder.bytes) else {
      throw OpenFile.error("the store's folder cannot be read")
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
    guard errno == 0 else { throw OpenFile.error("the store's folder cannot be read") }
    return names
  }

  /// Returns whether there is a folder at a path; symbolic links are not followed.
  ///
  /// An error other than a missing file is thrown: the folder may exist.
  func isDirectory(_ path: String) throws -> Bool {
    try isDirectory(FilePath(path))
  }

  private func isDirectory(_ path: FilePath) throws -> Bool { try kind(path) == S_IFDIR }

  /// Returns whether there is a file or folder at a path; symbolic links are not followed.
  ///
  /// An error other than a missing file is thrown: the file may exist.
  func exists(_ path: String) throws -> Bool { try kind(FilePath(path)) != nil }

  /// Returns the bits of the mode for the kind of a file, or `nil` if there is none.
  private func kind(_ path: FilePath) throws -> mode_t? {
    var status = stat()
    guard lstat(path.bytes, &status) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw OpenFile.error("a file cannot be examined")
    }
    return status.st_mode & S_IFMT
  }

  /// Removes a file, or a folder with its contents; symbolic links are not followed.
  package func remove(_ path: String) throws {
    try remove(FilePath(path))
  }

  /// Removes a file or folder whose path need not be text.
  func remove(_ path: FilePath) throws {
    if try isDirectory(path) {
      for name in try names(in: path) { try remove(path / name) }
    }
    beforeOperation("remove")
    let result = CatenaSystem.remove(path.bytes)
    guard result == 0 || errno == ENOENT else { throw OpenFile.error("a file cannot be removed") }
  }

  private func create(_ path: String) throws -> OpenFile {
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
    guard let file = try OpenFile.open(path, flags, creating: 0o600) else {
      throw OpenFile.error("a file cannot be created")
    }
    return file
  }
}

/// A file name as bytes, which need not be text.
struct FileName: Sendable, Equatable {
  /// The maximum number of bytes of a name on common file systems.
  static let maximumLength = 255

  let bytes: [UInt8]

  /// The name as text, with `U+FFFD` for each invalid sequence.
  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Returns the longest prefix of whole characters that fits in a number of UTF-8 bytes.
  static func shortened(_ text: String, to limit: Int) -> Substring {
    var text = Substring(text)
    while text.utf8.count > limit { text.removeLast() }
    return text
  }
}

/// A file path as a C string, which need not be text.
struct FilePath: Sendable {
  /// The bytes of the path, with the terminating 0.
  let bytes: [CChar]

  init(_ text: String) {
    bytes = Array(text.utf8CString)
  }

  private init(bytes: [CChar]) {
    self.bytes = bytes
  }

  static func / (folder: FilePath, name: FileName) -> FilePath {
    let name = name.bytes.map(CChar.init(bitPattern:))
    return FilePath(
      bytes: folder.bytes.dropLast() + [CChar(bitPattern: UInt8(ascii: "/"))] + name + [0])
  }
}
