import Foundation

/// A file in the temporary folder, for its owner's eyes only, that is removed with this object.
final class TemporaryFile: Sendable {
  let url = FileManager.default.temporaryDirectory.appending(
    path: "catena-copy-\(UUID().uuidString)")

  /// Makes a file.
  ///
  /// - Parameter write: writes what is to be in it.
  /// - Throws: what `write` throws, or why there can be no file.
  init(_ write: (FileHandle) async throws -> Void) async throws {
    try Data().write(to: url, options: .withoutOverwriting)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
    let handle = try FileHandle(forWritingTo: url)
    defer { try? handle.close() }
    try await write(handle)
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }
}
