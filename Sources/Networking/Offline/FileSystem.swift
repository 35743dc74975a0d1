import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The few things that a store does to a disk, each of them one step that a crash comes before or after.
///
/// All errors are those of ``OpenFile``.
struct FileSystem: Sendable {
  /// Called before each step that changes something, with what it is; for tests that end the process
  /// there.
  var beforeOperation: @Sendable (_ step: String) -> Void = { _ in }

  /// How much of a file is in memory at a time.
  private static let chunk = 256 << 10

  /// Makes a folder that only its owner may look into, and those that it lies in; one that is there
  /// already is left as it is.
  func createDirectories(_ path: String) throws {
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { return }
    let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path
    if parent != path { try createDirectories(parent) }
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
      throw OpenFile.error("a folder cannot be made")
    }
    try synchronize(parent)
  }

  /// Makes one folder, which must not be there.
  func createDirectory(_ path: String) throws {
    beforeOperation("make folder")
    guard mkdir(path, 0o700) == 0 else { throw OpenFile.error("a folder cannot be made") }
  }

  /// Writes a new file for its owner alone, and has the disk keep its bytes.
  func write(_ data: Data, to path: String) throws {
    beforeOperation("create")
    let file = try create(path)
    var rest = data
    while !rest.isEmpty {
      beforeOperation("write")
      try file.write(rest.prefix(Self.chunk))
      rest = rest.dropFirst(Self.chunk)
    }
    beforeOperation("synchronize")
    try file.synchronize()
  }

  /// Copies a plain file into a new one for its owner alone, and has the disk keep its bytes.
  ///
  /// - Parameters:
  ///   - source: the file, of which a link may lead to it.
  ///   - path: the copy.
  ///   - limit: how many bytes it may have.
  /// - Returns: what was copied; nil when it is more than the limit.
  /// - Throws: ``NetworkError`` of the code ``NetworkError/Code-swift.enum/offlineStoreFailed``.
  func copy(_ source: URL, to path: String, limit: Int64) throws -> StoredFile? {
    let name = source.lastPathComponent
    guard source.isFileURL, let from = try OpenFile.open(source.path, O_RDONLY) else {
      throw NetworkError(.offlineStoreFailed, "the file \(name) is not there")
    }
    guard from.length != nil else {
      throw NetworkError(.offlineStoreFailed, "\(name) is not a plain file")
    }
    beforeOperation("create")
    let file = try create(path)
    var checksum = Checksum()
    var byteCount: Int64 = 0
    while true {
      let bytes = try from.read(Self.chunk)
      byteCount += Int64(bytes.count)
      if byteCount > limit { return nil }
      bytes.withUnsafeBytes { checksum.add($0) }
      beforeOperation("write")
      try file.write(bytes)
      if bytes.count < Self.chunk { break }
    }
    beforeOperation("synchronize")
    try file.synchronize()
    return StoredFile(byteCount: byteCount, checksum: checksum.text)
  }

  /// What a file of the store is, read from its beginning to its end; nil when it is not there, or
  /// is not a plain file.
  func contentSummary(_ path: String) throws -> StoredFile? {
    guard let file = try OpenFile.open(path, O_RDONLY | O_NOFOLLOW), file.length != nil else {
      return nil
    }
    var checksum = Checksum()
    var byteCount: Int64 = 0
    while true {
      let bytes = try file.read(Self.chunk)
      byteCount += Int64(bytes.count)
      bytes.withUnsafeBytes { checksum.add($0) }
      if bytes.count < Self.chunk {
        return StoredFile(byteCount: byteCount, checksum: checksum.text)
      }
    }
  }

  /// Gives a file or folder another name, at once, on the same disk; the disk keeps it only once the
  /// folders are synchronised.
  func move(_ path: String, to target: String) throws {
    try move(FilePath(path), to: target)
  }

  /// The same for something that is called by bytes.
  func move(_ path: FilePath, to target: String) throws {
    beforeOperation("rename")
    guard rename(path.bytes, target) == 0 else { throw OpenFile.error("a file cannot be renamed") }
  }

  /// Has the disk keep the names in a folder.
  func synchronize(_ folder: String) throws {
    beforeOperation("synchronize folder")
    guard let file = try OpenFile.open(folder, O_RDONLY | O_DIRECTORY) else {
      throw NetworkError(.offlineStoreFailed, "the store's folder is gone")
    }
    try file.synchronize()
  }

  /// The names in a folder, in no order, without `.` and `..`.
  func names(in folder: String) throws -> [FileName] {
    try names(in: FilePath(folder))
  }

  private func names(in folder: FilePath) throws -> [FileName] {
    guard let stream = opendir(folder.bytes) else {
      throw OpenFile.error("the store's folder cannot be read")
    }
    defer { closedir(stream) }
    var names: [FileName] = []
    errno = 0
    while let entry = readdir(stream) {
      let bytes = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      let name = FileName(bytes: bytes)
      if name.text != ".", name.text != ".." { names.append(name) }
      errno = 0
    }
    guard errno == 0 else { throw OpenFile.error("the store's folder cannot be read") }
    return names
  }

  /// Whether there is a folder, and no link to one.
  func isDirectory(_ path: String) -> Bool {
    isDirectory(FilePath(path))
  }

  private func isDirectory(_ path: FilePath) -> Bool {
    var status = stat()
    return lstat(path.bytes, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Removes a file, or a folder with all that is in it; links are not followed.
  func remove(_ path: String) throws {
    try remove(FilePath(path))
  }

  /// The same for something that is called by bytes.
  func remove(_ path: FilePath) throws {
    if isDirectory(path) {
      for name in try names(in: path) { try remove(path / name) }
    }
    beforeOperation("remove")
    #if canImport(Darwin)
      let result = Darwin.remove(path.bytes)
    #elseif canImport(Musl)
      let result = Musl.remove(path.bytes)
    #else
      let result = Glibc.remove(path.bytes)
    #endif
    guard result == 0 || errno == ENOENT else { throw OpenFile.error("a file cannot be removed") }
  }

  private func create(_ path: String) throws -> OpenFile {
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
    guard let file = try OpenFile.open(path, flags, creating: 0o600) else {
      throw OpenFile.error("a file cannot be made")
    }
    return file
  }
}

/// What something in a folder is called: bytes, which need not be text.
struct FileName: Sendable, Equatable {
  /// How many bytes a name may have on the file systems there are.
  static let limit = 255

  let bytes: [UInt8]

  /// The name as text, `U+FFFD` in the place of what is none.
  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Text of so many bytes at the most, cut off after a character.
  static func shortened(_ text: String, to limit: Int) -> Substring {
    var text = Substring(text)
    while text.utf8.count > limit { text.removeLast() }
    return text
  }
}

/// Where something is, as the system has it.
struct FilePath: Sendable {
  /// With the 0 at its end.
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
