import Foundation
import Synchronization

/// A file that is being written beside the place where it will be.
///
/// It is there under its name at once and whole, or not at all. Released without ``commit()`` it is
/// removed.
final class PartialFile: Sendable {
  /// Why it cannot be written, as part of a sentence.
  struct Problem: Error {
    let reason: String

    init(_ reason: String) {
      self.reason = reason
    }

    fileprivate static var ofSystem: Problem { Problem(String(cString: strerror(errno))) }
  }

  private let target: String
  private let path: String
  private let replaces: Bool
  private let descriptor: Int32
  /// Whether there is a file at `path`.
  private let exists = Atomic(true)

  /// Makes the file, and the folders that it is to be in.
  ///
  /// - Parameters:
  ///   - target: where it will be.
  ///   - replaces: whether it may take the place of another.
  /// - Throws: why it cannot be made.
  init(for target: URL, replacing replaces: Bool) throws(Problem) {
    try Self.check(target, replacing: replaces)
    let folder = target.deletingLastPathComponent()
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw Problem("its folder cannot be made")
    }
    self.target = target.path
    self.replaces = replaces
    // Hidden, and short whatever the target's name is.
    path = folder.appending(path: ".\(UUID().uuidString).part").path
    descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    if descriptor < 0 {
      exists.store(false, ordering: .relaxed)
      throw .ofSystem
    }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    discard()
  }

  /// Looks whether a file can be put somewhere, as far as that shows beforehand.
  static func check(_ target: URL, replacing replaces: Bool) throws(Problem) {
    guard target.isFileURL else { throw Problem("its URL is not a file's") }
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: target.path, isDirectory: &isFolder) else {
      return
    }
    if isFolder.boolValue { throw Problem("there is a folder of its name") }
    if !replaces { throw Problem("there is a file of its name") }
  }

  func write(_ data: Data) throws(Problem) {
    let problem = data.withUnsafeBytes { bytes -> Problem? in
      var rest = bytes
      while !rest.isEmpty {
        let count = Foundation.write(descriptor, rest.baseAddress, rest.count)
        if count < 0, errno == EINTR { continue }
        if count < 0 { return .ofSystem }
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      }
      return nil
    }
    if let problem { throw problem }
  }

  /// Moves it to its place; once.
  func commit() throws(Problem) {
    if replaces {
      guard rename(path, target) == 0 else { throw .ofSystem }
      exists.store(false, ordering: .relaxed)
    } else {
      // Unlike a move, a link never replaces what came to be there meanwhile.
      guard link(path, target) == 0 else {
        throw errno == EEXIST ? Problem("there is a file of its name") : .ofSystem
      }
      discard()
    }
  }

  /// Removes it from its folder at once, though somebody may still be writing.
  func discard() {
    if exists.exchange(false, ordering: .relaxed) { unlink(path) }
  }
}
