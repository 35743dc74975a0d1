package import Foundation

/// The web browser of the desktop.
package enum SystemBrowser {
  /// The reason why a page could not be opened.
  package struct Failure: Error, CustomStringConvertible { package let description: String }

  /// Opens a page in the browser of the user.
  ///
  /// - Parameter url: The URL of the page.
  /// - Throws: ``Failure`` if the URL is not on the web, if the platform starts no programs or has no
  ///   program for it; otherwise the error of `Process`.
  package static func open(_ url: URL) throws {
    // Only these schemes, so that a server cannot make the desktop open a file.
    guard ["http", "https"].contains(url.scheme?.lowercased()) else {
      throw Failure(description: "the page is not on the web")
    }
    #if os(Linux) || os(macOS)
      #if os(macOS)
        let name = "open"
      #else
        let name = "xdg-open"
      #endif
      // Searched here, because a caller would otherwise notice a missing program by a time limit only.
      let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin"
      let programs = path.split(separator: ":").map { "\($0)/\(name)" }
      guard let program = programs.first(where: FileManager.default.isExecutableFile(atPath:))
      else {
        throw Failure(description: "there is no program \(name)")
      }
      let process = Process()
      process.executableURL = URL(fileURLWithPath: program)
      process.arguments = [url.absoluteString]
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
    #else
      throw Failure(description: "this platform does not start programs")
    #endif
  }
}
