import CatenaSystem
import Foundation
import Networking

/// The unclaimed outcomes of background transfers, in files of a folder.
///
/// A file is written and removed in one step, and only its owner can read it. Errors of the file
/// system are ignored: the outcome is then known to this run of the program alone.
struct BackgroundResults: Sendable {
  private let folder: URL

  /// Makes the results of a folder, which need not exist.
  init(folder: URL) {
    self.folder = folder
  }

  /// Makes the results of a session, in the program's folder for application data.
  ///
  /// - Parameter identifier: The identifier of the session.
  init(session identifier: String) {
    self.init(
      folder: ProgramFolder.url("Background", Self.name(identifier), in: ProgramFolder.data))
  }

  /// Returns the outcomes of earlier runs, and removes those that cannot be used.
  ///
  /// Reads files, so it must not be called on the main queue.
  func load() -> [String: BackgroundOutcome] {
    let files =
      (try? FileManager.default.contentsOfDirectory(
        at: folder, includingPropertiesForKeys: nil)) ?? []
    var outcomes: [String: BackgroundOutcome] = [:]
    for file in files {
      guard let data = try? FileSystem().read(file.path, limit: .max) else { continue }
      guard let entry = try? JSONDecoder().decode(Entry.self, from: data), entry.outcome.isUsable
      else {
        try? FileManager.default.removeItem(at: file)
        continue
      }
      outcomes[entry.key] = entry.outcome
    }
    return outcomes
  }

  /// Stores an outcome, in place of an earlier one of the key.
  func store(_ outcome: BackgroundOutcome, for key: String) {
    guard let data = try? JSONEncoder().encode(Entry(key: key, outcome: outcome)),
      let file = try? PartialFile(for: self.file(for: key), replacing: true, permissions: 0o600),
      (try? file.write(data)) != nil
    else { return }
    try? file.commit()
  }

  /// Removes the outcome of a key.
  func remove(_ key: String) {
    try? FileManager.default.removeItem(at: file(for: key))
  }

  private struct Entry: Codable {
    let key: String
    let outcome: BackgroundOutcome
  }

  private func file(for key: String) -> URL {
    folder.appendingPathComponent("\(Self.name(key)).json", isDirectory: false)
  }

  /// Returns a file name of limited length, without characters that are special in a path.
  private static func name(_ text: String) -> String {
    DigestAlgorithm.sha256.hash(text) ?? Checksum(text.utf8).text
  }
}

// MARK: - Files of the system

extension FileTarget {
  /// Moves a complete file to the target, in one step, or copies it from another volume.
  ///
  /// The target appears complete or not at all. Missing folders are created.
  ///
  /// - Parameter file: The file, which the system removes if it is left in place.
  /// - Throws: The reason that the target cannot be written.
  func adopt(_ file: URL) throws(FileError) {
    try PartialFile.prepare(url, replacing: replaces)
    do {
      try PartialFile.move(file.path, to: url.path, replacing: replaces)
    } catch {
      try copy(file)
    }
  }

  private func copy(_ file: URL) throws(FileError) {
    let partial = try PartialFile(for: url, replacing: replaces)
    guard let source = try? OpenFile(file.path) else {
      throw FileError(file.path, "the received file is not readable", number: nil)
    }
    while case let bytes = try source.read(1 << 20), !bytes.isEmpty { try partial.write(bytes) }
    try partial.commit()
    unlink(file.path)
  }
}
