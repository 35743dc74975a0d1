import CatenaSystem
import Dispatch
import Foundation
import Promises

/// A store of records on disk, which several processes may share.
///
/// A record is found by its name, so that opening the store and reading a record do not depend on the
/// number of records. Four serial queues perform the changes, those of one record always on the same
/// queue and in order. Reads do not wait for the changes of other records. The sizes of all records are read in the background after the first write,
/// only to evict the least recently used ones.
final class DiskCacheStore: Sendable {
  private struct State: ~Copyable {
    /// The records by name; `nil` before the first scan.
    var items: RecentlyUsed<String, DiskCacheFiles.Item>?
    /// The bytes and records written since the last scan.
    ///
    /// Other processes write, too, so the folder is scanned again after an eighth of the limits.
    var unscanned = (bytes: Int64(0), entries: 0)
    /// The records that were written, or removed (`nil`), since a running scan began.
    var changes: [String: DiskCacheFiles.Item?]?
    var isMaintaining = false
    var failedWrites = 0
    /// The time of the last maintenance after a failed write.
    var failureMaintenance: ContinuousClock.Instant?
    /// The numbers of changes by the name of their record that have not been made yet.
    var pendingChanges: [String: Int] = [:]
    /// The time until which a lock is not waited for, because another process has held it for long.
    var heldUntil = [ContinuousClock.Instant?](repeating: nil, count: DiskCacheFiles.lockCount)

    mutating func set(_ item: DiskCacheFiles.Item) {
      unscanned.bytes += item.bytes
      unscanned.entries += 1
      changes?[item.name] = .some(item)
      items?.insert(item, for: item.name, cost: Int(item.bytes))
    }

    mutating func use(_ name: String) {
      guard var item = items?.remove(name) else { return }
      item.used = Date()
      items?.insert(item, for: name, cost: Int(item.bytes))
    }

    mutating func remove(_ name: String) {
      changes?[name] = .some(nil)
      _ = items?.remove(name)
    }
  }

  let limits: HTTPCache.Limits
  let files: DiskCacheFiles
  private let queues = (0..<DiskCacheFiles.lockCount).map {
    DispatchQueue(label: "Catena.HTTPCache.\($0)")
  }
  private let reads = DispatchQueue(label: "Catena.HTTPCache.reads", attributes: .concurrent)
  private let maintenance = DispatchQueue(label: "Catena.HTTPCache.maintenance", qos: .utility)
  private let state = Mutex(State())

  init(_ folder: URL, _ limits: HTTPCache.Limits, _ fileSystem: FileSystem) {
    self.limits = limits
    files = DiskCacheFiles(path: folder.standardizedFileURL.path, fileSystem: fileSystem)
  }

  /// The limit for one response: an eighth of the store.
  var maximumResponseSize: Int { limits.bytes / 8 }
  /// The limit for the responses of one URL: a quarter of the store.
  private var maximumRecordSize: Int { limits.bytes / 4 }
  /// The number of responses that could not be written.
  var failedWrites: Int { state.withLock { $0.failedWrites } }

  // MARK: Operations

  /// A record that an operation works on.
  struct Access {
    let store: DiskCacheStore
    let key: CacheKey
    let name: String
    fileprivate let lockNumber: Int

    /// Reads the record.
    ///
    /// - Parameter isUse: Whether the record counts as used.
    /// - Returns: The record, or `nil` if there is no valid one.
    /// - Throws: `FileError` if the record cannot be read now.
    func read(isUse: Bool = true) throws -> CacheRecord? {
      guard let record = try store.files.read(name, of: key, isTouched: isUse) else { return nil }
      if isUse { store.state.withLock { $0.use(name) } }
      return record
    }

    /// Returns whether the record has a response that matches a condition, or cannot be read now.
    func hasResponse(where matches: (StoredResponse) -> Bool) -> Bool {
      do {
        return try read(isUse: false)?.responses.contains(where: matches) ?? false
      } catch {
        return true
      }
    }

