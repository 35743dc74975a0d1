import CatenaSystem
import Foundation
import Mocking
import MockingRecordings
import MockingResources
import MockingStubs

/// The files that a server uses, and their last content.
final class StubSource: Sendable {
  private struct State {
    var file: StubFile
    /// The hashes of the files that were read last, even if they were invalid.
    var contents: [URL: Int?]
  }

  /// The items of the resources, whichever files are served.
  let store = ResourceStore()
  private let urls: [URL]
  private let data: URL?
  private let recordings: Tape.Options
  private let contracts: StubFile.ContractOptions
  private let state: Mutex<State>

  /// Reads the files.
  ///
  /// - Parameters:
  ///   - urls: The files of the command line.
  ///   - data: The file for the items of resources.
  ///   - recordings: The options for recordings among the files.
  ///   - contracts: The options for OpenAPI documents among the files.
  /// - Throws: The error of a file.
  init(
    _ urls: [URL], data: URL?, recordings: Tape.Options, contracts: StubFile.ContractOptions
  ) throws {
    self.urls = urls
    self.data = data
    self.recordings = recordings
    self.contracts = contracts
    let contents = Self.contents(of: urls)
    let file = try StubFile(
      contentsOf: urls, in: store, data: data, recordings: recordings, contracts: contracts)
    try file.commit()
    state = Mutex(
      State(file: file, contents: contents.merging(Self.contents(of: file.files)) { old, _ in old })
    )
  }

  /// The last valid files.
  var file: StubFile { state.withLock { $0.file } }

  func setFile(_ file: StubFile) {
    state.withLock { $0.file = file }
  }

  /// Reads the files again.
  ///
  /// The items of the resources are unchanged until `StubFile.commit()`.
  ///
  /// - Parameter isRequested: Whether unchanged files are read.
  /// - Returns: The new routes, or `nil` if the files are unchanged: editors write a file more than
  ///   once, and the watcher also reports changes of other files in the folder.
  /// - Throws: `StubFileError` if the new content is invalid.
  func read(isRequested: Bool) throws -> StubFile? {
    let old = file
    var contents = Self.contents(of: urls + old.files + old.matchingFiles)
    if contents.values.contains(nil) {
      // An editor may have renamed the file, and is about to write the new one.
      Thread.sleep(forTimeInterval: 0.05)
      contents = Self.contents(of: urls + old.files + old.matchingFiles)
    }
    let isNew = state.withLock { state in
      defer { state.contents = contents }
      return contents != state.contents.filter { contents.keys.contains($0.key) }
    }
    guard isNew || isRequested else { return nil }
    let new = try StubFile(
      contentsOf: urls, in: store, data: data, recordings: recordings, contracts: contracts)
    let includes = Self.contents(of: new.files)
    state.withLock { $0.contents.merge(includes) { old, _ in old } }
    return new
  }

  /// Returns a hash of each file, or `nil` for a file that cannot be read.
  private static func contents(of urls: [URL]) -> [URL: Int?] {
    var contents: [URL: Int?] = [:]
    for url in urls {
      var hasher = Hasher()
      let data = try? Data(contentsOf: url, options: .mappedIfSafe)
      data?.withUnsafeBytes { hasher.combine(bytes: $0) }
      contents.updateValue(data == nil ? nil : hasher.finalize(), forKey: url)
    }
    return contents
  }
}
