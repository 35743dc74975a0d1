import CatenaSystem
import Foundation

/// The file of a jar: JSON, readable by its owner only, shared with other processes.
///
/// A process that changes the file holds a lock on a second file, and replaces the first one by a
/// rename. So a reader needs no lock, and always finds a complete file. All methods block.
///
/// All errors are of the type ``NetworkError`` with the code
/// ``NetworkError/Code-swift.enum/cookieFileFailed``.
struct CookieFile: Sendable {
  /// The content of the file.
  private struct Content: Codable {
    /// The version of the format.
    var version = 1
    var cookies: [Cookie]
  }

  /// The limit for the length of the file, in bytes, which no jar reaches.
  private static let maximumLength = 64 << 20

  let path: String
  private let fileSystem: FileSystem

  /// - Parameters:
  ///   - url: The URL of the file.
  ///   - fileSystem: The operations on the disk.
  /// - Throws: ``NetworkError`` if it is not a file URL.
  init(_ url: URL, _ fileSystem: FileSystem = FileSystem()) throws {
    guard url.isFileURL else {
      throw NetworkError(.cookieFileFailed, "the URL of the cookie file is not a file URL")
    }
    path = url.standardizedFileURL.path
    self.fileSystem = fileSystem
  }

  /// Reads the cookies, in the order of their creation.
  ///
  /// - Returns: The cookies that are valid, or `nil` if there is no file, or an empty one.
  /// - Throws: ``NetworkError`` if the file cannot be read, or is not the file of a jar.
  func read() throws -> [Cookie]? {
    try NetworkError.reporting(.cookieFileFailed) {
      guard let data = try fileSystem.read(path, limit: Self.maximumLength) else { return nil }
      do {
        let content = try JSONDecoder().decode(Content.self, from: data)
        guard content.version == 1 else { throw error("has an unknown version") }
        return content.cookies.filter { $0.defect == nil && $0.expires != nil }
      } catch is DecodingError {
        // The decoder's error is left out, because it may contain a value.
        throw error("is not the file of a cookie jar")
      }
    }
  }

  private func error(_ reason: String) -> NetworkError {
    NetworkError(.cookieFileFailed, "\(FilePath.split(path).name) \(reason)")
  }

  /// Replaces the cookies, under the lock.
  ///
  /// - Parameter body: A closure that receives the cookies in the file, `nil` if there is no file,
  ///   and returns the new ones.
  /// - Throws: ``NetworkError`` if the file cannot be read or written. The file is then unchanged.
  func update(_ body: (_ found: [Cookie]?) -> [Cookie]) throws {
    try NetworkError.reporting(.cookieFileFailed) {
      try fileSystem.createDirectories(FilePath.split(path).folder)
      let lock = try FileLock(waitingFor: "\(path).lock")
      let found = try read()
      let cookies = body(found)
      guard cookies != found ?? [] else { return }
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      guard let data = try? encoder.encode(Content(cookies: cookies)) else {
        throw error("cannot be encoded")
      }
      try fileSystem.replace(path, with: data)
      withExtendedLifetime(lock) {}
    }
  }
}