    /// Changes the record under the lock.
    ///
    /// If the old record cannot be read, or the new one cannot be written, the old one is removed,
    /// because it is out of date.
    ///
    /// Body files that the record does not have any more are removed.
    func update(_ change: (inout CacheRecord) throws -> Void) {
      var files: Set<StoredBodyFile> = []
      do {
        let lock = try store.lock(lockNumber)
        let found = try read(isUse: false)
        var record = found ?? CacheRecord(key)
        files = record.files
        try change(&record)
        files.formUnion(record.files)
        if let refused = record.refusedFile { files.insert(refused) }
        record.evict(downTo: store.maximumRecordSize)
        if record.responses.isEmpty {
          if found != nil { try store.files.fileSystem.remove(store.files.path(of: name)) }
          store.state.withLock { $0.remove(name) }
        } else {
          var item = DiskCacheFiles.Item(
            name: name, bytes: Int64(try store.files.write(record, name)), used: Date())
          item.bytes += record.files.reduce(0) { $0 + $1.byteCount }
          item.bodies = record.files.map(\.path)
          store.maintainIfNeeded { state in
            state.set(item)
            return store.needsMaintenance(state)
          }
        }
        store.remove(files.subtracting(record.files).map(\.path))
        withExtendedLifetime(lock) {}
      } catch {
        store.remove([store.files.path(of: name)] + files.map(\.path))
        store.didFail(name)
      }
    }

    /// Returns a response whose body is a file if it is not small.
    func externalizing(_ response: StoredResponse) throws -> StoredResponse {
      guard case .data(let data) = response.body, data.count > DiskCacheFiles.inlineLimit else {
        return response
      }
      return response.with(.file(try store.files.write(data, bodyOf: name)))
    }

    /// Counts a response that could not be written.
    func countFailure() { store.state.withLock { $0.failedWrites += 1 } }
  }

  /// Runs a change on the queue of a record, after the earlier ones of the same record.
  ///
  /// - Parameters:
  ///   - key: The URL of the record.
  ///   - scheduler: The scheduler that waits for the change.
  ///   - work: The change. It does not run if the platform has no library for the name.
  func perform(
    _ key: CacheKey, awaitedBy scheduler: any Scheduler,
    _ work: @escaping @Sendable (_ record: Access) -> Void
  ) {
    // The digest is computed here, because it determines the queue.
    guard let access = access(to: key) else { return }
    let activity = scheduler.beginActivity()
    state.withLock { $0.pendingChanges[access.name, default: 0] += 1 }
    queues[access.lockNumber].async {
      work(access)
      self.state.withLock { state in
        let count = state.pendingChanges[access.name] ?? 1
        state.pendingChanges[access.name] = count > 1 ? count - 1 : nil
      }
      activity?.end()
    }
  }

  /// Reads a record, after the earlier changes of it.
  ///
  /// - Parameters:
  ///   - key: The URL of the record.
  ///   - scheduler: The scheduler that waits for the read.
  ///   - deliver: A closure that receives the record, or `nil` if there is none. It may run code of
  ///     the client, so it does not run on a queue that others wait for.
  func read(
    _ key: CacheKey, awaitedBy scheduler: any Scheduler,
    _ deliver: @escaping @Sendable (_ record: CacheRecord?) -> Void
  ) {
    let activity = scheduler.beginActivity()
    let access = access(to: key)
    @Sendable func read() {
      // A record that cannot be read now stays, and the request is sent.
      deliver(try? access?.read())
      activity?.end()
    }
    let isChanging = access.map { access in
      state.withLock { $0.pendingChanges[access.name] != nil }
    }
    guard let access, isChanging == true else { return reads.async(execute: read) }
    queues[access.lockNumber].async { self.reads.async(execute: read) }
  }

  private func access(to key: CacheKey) -> Access? {
    CacheDigest.digest("url", key.text).map { name in
      Access(
        store: self, key: key, name: name,
        lockNumber: (name.first?.hexDigitValue ?? 0) % DiskCacheFiles.lockCount)
    }
  }

  /// The time for which an operation waits for another process that holds the lock.
  private static let lockLimit = Duration.seconds(1)
  /// The time after which it is waited for again.
  private static let lockPause = Duration.seconds(30)

  /// Acquires the lock of some of the records.
  ///
  /// A process may be stopped while it holds the lock. The records can then be read, but not changed.
  private func lock(_ number: Int) throws -> FileLock {
    let isHeld = state.withLock { $0.heldUntil[number].map { ContinuousClock.now < $0 } ?? false }
    guard let lock = try files.lock(number, waitingAtMost: isHeld ? .zero : Self.lockLimit) else {
      if !isHeld { state.withLock { $0.heldUntil[number] = ContinuousClock.now + Self.lockPause } }
      throw FileError(files.path, "is locked by another process", number: nil)
    }
    state.withLock { $0.heldUntil[number] = nil }
    return lock
  }

  // MARK: Maintenance

