import Promises

/// The stored responses of one URL in a cache.
///
/// The disk is asked before the memory changes. So a record that is read from disk is either the new
/// one, or is known to be out of date when it is added to the memory.
struct CachedURL: Sendable {
  let cache: HTTPCache
  let key: CacheKey
  /// The scheduler that waits for the disk.
  let scheduler: any Scheduler

  /// The store on disk, or `nil` if the responses are not stored on disk.
  var disk: DiskCacheStore? { cache.disk(for: key) }

  /// Stores a response.
  ///
  /// - Parameters:
  ///   - response: The response.
  ///   - start: The number of invalidations before the request was sent.
  func store(_ response: StoredResponse, since start: Int) {
    let size = response.byteCount
    let disk = disk
    let fits = size <= disk?.maximumResponseSize ?? 0
    update(disk, since: start) { record, access in
      guard fits else { return record.remove(response.selector) }
      record.insert(try access.externalizing(response))
    }
    guard let memory = cache.memory else { return }
    memory.update(key) { record in
      guard !cache.wasInvalidated(key, since: start) else { return }
      if case .data = response.body, size <= memory.maximumResponseSize {
        record.insert(response)
      } else {
        // Otherwise the earlier response would hide the new one on disk.
        record.remove(response.selector)
      }
    }
  }

  /// Stores a response whose body is being written to the disk.
  ///
  /// - Parameters:
  ///   - selector: The requests that the response is for.
  ///   - start: The number of invalidations before the request was sent.
  ///   - makeResponse: A closure that finishes the file with the body, and returns the response, or
  ///     `nil` if the file could not be written. It runs on the queue of the record, or not at all
  ///     after an invalidation.
  func store(
    _ selector: CacheSelector, since start: Int,
    _ makeResponse: @escaping @Sendable (_ name: String) throws -> StoredResponse?
  ) {
    update(disk, since: start) { record, access in
      guard let response = try makeResponse(access.name) else { return record.remove(selector) }
      record.insert(response)
    }
    // An earlier response in memory would hide the new one.
    cache.memory?.update(key) { $0.remove(selector) }
  }

  /// Replaces a stored response by one with the same body and new fields.
  ///
  /// - Parameters:
  ///   - old: The stored response.
  ///   - new: The updated response.
  ///   - start: The number of invalidations before the request was sent.
  func update(_ old: StoredResponse, to new: StoredResponse, since start: Int) {
    update(disk, since: start) { record, access in
      guard let found = record.responses.first(where: { $0.selector == old.selector }) else {
        // It has been evicted.
        if case .data = new.body { record.insert(try access.externalizing(new)) }
        return
      }
      // Another request or process may have stored another response, which was not validated.
      guard found.bodyID == old.bodyID else { return }
      record.remove(old.selector)
      record.insert(new.with(found.body))
    }
    guard let memory = cache.memory else { return }
    memory.update(key) { record in
      guard !cache.wasInvalidated(key, since: start) else { return }
      let found = record.responses.first { $0.selector == old.selector }
      guard found?.bodyID ?? old.bodyID == old.bodyID else { return }
      // The fields that the response varies on may have changed.
      record.remove(old.selector)
      if case .data = new.body, new.byteCount <= memory.maximumResponseSize { record.insert(new) }
    }
  }

  /// Changes the record on disk, unless the URL has been invalidated since the request was sent.
  private func update(
    _ disk: DiskCacheStore?, since start: Int,
    _ change: @escaping @Sendable (inout CacheRecord, DiskCacheStore.Access) throws -> Void
  ) {
    disk?.perform(key, awaitedBy: scheduler) { access in
      if !cache.wasInvalidated(key, since: start) { access.update { try change(&$0, access) } }
    }
  }

  /// Removes a stored response, unless another one has replaced it.
  func remove(_ stored: StoredResponse) { remove { $0.bodyID == stored.bodyID } }

  /// Removes the stored responses that match a condition.
  func remove(where matches: @escaping @Sendable (StoredResponse) -> Bool) {
    let disk = disk
    disk?.perform(key, awaitedBy: scheduler) { access in
      if access.hasResponse(where: matches) { access.update { $0.remove(where: matches) } }
    }
    // Fast path: there is nothing to remove, and no record that is being read from disk.
    if disk == nil, cache.memory?.contains(key) == false { return }
    cache.memory?.update(key) { $0.remove(where: matches) }
  }
}
