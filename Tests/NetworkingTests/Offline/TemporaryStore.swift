import CatenaSystem
import Foundation
import Networking
import Promises
import TestSupport

/// A temporary folder with an offline store and an adjustable clock.
final class TemporaryStore: Sendable {
  private let temporary = TemporaryFolder()
  private let time = Mutex(Date(timeIntervalSince1970: 1_800_000_000))

  var folder: URL { temporary.url }

  var now: Date { time.withLock { $0 } }

  /// Advances the clock of the stores.
  func pass(_ seconds: Double) {
    time.withLock { $0 += seconds }
  }

  /// Opens a store in the folder.
  ///
  /// Stores share no memory, like stores of different processes.
  func open(
    limits: OfflineStore.Limits = OfflineStore.Limits(), lifetime: Duration? = .seconds(100),
    storesSecrets: Bool = false, onConflict: OfflineStore.ConflictHandler? = nil
  ) throws -> OfflineStore {
    try OfflineStore(
      folder: folder.appendingPathComponent("store"), limits: limits, lifetime: lifetime,
      storesSecrets: storesSecrets, clock: { [self] in now }, onConflict: onConflict)
  }

  /// Writes a file outside of the store's folder.
  func file(_ name: String, _ data: Data) throws -> URL {
    try temporary.file(name, data)
  }

  /// The paths of all files in the store's folder, relative to it.
  var contents: [String] {
    get throws {
      try FileManager.default.subpathsOfDirectory(
        atPath: folder.appendingPathComponent("store").path
      ).sorted()
    }
  }

  /// Returns the absolute path of a file in the store's folder.
  func path(_ below: String) -> String { folder.path + "/store/" + below }

  /// Returns the path of the nth entry's file.
  func entryFile(_ position: Int) throws -> String {
    path(try contents.filter { $0.hasSuffix("/entry") }[position])
  }
}

extension Response {
  /// Creates a response to an arbitrary request.
  static func of(_ status: Int) -> Response {
    Response(
      head: HTTPResponseHead(status: status), request: HTTPRequest(url: .of("http://a.test/")))
  }
}
