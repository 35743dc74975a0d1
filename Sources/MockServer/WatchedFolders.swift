import Foundation

/// The folders in which a change can affect some files.
///
/// A folder may itself be replaced, such as by a deployment or by `git checkout`. So the folders above it
/// are watched too, each only for the entry that leads to the file. The links on the path of a file are
/// followed, and their own folders are watched as well.
struct WatchedFolders: Equatable {
  /// The names of the entries whose changes matter, by the paths of the folders.
  ///
  /// `nil` for all entries.
  private(set) var entries: [String: Set<String>?] = [:]

  init(_ files: [URL]) {
    for file in files {
      for url in [file, file.resolvingSymlinksInPath()] { add(url.standardizedFileURL) }
    }
  }

  private mutating func add(_ file: URL) {
    var folder = file.deletingLastPathComponent()
    // A pattern of `include` may match any entry.
    entries.updateValue(nil, forKey: folder.path)
    while folder.path != "/", !folder.path.isEmpty {
      let name = folder.lastPathComponent
      folder = folder.deletingLastPathComponent()
      // All entries include this one.
      if case .some(.none) = entries[folder.path] { continue }
      var names = (entries[folder.path] ?? []) ?? []
      names.insert(name)
      entries[folder.path] = names
    }
  }

  /// Returns whether a change of an entry matters.
  ///
  /// - Parameters:
  ///   - name: The name of the entry.
  ///   - folder: The path of its folder.
  /// - Returns: Whether it does.
  func contains(_ name: String, in folder: String) -> Bool {
    guard let names = entries[folder] else { return false }
    return names?.contains(name) ?? true
  }
}
