import Dispatch
public import Foundation
import Networking
import Synchronization

/// An error of a ``Resource`` or a ``ResourceStore``.
public enum ResourceError: Error, Sendable, Hashable {
  /// There is no item with the id.
  case missing(id: String)
  /// An item cannot be stored or removed, for the given reason.
  ///
  /// `status` is the status code with which the same change by a request is refused.
  case refused(status: Int, reason: String)
  /// Another process has the file open.
  case fileInUse(URL)
  /// The file exists but cannot be read.
  case unreadable(URL, reason: String)
  /// The file is not a file of resources.
  case malformed(URL, reason: String)
  /// The file cannot be written.
  case unwritable(URL, reason: String)
}

extension ResourceError: CustomStringConvertible, LocalizedError {
  /// The file, if there is one, and the problem.
  public var description: String {
    switch self {
    case .missing(let id): "there is no item with the id \(ReportFormatter.quoted(id))"
    case .refused(_, let reason): reason
    case .fileInUse(let file):
      "\(file.relativePath): another process uses this file; stop it or choose another file"
    case .unreadable(let file, let reason): "\(file.relativePath): cannot be read: \(reason)"
    case .malformed(let file, let reason): "\(file.relativePath): \(reason)"
    case .unwritable(let file, let reason): "\(file.relativePath): cannot be written: \(reason)"
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }

  init(_ problem: ResourceProblem) {
    let errors = problem.errors.map { "\($0.pointer.dropFirst()) \($0.text)" }
    self = .refused(
      status: problem.status,
      reason: errors.isEmpty
        ? problem.detail : "\(problem.detail): \(errors.joined(separator: ", "))")
  }
}

/// The open file of a ``ResourceStore``, which writes changes on a background queue.
///
/// A write replaces the whole file. Changes within a short time are written together. The file is
/// locked until this object is released.
final class ResourceFile: Sendable {
  private struct State {
    var hasChanges = false
    var isScheduled = false
  }

  /// A store that has a file open.
  private struct Owner {
    weak var store: ResourceStore?
  }

  /// The stores of this process by the paths of their files.
  private static let owners = Mutex<[String: Owner]>([:])
  /// The time between the first change and its write.
  private static let delay = DispatchTimeInterval.milliseconds(200)

  let url: URL
  private let lock: FileLock
  private let queue = DispatchQueue(label: "catena.resource-file")
  private let state = Mutex(State())

  /// Locks a file.
  ///
  /// - Throws: ``ResourceError``.
  init(_ url: URL, for store: ResourceStore) throws(ResourceError) {
    self.url = url
    do throws(RecordingError) {
      _ = try AtomicFileWriter.makeFolder(of: url)
    } catch {
      throw Self.unwritable(url, error)
    }
    let path = url.standardizedFileURL.resolvingSymlinksInPath().path
    let earlier = Self.owners.withLock { owners in
      owners = owners.filter { $0.value.store != nil }
      return owners.updateValue(Owner(store: store), forKey: path)?.store
    }
    if let earlier, earlier !== store { earlier.close() }
    do {
      guard let lock = try FileLock(tryLocking: path + ".lock") else {
        throw ResourceError.fileInUse(url)
      }
      self.lock = lock
    } catch let error as ResourceError {
      throw error
    } catch {
      throw .unwritable(url, reason: "\(error)")
    }
  }

  /// Reads the file, or returns `nil` if it does not exist.
  func read() throws(ResourceError) -> (json: JSON, text: Data)? {
    let text: Data
    do {
      text = JSONDocumentError.text(of: try Data(contentsOf: url))
    } catch {
      guard FileManager.default.fileExists(atPath: url.path) else { return nil }
      throw .unreadable(url, reason: AtomicFileWriter.reason(of: error))
    }
    do throws(JSONDocumentError) {
      return (try JSONDocumentError.json(in: text), text)
    } catch {
      let place = error.place(in: text)
      throw .malformed(url, reason: "line \(place.line), column \(place.column): \(error.text)")
    }
  }

