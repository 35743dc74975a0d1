import Foundation

/// A file that contains the body of a ``Mock``.
///
/// A name with a component `..`, percent-encoded or not, is never read, because a name may be made
/// from the path of a request.
public struct MockFile: Sendable, Hashable {
  /// The name of the file.
  ///
  /// It may include folders.
  public let name: String
  /// The URLs at which the file may exist, in order of preference.
  ///
  /// The first existing file is read.
  public let candidates: [URL]
  /// Whether the name stays in its folder.
  private let isInside: Bool

  /// Creates a file in the current folder or, if it does not exist there, in the program's
  /// resources.
  ///
  /// - Parameter name: The name of the file. It may include folders.
  public init(_ name: String) {
    let current = URL(
      fileURLWithPath: FileManager.default.currentDirectoryPath, isDirectory: true)
    self.init(name, in: [current, Bundle.main.resourceURL].compactMap { $0 })
  }

  /// Creates a file in a folder.
  ///
  /// - Parameters:
  ///   - name: The name of the file. It may include folders.
  ///   - folder: The folder.
  public init(_ name: String, in folder: URL) {
    self.init(name, in: [folder])
  }

  /// Creates a file in the resources of a bundle.
  ///
  /// - Parameters:
  ///   - name: The name of the file. It may include folders.
  ///   - bundle: The bundle, such as `.module`.
  public init(_ name: String, in bundle: Bundle) {
    self.init(name, in: [bundle.resourceURL ?? bundle.bundleURL])
  }

  private init(_ name: String, in folders: [URL]) {
    self.name = name
    // A name may come from the path of a request.
    let parts = (name.removingPercentEncoding ?? name).split { $0 == "/" || $0 == "\\" }
    isInside = !parts.contains("..") && !name.utf8.contains(0)
    candidates = folders.map { $0.appendingPathComponent(name, isDirectory: false) }
  }

  /// An error that occurred when the file was read.
  struct ReadError: Error {
    let reason: String
  }

  /// Reads the first existing file completely.
  func read() throws(ReadError) -> Data {
    let file = try open()
    var data = Data()
    while case let piece = file.read(data.count..<file.byteCount), !piece.isEmpty { data += piece }
    return data
  }

  /// Opens the first existing file.
  func open() throws(ReadError) -> OpenFile {
    guard isInside else {
      throw ReadError(reason: "the name \(name.debugDescription) leads out of its folder")
    }
    var unreadable: String?
    for candidate in candidates {
      do throws(OpenFile.Failure) {
        if let file = try OpenFile(candidate) { return file }
      } catch {
        unreadable = "the file \(candidate.path) cannot be read: \(error.reason)"
        break
      }
    }
    let folders = candidates.map { $0.deletingLastPathComponent().path }
    throw ReadError(
      reason: unreadable
        ?? "there is no file \(name.debugDescription) in \(folders.joined(separator: " or in "))")
  }
}
