import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Writes files that are nobody else's to read, whole or not at all.
enum ArchiveFile {
  /// Puts bytes in the place of a file: into a new file beside it, which takes its name once all of it
  /// is on the disk.
  ///
  /// The file has the mode 0600 from its first byte on. Folders that are not there are made.
  static func write(_ data: Data, to file: URL) throws(RecordingError) {
    let folder = try makeFolder(of: file)
    let number = UInt32.random(in: .min ... .max)
    let path = folder.appending(path: ".\(file.lastPathComponent).\(getpid())-\(number).tmp").path
    let descriptor = try create(path, for: file)
    var failure: String?
    if !writeAll(data, to: descriptor, at: 0) || fsync(descriptor) != 0 { failure = reason() }
    if close(descriptor) != 0, failure == nil { failure = reason() }
    if failure == nil, rename(path, file.path) != 0 { failure = reason() }
    if let failure {
      unlink(path)
      throw .unwritable(file: file, reason: failure)
    }
    // The name lasts once the folder is on the disk too; where that cannot be asked for, it is enough
    // that the file is.
    let folderDescriptor = open(folder.path, O_RDONLY | O_CLOEXEC)
    if folderDescriptor >= 0 {
      fsync(folderDescriptor)
      close(folderDescriptor)
    }
  }

  /// Makes the folder that a file is to be in.
  static func makeFolder(of file: URL) throws(RecordingError) -> URL {
    guard file.isFileURL else { throw .unwritable(file: file, reason: "its URL is not a file's") }
    let folder = file.standardizedFileURL.deletingLastPathComponent()
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw .unwritable(file: file, reason: reason(of: error))
    }
    return folder
  }

  /// Opens a file that was not there, for writing by its owner alone.
  static func create(_ path: String, for file: URL) throws(RecordingError) -> Int32 {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .unwritable(file: file, reason: reason()) }
    return descriptor
  }

  /// Writes all bytes at a place.
  static func writeAll(_ data: Data, to descriptor: Int32, at offset: Int) -> Bool {
    data.withUnsafeBytes { bytes in
      var written = 0
      while written < bytes.count {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
        let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset + written))
        if count < 0 {
          guard errno == EINTR else { return false }
          continue
        }
        written += count
      }
      return true
    }
  }

  private static func reason() -> String { String(cString: strerror(errno)) }

  /// What the system says of a failure of Foundation's.
  static func reason(of error: any Error) -> String {
    var error = error as NSError
    while let next = error.userInfo[NSUnderlyingErrorKey] as? NSError { error = next }
    return error.domain == NSPOSIXErrorDomain
      ? String(cString: strerror(Int32(error.code))) : error.localizedDescription
  }
}