  /// Schedules a write of the store's items.
  ///
  /// The store is retained until then, so that no change is lost. This object is not, so that closing
  /// the file unlocks it at once.
  func changed(_ store: ResourceStore) {
    let schedules = state.withLock { state in
      state.hasChanges = true
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    guard schedules else { return }
    queue.asyncAfter(deadline: .now() + Self.delay) { [weak self] in
      // The changes stay pending after an error, and the next write contains them.
      try? self?.writeScheduled(store)
    }
  }

  private func writeScheduled(_ store: ResourceStore) throws(ResourceError) {
    state.withLock { $0.isScheduled = false }
    try write(store)
  }

  /// Writes pending changes before it returns.
  func flush(_ store: ResourceStore) throws(ResourceError) {
    let result = queue.sync { Result { () throws(ResourceError) in try write(store) } }
    try result.get()
  }

  /// Writes pending changes, on the queue.
  private func write(_ store: ResourceStore) throws(ResourceError) {
    let hasChanges = state.withLock { state in
      defer { state.hasChanges = false }
      return state.hasChanges
    }
    guard hasChanges else { return }
    do throws(RecordingError) {
      try AtomicFileWriter.write(store.fileContent, to: url)
    } catch {
      state.withLock { $0.hasChanges = true }
      throw Self.unwritable(url, error)
    }
  }

  private static func unwritable(_ url: URL, _ error: RecordingError) -> ResourceError {
    if case .unwritable(_, let reason) = error { return .unwritable(url, reason: reason) }
    return .unwritable(url, reason: "\(error)")
  }
}

extension ResourceStore {
  /// Opens a file for the items of all resources.
  ///
  /// Call it after the resources have been created. If the file exists, its items replace the shared
  /// items; resources that it does not contain keep theirs. If it does not exist, it is created. Each
  /// change is written a short time later, on a background queue, by an atomic replacement of the file
  /// with the mode 0600. ``flush()`` writes at once; a ``MockServer`` does so when it stops. The data
  /// of isolated clients is not stored. The initial items, which ``reset()`` restores, are those of the
  /// resources, not of the file.
  ///
  /// A lock file, whose name is that of the file with `.lock`, prevents that two processes use the
  /// file. If another store of this process has the file open, it is closed there.
  ///
  /// - Parameter file: The location of the file.
  /// - Throws: ``ResourceError/fileInUse(_:)`` if another process has the file open,
  ///   ``ResourceError/unreadable(_:reason:)``, ``ResourceError/malformed(_:reason:)`` or
  ///   ``ResourceError/unwritable(_:reason:)``. The store then has no file and its items are unchanged.
  public func open(_ file: URL) throws(ResourceError) {
    close()
    let opened = try ResourceFile(file, for: self)
    guard let content = try opened.read() else {
      state.withLock { $0.file = opened }
      opened.changed(self)
      try flush()
      return
    }
    guard case .dictionary(var resources) = content.json["resources"] else {
      throw .malformed(file, reason: "expected an object with a member \"resources\"")
    }
    let values = values
    var fileOrder = MemberOrder()
    fileOrder.learn(from: content.text)
    try state.withLock { [fileOrder] state throws(ResourceError) in
      var shared = state.shared
      for (index, definition) in shared.definitions.enumerated() {
        guard let saved = resources.removeValue(forKey: definition.name) else { continue }
        guard saved["items"].array != nil else {
          throw .malformed(file, reason: "\(definition.name): expected an array \"items\"")
        }
        var order = shared.tables[index].order
        order.learn(fileOrder)
        do throws(InvalidItem) {
          shared.tables[index] = try Self.table(saved, definition, order, values)
        } catch {
          throw .malformed(file, reason: "\(definition.name)[\(error.index)]: \(error.reason)")
        }
      }
      state.shared = shared
      state.unknown = resources
      state.file = opened
    }
  }

  /// Writes changes to the file and closes it.
  ///
  /// The items stay in memory. A no-op if no file is open. An error of the last write is ignored;
  /// ``flush()`` throws it.
  public func close() {
    try? flush()
    state.withLock { $0.file = nil }
  }

  /// Writes pending changes to the file before it returns.
  ///
  /// A no-op if no file is open or nothing has changed.
  ///
  /// - Throws: ``ResourceError/unwritable(_:reason:)``. The changes then stay pending.
  public func flush() throws(ResourceError) {
    try state.withLock { $0.file }?.flush(self)
  }

  func saveChanges() {
    try? flush()
  }

  /// The content of the file.
  var fileContent: Data {
    let (data, unknown) = state.withLock { ($0.shared, $0.unknown) }
    var text = Data("{\"version\":1,\"resources\":{".utf8)
    var separator = "\n"
    func append(_ name: String, _ value: Data) {
      text += Data(separator.utf8)
      text += (try? JSON.string(name).data()) ?? Data("\"\"".utf8)
      text += Data(":".utf8)
      text += value
      separator = ",\n"
    }
    for (definition, table) in zip(data.definitions, data.tables) {
      var value = Data("{\"counter\":\(table.counter),\"items\":[".utf8)
      for (index, item) in table.items.enumerated() {
        value += Data((index == 0 ? "\n" : ",\n").utf8)
        value += item.text
      }
      value += Data("]}".utf8)
      append(definition.name, value)
    }
    for (name, value) in unknown.sorted(by: { $0.key < $1.key }) {
      if let value = try? value.data() { append(name, value) }
    }
    return text + Data("}}\n".utf8)
  }
}
