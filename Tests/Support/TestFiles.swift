package import Foundation

/// A temporary folder of one test, removed with its contents when this object is released.
package final class TemporaryFolder: Sendable {
  package let url: URL

  /// A folder whose files are in memory, or on a system without one the usual folder.
  package static let memory: URL =
    FileManager.default.isWritableFile(atPath: "/dev/shm")
    ? URL(fileURLWithPath: "/dev/shm") : FileManager.default.temporaryDirectory

  /// Creates a folder with a unique name.
  ///
  /// - Parameter parent: The folder to create it in.
  package init(in parent: URL = FileManager.default.temporaryDirectory) {
    url = parent.appending(path: "catena-\(UUID().uuidString)")
    try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

  package func url(_ name: String) -> URL { url.appending(path: name) }

  /// Writes a file in the folder and returns its URL.
  package func file(_ name: String, _ content: Data) throws -> URL {
    let file = url(name)
    try content.write(to: file)
    return file
  }

  /// Writes a text file in the folder and returns its URL.
  package func file(_ name: String, _ content: String) throws -> URL {
    try file(name, Data(content.utf8))
  }

  /// The names of its files, including hidden ones, in ascending order.
  package var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted()
  }
}

extension Data {
  /// Returns bytes in which a missing, duplicated or misplaced part is detectable.
  package static func pattern(_ count: Int) -> Data {
    var data = Data((0..<251).map(UInt8.init))
    while data.count < count { data += data.prefix(count - data.count) }
    return data.prefix(count)
  }
}

#if os(Linux) || os(macOS)
  /// An executable that the package builds beside the tests.
  package enum BuiltProgram {
    /// Returns the file of an executable.
    ///
    /// - Parameter name: The name of its target.
    /// - Returns: The URL of the file.
    package static func url(_ name: String) -> URL {
      folder.appendingPathComponent(name)
    }

    /// The folder of the build products.
    private static var folder: URL {
      #if os(macOS)
        for bundle in Bundle.allBundles where bundle.bundlePath.hasSuffix(".xctest") {
          return bundle.bundleURL.deletingLastPathComponent()
        }
      #endif
      return Bundle.main.bundleURL
    }
  }
#endif

/// Integer arguments for the child process of an exit test.
///
/// They are passed in a file, whose name contains the parent's PID. Environment variables are
/// unsafe here: setting one while another thread reads them, for example to launch a program, can
/// crash.
package enum ExitTestArguments {
  package static func write(_ numbers: [Int], as name: String) throws {
    let text = numbers.map(\.description).joined(separator: " ")
    try Data(text.utf8).write(to: file(name, of: getpid()))
  }

  /// Reads the arguments in the child process and removes the file.
  package static func read(_ name: String) throws -> [Int] {
    let file = file(name, of: getppid())
    defer { try? FileManager.default.removeItem(at: file) }
    return try String(contentsOf: file, encoding: .utf8).split(separator: " ")
      .compactMap { Int($0) }
  }

  private static func file(_ name: String, of parent: pid_t) -> URL {
    FileManager.default.temporaryDirectory.appendingPathComponent("catena-\(parent)-\(name)")
  }
}