  /// Counts a record that could not be written, and makes room, because the disk may be full.
  private func didFail(_ name: String) {
    let now = ContinuousClock.now
    maintainIfNeeded { state in
      state.failedWrites += 1
      state.remove(name)
      guard !state.isMaintaining, state.failureMaintenance.map({ now - $0 > .seconds(60) }) ?? true
      else { return false }
      state.failureMaintenance = now
      // Files of which this process does not know are found by a scan.
      state.items = nil
      return true
    }
  }

  private func maintainIfNeeded(after change: (inout State) -> Bool) {
    let starts = state.withLock { state in
      let isNeeded = change(&state) && !state.isMaintaining
      if isNeeded { state.isMaintaining = true }
      return isNeeded
    }
    if starts { maintenance.async { self.maintain() } }
  }

  private func needsMaintenance(_ state: borrowing State) -> Bool {
    guard let items = state.items else { return true }
    return items.cost > limits.bytes || items.count > limits.entries || needsScan(state)
  }

  private func needsScan(_ state: borrowing State) -> Bool {
    state.items == nil || state.unscanned.bytes > Int64(limits.bytes / 8)
      || state.unscanned.entries > max(limits.entries / 8, 16)
  }

  /// Evicts records until the store is nine tenths full, if it exceeds its limits.
  private func maintain() {
    if state.withLock({ needsScan($0) }) { scan() }
    let oldest = state.withLock { state -> [DiskCacheFiles.Item] in
      defer { state.isMaintaining = false }
      guard let items = state.items, items.cost > limits.bytes || items.count > limits.entries
      else { return [] }
      return state.items?.evict(
        count: limits.entries - limits.entries / 10, cost: limits.bytes - limits.bytes / 10) ?? []
    }
    for item in oldest { remove([files.path(of: item.name)] + item.bodies) }
  }

  private func remove(_ paths: [String]) {
    for path in paths { try? files.fileSystem.remove(path) }
  }

  private func scan() {
    files.removeAbandoned()
    var items: [String: DiskCacheFiles.Item] = [:]
    state.withLock { state in
      state.unscanned = (0, 0)
      state.changes = [:]
    }
    for shard in 0..<256 {
      for item in files.scan(shard) { items[item.name] = item }
    }
    state.withLock { [items] state in
      var items = items
      for (name, item) in state.changes ?? [:] { items[name] = item }
      state.changes = nil
      // The times of use of this process are more exact than those on disk.
      for known in state.items?.values ?? [] {
        let used = items[known.name]?.used ?? known.used
        items[known.name]?.used = max(used, known.used)
      }
      state.items = RecentlyUsed()
      for item in items.values.sortedByPositions(by: { $0.used < $1.used }) {
        state.items?.insert(item, for: item.name, cost: Int(item.bytes))
      }
    }
  }

  /// Returns the number of records and of their bytes, after a scan of the folder.
  func measure() async -> (entries: Int, bytes: Int) {
    await afterMaintenance { group in maintenance.async(group: group) { self.scan() } }
    return state.withLock { ($0.items?.count ?? 0, $0.items?.cost ?? 0) }
  }

  /// Runs an operation for each record, on the queues of the records.
  ///
  /// - Parameters:
  ///   - removesUnreadable: Whether records that cannot be read now are removed.
  ///   - work: The operation.
  func forEach(
    removesUnreadable: Bool, _ work: @escaping @Sendable (_ record: Access) -> Void
  ) async {
    await afterMaintenance { group in
      // One folder at a time, so that changes of other records need not wait for long.
      for shard in 0..<256 {
        let number = (shard >> 4) % DiskCacheFiles.lockCount
        queues[number].async(group: group) {
          for item in self.files.scan(shard) {
            switch Result(catching: { try self.files.read(item.name, of: nil, isTouched: false) }) {
            case .success(let record?):
              work(Access(store: self, key: record.key, name: item.name, lockNumber: number))
            case .failure where !removesUnreadable: break
            case .success(nil), .failure:
              self.remove([self.files.path(of: item.name)] + item.bodies)
            }
          }
        }
      }
    }
  }

  /// Waits for all operations that have been started, and for the maintenance.
  func flush() async {
    await afterMaintenance { group in
      for queue in queues { queue.async(group: group) {} }
    }
  }

  /// Waits for the work of a group, and then for the maintenance.
  private func afterMaintenance(_ start: (_ group: DispatchGroup) -> Void) async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let group = DispatchGroup()
      start(group)
      group.notify(queue: maintenance) { continuation.resume() }
    }
  }
}
