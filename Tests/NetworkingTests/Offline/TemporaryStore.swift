import Foundation
import Networking
import Promises
import Synchronization
import TestSupport

/// A folder of a test's own, which goes with it, and what a store in it is made of.
final class TemporaryStore: Sendable {
  let folder: URL
  private let time = Mutex(Date(timeIntervalSince1970: 1_800_000_000))

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("offline-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  var now: Date { time.withLock { $0 } }

  /// Lets time pass for the stores.
  func pass(_ seconds: Double) {
    time.withLock { $0 += seconds }
  }

  /// A store in the folder; each is as good as one in another process.
  func open(
    limits: OfflineStore.Limits = OfflineStore.Limits(), lifetime: Duration? = .seconds(100),
    storesSecrets: Bool = false, onConflict: OfflineStore.ConflictHandler? = nil
  ) throws -> OfflineStore {
    try OfflineStore(
      folder: folder.appendingPathComponent("store"), limits: limits, lifetime: lifetime,
      storesSecrets: storesSecrets, clock: { [self] in now }, onConflict: onConflict)
  }

  /// A file beside the store.
  func file(_ name: String, _ data: Data) throws -> URL {
    let file = folder.appendingPathComponent(name)
    try data.write(to: file)
    return file
  }

  /// Everything in the store's folder, by its path below that.
  var contents: [String] {
    get throws {
      try FileManager.default.subpathsOfDirectory(
        atPath: folder.appendingPathComponent("store").path
      ).sorted()
    }
  }

  /// Where something in the store's folder is.
  func path(_ below: String) -> String { folder.path + "/store/" + below }

  /// The file of the nth entry, in their order.
  func entryFile(_ position: Int) throws -> String {
    path(try contents.filter { $0.hasSuffix("/entry") }[position])
  }
}

extension Response {
  /// An answer to anything.
  static func of(_ status: Int) -> Response {
    Response(
      head: HTTPResponseHead(status: status), request: HTTPRequest(url: .of("http://a.test/")))
  }
}
