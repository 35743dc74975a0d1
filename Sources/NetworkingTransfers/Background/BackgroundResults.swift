import CatenaSystem
import Foundation
import Networking

/// The unclaimed outcomes of background transfers and the resume data of interrupted downloads, in files of a
/// folder.
///
/// A file is written and removed in one step, and only its owner can read it. The folder is not part of a
/// backup, and a copy of a file is not used: on another device nothing has been transferred. Errors of the
/// file system are ignored: the outcome is then known to this run of the program alone.
struct BackgroundResults: Sendable {
  private let folder: URL
  private let fileSystem: FileSystem

  /// Makes the results of a folder, which need not exist.
  init(folder: URL, fileSystem: FileSystem = FileSystem()) {
    self.folder = folder
    self.fileSystem = fileSystem
  }

  /// Makes the results of a session, in the program's folder for application data.
  ///
  /// - Parameter identifier: The identifier of the session.
  init(session identifier: String) {
    self.init(
      folder: ProgramFolder.url("Background", Self.name(identifier), in: ProgramFolder.data))
  }

  /// Reads the outcomes of earlier runs, and removes those that cannot be used, and old resume data.
  ///
  /// It must not be called on the main queue.
  ///
  /// - Parameter now: The time.
  /// - Returns: The outcomes by their keys.
  func load(at now: Date = Date()) -> [String: BackgroundOutcome] {
    let files =
      (try? FileManager.default.contentsOfDirectory(
        at: folder, includingPropertiesForKeys: nil)) ?? []
    var outcomes: [String: BackgroundOutcome] = [:]
    for file in files {
      guard file.pathExtension != Self.resumptionExtension else {
        if let status = try? FileStatus(file.path),
          now.timeIntervalSince(status.lastModified) > BackgroundResumption.lifetime
        {
          remove(file)
        }
        continue
      }
      guard let data = try? fileSystem.read(file.path, limit: .max) else { continue }
      guard let entry = decode(Entry.self, data, of: file), entry.outcome.isUsable else {
        remove(file)
        continue
      }
      outcomes[entry.key] = entry.outcome
    }
    return outcomes
  }

  /// Stores an outcome, in place of an earlier one of the key.
  func store(_ outcome: BackgroundOutcome, for key: String) {
    write(Entry(key: key, outcome: outcome), to: file(for: key))
  }

  /// Removes the outcome of a key.
  func remove(_ key: String) { remove(file(for: key)) }

  /// Stores resume data in place of earlier data of the key, or removes that if there is none.
  func store(_ resumption: BackgroundResumption, for key: String) {
    removeResumption(key)
    guard resumption.identity != nil, resumption.data != nil else { return }
    write(resumption, to: resumptionFile(for: key))
  }

  /// Reads the stored resume data of a key for a request.
  ///
  /// - Parameters:
  ///   - key: The key of the transfer.
  ///   - identity: The identity of the request.
  /// - Returns: The data. `nil` if there is none, or that of another request.
  func resumeData(for key: String, identity: String?) -> Data? {
    let file = resumptionFile(for: key)
    // Base64 has four bytes for three.
    guard let identity,
      let data = try? fileSystem.read(file.path, limit: 2 * BackgroundResumption.limit),
      let stored = decode(BackgroundResumption.self, data, of: file), stored.identity == identity
    else { return nil }
    return stored.data
  }

  /// Removes the stored resume data of a key.
  func removeResumption(_ key: String) { remove(resumptionFile(for: key)) }

  private struct Entry: Codable {
    let key: String
    let outcome: BackgroundOutcome
  }

  private func decode<Content: Decodable>(
    _ type: Content.Type, _ data: Data, of file: URL
  ) -> Content? {
    guard let stored = try? JSONDecoder().decode(StoredContent<Content>.self, from: data),
      stored.fileNumber == (try? FileStatus(file.path))?.identity.number
    else { return nil }
    return stored.content
  }

  private func write(_ content: some Encodable, to file: URL) {
    let new = folder.appendingPathComponent(PartialFile.newName(), isDirectory: false).path
    do {
      try fileSystem.createDirectoriesWithoutBackup(folder.path)
      #if canImport(Darwin)
        // New files inherit it. The system also launches the program while the device is locked.
        try? FileManager.default.setAttributes(
          [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication],
          ofItemAtPath: folder.path)
      #endif
      let partial = try OpenFile(creating: new)
      let number = try partial.status.identity.number
      try partial.write(JSONEncoder().encode(StoredContent(fileNumber: number, content: content)))
      try fileSystem.move(new, to: file.path)
    } catch {
      unlink(new)
    }
  }

  private func remove(_ file: URL) { unlink(file.path) }

  private static let resumptionExtension = "resume"

  private func file(for key: String) -> URL {
    folder.appendingPathComponent("\(Self.name(key)).json", isDirectory: false)
  }

  private func resumptionFile(for key: String) -> URL {
    folder.appendingPathComponent(
      "\(Self.name(key)).\(Self.resumptionExtension)", isDirectory: false)
  }

  /// Returns a file name of limited length, without characters that are special in a path.
  private static func name(_ text: String) -> String {
    DigestAlgorithm.sha256.hash(text) ?? Checksum(text.utf8).text
  }
}

/// The content of a file.
private struct StoredContent<Content> {
  /// The number of the file on its disk, which a file that was restored from a backup does not have.
  let fileNumber: UInt64
  let content: Content
}

extension StoredContent: Encodable where Content: Encodable {}
extension StoredContent: Decodable where Content: Decodable {}

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
