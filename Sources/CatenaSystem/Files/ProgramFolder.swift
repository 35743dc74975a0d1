package import Foundation

/// The folders of the program for state that outlives it.
package enum ProgramFolder {
  /// The folder for application data: the caches folder on tvOS, which has no persistent folder.
  ///
  /// `nil` if the platform has none.
  package static var data: URL? {
    #if os(tvOS)
      caches
    #else
      FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
    #endif
  }

  /// The folder for caches, or `nil` if the platform has none.
  package static var caches: URL? {
    FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
  }

  /// Returns the folder `<program>/Catena/<kind>/<name>` in one of these folders.
  ///
  /// The program is the bundle identifier, or else the name of the process.
  ///
  /// - Parameters:
  ///   - kind: The kind of state, such as `Offline`.
  ///   - name: The name. Characters that are not allowed in file names are percent-encoded.
  ///   - folder: The folder. `nil` uses the temporary folder.
  /// - Returns: The folder, which need not exist.
  package static func url(_ kind: String, _ name: String, in folder: URL?) -> URL {
    let program = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
    return [PercentEncoding.fileName(program), "Catena", kind, PercentEncoding.fileName(name)]
      .reduce(folder ?? FileManager.default.temporaryDirectory) {
        $0.appendingPathComponent($1.isEmpty ? "_" : $1, isDirectory: true)
      }
  }
}
