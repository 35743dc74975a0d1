import CatenaSystem
import Dispatch
import Foundation
import Mocking
import MockingDocuments
import Networking
import Promises

/// The open file of a ``ResourceStore``, which writes changes on a background queue.
///
/// A write replaces the whole file. Changes within ``delay`` are written together. A write that fails is
/// reported at once and repeated, each time after twice the pause. The file is locked until this object
/// is released.
final class ResourceFile: Sendable {
  private struct State {
    /// The number of changes since the last write began.
    var unsavedCount = 0
    var isScheduled = false
    /// The error of the last write.
    var failure: ResourceError?
    var pause = ResourceFile.delay
    /// Whether the store has closed the file.
    var isFinished = false
  }

  /// A store that has a file open.
  private struct Owner {
    weak var store: ResourceStore?
  }

  /// The stores of this process by the paths of their files.
  private static let owners = Mutex<[String: Owner]>([:])
  /// The time between the first change and its write, and the first pause after a failure.
  static let delay = Duration.milliseconds(200)
  /// The longest pause after a failure.
  static let maximumPause = Duration.seconds(10)
  /// The number of unsaved changes after which responses wait for a write.
  static let maximumUnsavedCount = 20

  let url: URL
  /// The path without `..`.
  var path: String { url.standardizedFileURL.path }
  private let lock: FileLock
  private let scheduler: any Scheduler
  private let queue = DispatchQueue(label: "catena.resource-file")
  private let state = Mutex(State())

  /// Locks a file.
  ///
  /// - Throws: ``ResourceError``.
  init(_ url: URL, for store: ResourceStore) throws(ResourceError) {
    self.url = url
    scheduler = store.scheduler
    do throws(FileError) {
      try PartialFile.prepare(url, replacing: true)
    } catch {
      throw .unwritable(url, reason: error.cause)
    }
    let path = url.standardizedFileURL.resolvingSymlinksInPath().path
    let earlier = Self.owners.withLock { owners in
      owners = owners.filter { $0.value.store != nil }
      return owners.updateValue(Owner(store: store), forKey: path)?.store
    }
    if let earlier, earlier !== store { earlier.close() }
    let lock: FileLock?
    do throws(FileError) {
      lock = try FileLock(tryLocking: path + ".lock")
    } catch {
      throw .unwritable(url, reason: error.cause)
    }
    guard let lock else { throw .fileInUse(url) }
    self.lock = lock
  }

  /// Reads the file, or returns `nil` if it does not exist.
  func read() throws(ResourceError) -> ResourceFileContent? {
    let text: Data
    do {
      text = JSONDocumentError.text(of: try Data(contentsOf: url))
    } catch {
      guard FileManager.default.fileExists(atPath: url.path) else { return nil }
      throw .unreadable(url, reason: FileError.cause(of: error))
    }
    let json: JSON
    do throws(JSONDocumentError) {
      json = try JSONDocumentError.json(in: text)
    } catch {
      let place = error.place(in: text)
      throw .malformed(url, reason: "line \(place.line), column \(place.column): \(error.text)")
    }
    guard let resources = json["resources"].dictionary else {
      throw .malformed(url, reason: "expected an object with a member \"resources\"")
    }
    return ResourceFileContent(resources: resources, text: text)
  }

  // MARK: Writing

  /// The number of changes that are not in the file.
  var unsavedCount: Int { state.withLock { $0.unsavedCount } }

  /// The error of the last write, or `nil` if it has succeeded.
  var failure: ResourceError? { state.withLock { $0.failure } }

  /// Whether a further change waits for a write.
  ///
  /// It does not while writes fail.
  var isBehind: Bool {
    state.withLock { $0.unsavedCount > Self.maximumUnsavedCount && $0.failure == nil }
  }

  /// Schedules a write of the store's items.
  ///
  /// The store is retained until then, so that no change is lost. This object is not, so that closing
  /// the file unlocks it at once.
  func changed(_ store: ResourceStore) {
    state.withLock { $0.unsavedCount += 1 }
    schedule(store)
  }

  private func schedule(_ store: ResourceStore) {
    let pause = state.withLock { state -> Duration? in
      defer { state.isScheduled = true }
      return state.isScheduled ? nil : state.pause
    }
    guard let pause else { return }
    _ = scheduler.schedule(after: pause) { [weak self] in
      guard let self else { return }
      // Virtual time does not advance until the next attempt has been scheduled.
      let activity = scheduler.beginActivity()
      queue.async {
        self.writeScheduled(store)
        activity?.end()
      }
    }
  }

  private func writeScheduled(_ store: ResourceStore) {
    state.withLock { $0.isScheduled = false }
    // The error is reported, and the write is repeated.
    try? write(store)
  }

  /// Writes pending changes before it returns.
  func flush(_ store: ResourceStore) throws(ResourceError) {
    let result = queue.sync { Result { () throws(ResourceError) in try write(store) } }
    try result.get()
  }

  /// Writes pending changes, on the queue.
  private func write(_ store: ResourceStore) throws(ResourceError) {
    // The content has at least the changes that have been counted before.
    let count = state.withLock { $0.isFinished ? 0 : $0.unsavedCount }
    guard count > 0 else { return }
    do throws(ResourceError) {
      try create(store.fileContent)
    } catch {
      let isNew = state.withLock { state in
        defer { state.failure = error }
        state.pause = min(state.pause * 2, Self.maximumPause)
        return state.failure != error
      }
      if isNew { store.report(error) }
      schedule(store)
      throw error
    }
    let hasRecovered = state.withLock { state in
      state.unsavedCount -= count
      state.pause = Self.delay
      return state.failure.take() != nil
    }
    if hasRecovered { store.report(nil) }
  }

  /// Replaces the file.
  func create(_ content: Data) throws(ResourceError) {
    do throws(FileError) {
      try PartialFile.write(content, to: url)
    } catch {
      throw .unwritable(url, reason: error.cause)
    }
  }

  /// Replaces the file a last time, after the store has closed it.
  func finish(with content: Data) {
    queue.sync {
      // A write that is already scheduled would have the items of the store as they are then.
      state.withLock { $0.isFinished = true }
      // A failure has been thrown by the flush before.
      try? create(content)
    }
  }

  /// Removes the file, which this object has created.
  func remove() {
    try? FileManager.default.removeItem(at: url)
  }
}
