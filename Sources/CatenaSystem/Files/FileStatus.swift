package import Foundation

/// The kind, owner, size and times of a file.
package struct FileStatus: Sendable {
  /// The number of a file on its disk, whatever the name of the file, and the number of the disk.
  package struct Identity: Sendable, Hashable {
    package let device: UInt64
    package let number: UInt64
  }

  /// The facts that differ after a file has been changed or replaced.
  package struct Version: Sendable, Hashable {
    package let identity: Identity
    package let byteCount: Int64
    package let seconds: Int64
    package let nanoseconds: Int64
  }

  private let status: stat

  init(_ status: stat) { self.status = status }

  /// Examines the file at a path, or returns `nil` if there is none.
  ///
  /// - Parameters:
  ///   - path: The path.
  ///   - followsLinks: Whether the file to which a symbolic link leads is examined.
  /// - Throws: ``FileError`` if it cannot be examined; it may exist.
  package init?(
    _ path: some FilePathConvertible, followingLinks followsLinks: Bool = false
  ) throws(FileError) {
    let path = path.filePath
    var status = stat()
    guard (followsLinks ? stat(path.bytes, &status) : lstat(path.bytes, &status)) == 0 else {
      let number = errno
      if number == ENOENT || number == ENOTDIR { return nil }
      throw FileError(path.text, "cannot be examined", number: number)
    }
    self.init(status)
  }

  private var kind: mode_t { status.st_mode & S_IFMT }
  /// Whether it is a regular file.
  package var isRegular: Bool { kind == S_IFREG }
  /// Whether it is a folder.
  package var isFolder: Bool { kind == S_IFDIR }
  /// Whether it is a symbolic link.
  var isLink: Bool { kind == S_IFLNK }
  /// The length in bytes.
  package var byteCount: Int64 { Int64(status.st_size) }
  /// The bits of the mode that `open` accepts, without those for execution.
  package var permissions: mode_t { status.st_mode & 0o666 }
  /// The number of names of the file.
  package var linkCount: Int { Int(status.st_nlink) }
  /// The user who owns the file.
  package var owner: uid_t { status.st_uid }

  /// The identity of the file.
  package var identity: Identity {
    Identity(
      device: UInt64(truncatingIfNeeded: status.st_dev),
      number: UInt64(truncatingIfNeeded: status.st_ino))
  }

  /// The time of the last change of the contents, since the start of 1970.
  package var modified: (seconds: Int64, nanoseconds: Int64) {
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    return (Int64(time.tv_sec), Int64(time.tv_nsec))
  }

  /// The version of the file.
  package var version: Version {
    let (seconds, nanoseconds) = modified
    return Version(
      identity: identity, byteCount: byteCount, seconds: seconds, nanoseconds: nanoseconds)
  }

  /// The time of the last change of the contents, to the second.
  ///
  /// It has no name of a call that privacy manifests must declare: `.ci/house` finds those by their names.
  package var lastModified: Date { Date(timeIntervalSince1970: Double(modified.seconds)) }
}

/// The rule by which a file in a folder that others can write to counts as this program's own.
///
/// It belongs to the user of the process or to root, as for the configuration of ssh. On a disk that does not
/// keep owners, such as exFAT, CIFS, or NFS that maps root to nobody, all files have one owner. There a file is
/// own if it has the owner that a new file of this process gets.
package enum FileOwner {
  /// Compares the owner of an open file.
  ///
  /// - Parameters:
  ///   - status: The status of the open file.
  ///   - path: The path. A new file is made beside it, and removed, only if another user owns the file.
  /// - Returns: Whether the file is own.
  package static func isOwn(_ status: FileStatus, at path: String) -> Bool {
    isOwn(status.owner, of: geteuid()) { ownerOfNewFile(beside: path) }
  }

  /// Compares the owner of a file with the user and with the owner of a new file.
  ///
  /// - Parameters:
  ///   - owner: The owner.
  ///   - user: The user of the process.
  ///   - newFile: Returns the owner of a new file in the same folder, or `nil` if none can be made.
  /// - Returns: Whether the file is own.
  static func isOwn(_ owner: uid_t, of user: uid_t, newFile: () -> uid_t?) -> Bool {
    owner == user || owner == 0 || owner == newFile()
  }

  /// Returns the owner of a new file in the folder of a path, or `nil` if none can be made.
  static func ownerOfNewFile(beside path: String) -> uid_t? {
    let path = "\(FilePath.split(path).folder)/.\(UUID().uuidString).owner"
    guard let file = try? OpenFile(creating: path) else { return nil }
    defer { unlink(path) }
    return try? file.status.owner
  }
}
